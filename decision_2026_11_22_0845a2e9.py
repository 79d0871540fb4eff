"""Thresholds of decision 0845a2e9-9202-40ed-80ac-f2e2078f6981, made 2026-11-22T18:17:24.697601Z."""

from collections.abc import Mapping

# A threshold of None is reached by no score.
THRESHOLDS: dict[str, float | None] = {
    "model a": 0.6702,
    "model b": 0.6663,
}


def flag(document: Mapping[str, float | None]) -> bool:
    """Whether to flag a document, given its score under the name of each classifier.

    It is flagged when any of its scores is at or above its threshold. A score that is missing, None or not a number
    reaches no threshold.
    """
    return any(_reached(document.get(name), threshold) for name, threshold in THRESHOLDS.items())


def _reached(score: float | None, threshold: float | None) -> bool:
    return score is not None and threshold is not None and bool(score >= threshold)
