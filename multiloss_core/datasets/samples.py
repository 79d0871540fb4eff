"""Simulate the samples: rated alerts, a table of counts, and scored items."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import expit

from multiloss_core.datasets.source import RatedSource, ScoredSource
from multiloss_core.numerics import Bools
from multiloss_core.sources import simulate_alert_queue
from multiloss_core.tables import COUNT_TABLE, ColumnMeanings, ItemColumns, Meaning
from multiloss_core.thresholds.data.count_surfaces import count_surfaces
from multiloss_core.thresholds.data.counts import flagged
from multiloss_core.thresholds.data.simulated_population import Population, simulate_population

FRAUD_OR_OK: tuple[tuple[str, Meaning], ...] = (("fraud", "positive"), ("ok", "negative"))
UNRATED_SHARE = 0.02
SCORED_ITEMS = 2_000
FIRST_DAY = pd.Timestamp("2026-01-05")


# Classifiers, seed, and whether with amounts, times and channels, of the samples of rated documents.
_DOCUMENTS: dict[str, tuple[tuple[str, ...], int, bool]] = {
    "Card alerts": (("transaction model", "account model"), 20, True),
    "Login alerts": (("login model",), 21, False),
    "Marketplace listings": (("listing model", "seller model", "message model"), 22, False),
    "Insurance claims": (("text model", "image model", "network model", "price model"), 23, False),
}


def _simulated(title: str) -> tuple[Population, np.random.Generator]:
    names, seed, _ = _DOCUMENTS[title]
    generator = np.random.default_rng(seed)
    return simulate_population(generator, classifiers=len(names), names=names, strength=3.5), generator


def simulated_documents(title: str) -> pd.DataFrame | None:
    """Return all documents of a sample with their true ratings, or None."""
    if title not in _DOCUMENTS:
        return None
    population, _ = _simulated(title)
    frame = pd.DataFrame(population.scores, columns=list(population.names))
    frame.insert(0, "document", np.arange(len(frame)))
    frame["rating"] = np.where(population.labels, "fraud", "ok")
    return frame


def _documents_sample(title: str) -> RatedSource:
    names, seed, with_context = _DOCUMENTS[title]
    population, generator = _simulated(title)
    kept = flagged(population.scores, population.floors, "any")
    frame = pd.DataFrame(population.scores[kept], columns=list(names))
    frame.insert(0, "document", np.flatnonzero(kept))
    ratings = np.where(population.labels[kept], "fraud", "ok").astype(object)
    ratings[generator.random(len(ratings)) < UNRATED_SHARE] = None
    frame["rating"] = ratings
    floors = tuple(population.floors.tolist())
    choice = ColumnMeanings(scores=names, rating="rating", meanings=FRAUD_OR_OK, floors=floors)
    if with_context:
        _add_context(frame, population.labels[kept], np.random.default_rng([seed, 1]))
        choice = replace(choice, amount="amount", time="time", segment="channel")
    return RatedSource(title, _fingerprint(frame), frame, choice)


def _queue_sample(title: str) -> RatedSource:
    """Simulate alerts of two scores and five rules, of which one is shadowed, in three regions."""
    generator = np.random.default_rng(34)
    queue = simulate_alert_queue(generator, documents=400_000)
    kept = queue.is_rated
    scores, rules = queue.names[:2], ("velocity rule", "country rule", "device rule", "amount rule", "model rule")
    frame = pd.DataFrame(queue.scores[kept], columns=list(scores))
    frame[list(rules)] = queue.rules[kept].astype(int)
    frame.insert(0, "alert", np.flatnonzero(kept))
    frame["rating"] = np.where(queue.labels[kept], "fraud", "ok")
    _add_context(frame, queue.labels[kept], generator)
    choice = ColumnMeanings(
        scores=scores, rating="rating", meanings=FRAUD_OR_OK, floors=tuple(queue.floors.tolist()), alert_rules=rules
    )
    choice = replace(choice, amount="amount", time="time", segment="channel")
    return RatedSource(title, _fingerprint(frame), frame, choice)


def _add_context(frame: pd.DataFrame, fraud: Bools, generator: np.random.Generator) -> None:
    """Add amount, time (within ten weeks) and channel to alerts in order of time."""
    n = len(fraud)
    amounts = np.where(fraud, 160.0, 60.0) * np.exp(np.where(fraud, 1.1, 1.0) * generator.standard_normal(n))
    weekdays = np.array([1.0, 0.95, 1.0, 1.05, 1.3, 0.8, 0.6])
    days = generator.choice(70, n, p=np.tile(weekdays, 10) / weekdays.sum() / 10)
    seconds = (days * 86_400 + 3_600 * generator.triangular(0, 16, 24, n)).astype(np.int64)
    channels = np.array(["online", "card present", "phone"], dtype=object)
    usual, in_fraud = (channels[generator.choice(3, n, p=shares)] for shares in ([0.5, 0.42, 0.08], [0.7, 0.1, 0.2]))
    frame["amount"] = np.maximum(amounts, 0.01).round(2)
    frame["time"] = FIRST_DAY + pd.to_timedelta(np.sort(seconds), unit="s")
    frame["channel"] = np.where(fraud, in_fraud, usual)


def _counts_sample(title: str) -> RatedSource:
    documents = simulate_population(np.random.default_rng(11), classifiers=2, strength=3.5).rated()
    surfaces = count_surfaces(documents, resolution=60)
    first, second = np.meshgrid(*surfaces.axes, indexing="ij")
    frame = pd.DataFrame(
        {"T1": first.ravel(), "T2": second.ravel(), "TP": surfaces.tp.ravel(), "FP": surfaces.fp.ravel()}
    ).astype({"TP": int, "FP": int})
    return RatedSource(title, _fingerprint(frame), frame, COUNT_TABLE)


def _fingerprint(frame: pd.DataFrame) -> str:
    return hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()


RATED_SAMPLES: dict[str, Callable[[str], RatedSource]] = {
    **dict.fromkeys(_DOCUMENTS, _documents_sample),
    "Alert queue": _queue_sample,
    "Count table": _counts_sample,
}


def _scored_sample(exaggeration: float, seed: int) -> Callable[[str], ScoredSource]:
    """Simulate items whose log odds are multiplied by `exaggeration` about the middle."""

    def make(title: str) -> ScoredSource:
        generator = np.random.default_rng(seed)
        log_odds = -3.0 + 1.9 * generator.standard_normal(SCORED_ITEMS)
        fraud = generator.random(SCORED_ITEMS) < expit(log_odds)
        frame = pd.DataFrame(
            {
                "alert": [f"A-{number:05d}" for number in range(1, SCORED_ITEMS + 1)],
                "probability": expit(-1.5 + exaggeration * (log_odds + 1.5)).round(6),
                "outcome": np.where(fraud, "fraud", "ok"),
            }
        )
        return ScoredSource(title, f"sample {title}", frame, ItemColumns("probability", "outcome", "fraud"))

    return make


SCORED_SAMPLES: dict[str, Callable[[str], ScoredSource]] = {
    "Calibrated alerts": _scored_sample(1.0, 31),
    "Overconfident alerts": _scored_sample(1.8, 32),
}
