"""An operating point as a file for the systems that will apply it."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from multiloss_core.thresholds.operating_point import OperatingPoint

MEANING = {
    "any": "flag a document when any score is at or above its threshold",
    "all": "flag a document when every score is at or above its threshold",
}


def point_as_dict(point: OperatingPoint, source: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Plain values of a point, ready for JSON: undefined rates and thresholds that nothing reaches are None.

    `source` says what data it came from.
    """
    return {
        "rule": point.rule,
        "meaning": MEANING[point.rule] + "; no score reaches a threshold of null",
        "thresholds": {
            name: float(value) if math.isfinite(value) else None
            for name, value in zip(point.names, point.thresholds, strict=True)
        },
        "method": "set by hand" if point.by_hand else point.method,
        "target_marginal_precision": point.marginal_precision,
        "status": point.status,
        "true_positives": point.tp,
        "false_positives": point.fp,
        "alerts": point.alerts,
        "precision": _defined(point.precision),
        "false_positives_per_true_positive": _defined(point.fp_per_tp),
        "share_of_rated_positives": _defined(point.share_of_rated_positives),
        "source": dict(source or {}),
    }


def point_as_json(point: OperatingPoint, source: Mapping[str, Any] | None = None) -> str:
    """`point_as_dict` as indented JSON text."""
    return json.dumps(point_as_dict(point, source), indent=2, allow_nan=False)


def point_as_csv(point: OperatingPoint) -> str:
    """One row for each classifier: its name, comparison, threshold (inf: never) and the rule.

    Names cannot start a formula.
    """
    return thresholds_as_csv(point.names, point.thresholds, point.rule)


def thresholds_as_csv(names: Iterable[str], thresholds: Iterable[float], rule: str) -> str:
    """`point_as_csv` for thresholds without a point."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["classifier", "comparison", "threshold", "rule"])
    for name, value in zip(names, thresholds, strict=True):
        writer.writerow([without_formula(name), ">=", float(value), rule])
    return text.getvalue()


def without_formula(cell: str) -> str:
    """A cell that a spreadsheet shows as text, even when it starts like a formula."""
    # Full-width signs start a formula as well, and some programs pass over white space before one.
    starts = cell[:1] in ("\t", "\r", "\n") or cell.lstrip()[:1] in tuple("=+-@＝＋－＠")
    return f"'{cell}" if starts else cell


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
