"""Load the data of the frozen figures: samples and public rated files."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core import CountSurfaces, RatedDocuments
from multiloss_core.tables import document_amounts, document_segments, document_times
from multiloss_core.thresholds.paths.smooth.fit import smooth_fit
from ui.data.rated import sample

RATED_FOLDER = Path(__file__).resolve().parents[3] / "shared/data/rated"


@dataclass(frozen=True, eq=False)
class Data:
    """Documents or counts, and the amount, time and segment of each document (n,)."""

    source: RatedDocuments | CountSurfaces
    amounts: np.ndarray | None = None
    times: np.ndarray | None = None
    segments: np.ndarray | None = None


@cache
def sample_data(name: str) -> Data:
    """Read a sample of the app with the columns that it suggests."""
    frame, choice = sample(name).frame, sample(name).first_choice
    if choice.is_counts:
        return Data(CountSurfaces.from_table(frame, rule=choice.rule))
    source = RatedDocuments.from_frame(
        frame, list(choice.scores), choice.rating, positive=choice.only_positive, floors=list(choice.floors)
    )
    return Data(
        source,
        choice.amount and document_amounts(frame, choice.amount, source.rows),
        choice.time and document_times(frame, choice.time, source.rows),
        choice.segment and document_segments(frame, choice.segment, source.rows),
    )


@cache
def sample_fit(name: str) -> Any:
    return smooth_fit(sample_data(name).source)


@cache
def rated_file(stem: str, group: str | None = None) -> Data:
    """Read a public rated file with the columns and floors of its JSON file."""
    columns = json.loads((RATED_FOLDER / f"{stem}.json").read_text(encoding="utf-8"))
    frame = pd.read_csv(RATED_FOLDER / f"{stem}.csv")
    documents = RatedDocuments.from_frame(
        frame, columns["scores"], columns["label"], positive=1, floors=columns["rating_floors"]
    )
    if group is None:
        return Data(documents)
    groups = frame[group].to_numpy()[documents.rows]
    floors = documents.floors.tolist()
    return Data(RatedDocuments(documents.scores, documents.labels, names=documents.names, floors=floors, groups=groups))


def counts_grid() -> Data:
    return Data(CountSurfaces.from_table(pd.read_csv(RATED_FOLDER / "bssr1_counts_grid.csv")))


@cache
def weighted_sample() -> RatedDocuments:
    """Card alerts with one in four negatives rated, each with a weight of four."""
    documents = sample_data("Card alerts").source
    kept = documents.labels | (np.arange(len(documents.labels)) % 4 == 0)
    weights = np.where(documents.labels[kept], 1.0, 4.0)
    floors = documents.floors.tolist()
    return RatedDocuments(documents.scores[kept], documents.labels[kept], weights, documents.names, floors)
