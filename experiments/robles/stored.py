"""Read documents and pairs from the stored results, without estimators."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from experiments.files import RESULTS
from experiments.printed.robles import EnsemblePair, ensemble_pairs
from multiloss_core import (
    CountSurfaces,
    RatedDocuments,
    ThresholdPath,
    analytic_path,
    benchmark_path,
    count_surfaces,
    graph_path,
)

SET_NAMES = {"bank": "Bank", "mammography": "Mammography", "creditcard": "CreditCards"}


def rated_documents(held: Mapping[str, Any]) -> RatedDocuments:
    """Read the stored rated rows of bank marketing with their floors."""
    frame = pd.read_csv(RESULTS / held["rated"]["file"])
    *scores, label = map(str, frame.columns)
    return RatedDocuments.from_frame(frame, scores=scores, label=label, positive=1, floors=held["rated"]["floors"])


def measured_pairs(held: Mapping[str, Any], mode: str) -> tuple[EnsemblePair, ...]:
    """Return the pairs of a run in one mode; figures that may not be shown are undefined."""
    rows = []
    for row in held["measured"]:
        precision, recall, f1 = (row["intervals"][name] for name in ("precision", "recall", "F1"))
        defined = row["mode"] == mode and None not in (precision, recall, f1)
        figures = (precision["mean"], recall["mean"], f1["mean"]) if defined else None
        rows.append((SET_NAMES[row["data_set"]], row["kind"], row["row"], figures))
    return ensemble_pairs(rows)


def searched(held: Mapping[str, Any], nodes: int) -> tuple[CountSurfaces, dict[str, ThresholdPath]]:
    """Count the rated rows on `nodes` uniform nodes for each classifier, and find three paths."""
    surfaces = count_surfaces(rated_documents(held), resolution=nodes)
    paths = (analytic_path(surfaces, family="power"), graph_path(surfaces), benchmark_path(surfaces))
    return surfaces, {path.method: path for path in paths}
