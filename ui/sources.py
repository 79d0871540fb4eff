"""Where data come from: built-in samples and uploaded files, both as a table and a choice of its columns."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import (
    CountSurfaces,
    RatedDocuments,
    count_surfaces,
    flagged,
    guess_columns,
    is_count_table,
    read_frame,
    simulate_population,
)
from multiloss_core.thresholds.reading import require_documents
from multiloss_core.thresholds.surfaces import Rule
from ui.shelf import Source

UNRATED_SHARE = 0.02


@dataclass(frozen=True)
class ColumnChoice:
    """What the columns of a table mean. A floor of None is suggested from the data."""

    is_counts: bool
    scores: tuple[str, ...]
    rating: str | None = None
    positive: str | None = None
    weight: str | None = None
    floors: tuple[float | None, ...] = ()
    leave_out_unusable: bool = False
    rule: Rule | None = None
    group: str | None = None


RatedSource: TypeAlias = Source[ColumnChoice]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data ready to be worked with. `key` changes with the file and with the choice of columns.

    `frame` is the table as it was read; `source.rows` says which of its rows the rated documents are.
    """

    name: str
    key: str
    source: RatedDocuments | CountSurfaces
    frame: pd.DataFrame


def read_upload(data: bytes, name: str) -> RatedSource:
    """Read an uploaded file and guess its columns. Raises DataError where it is no usable table."""
    frame = read_frame(data, name)
    return RatedSource(name, hashlib.sha256(data).hexdigest(), frame, first_choice(frame))


def first_choice(frame: pd.DataFrame) -> ColumnChoice:
    """The choice of columns that a table suggests. Raises DataError where it can hold no rated documents."""
    if is_count_table(frame):
        return ColumnChoice(is_counts=True, scores=())
    require_documents(frame)
    guess = guess_columns(frame)
    return ColumnChoice(
        False,
        guess.scores,
        guess.rating,
        guess.positive,
        guess.weight,
        (None,) * len(guess.scores),
        group=guess.group,
    )


def build_dataset(source: RatedSource, choice: ColumnChoice) -> Dataset:
    """The dataset of a source under a choice of columns, checked. Raises DataError."""
    key = hashlib.sha256(f"{source.fingerprint}{choice}".encode()).hexdigest()
    return Dataset(source.name, key, _checked(key, source.frame, choice), source.frame)


@st.cache_resource(scope="session", max_entries=6, show_spinner="Checking the data …")
def _checked(key: str, _frame: pd.DataFrame, _choice: ColumnChoice) -> RatedDocuments | CountSurfaces:
    if _choice.is_counts:
        return CountSurfaces.from_table(_frame, rule=_choice.rule)
    return RatedDocuments.from_frame(
        _frame,
        list(_choice.scores),
        _choice.rating or "",
        positive=_choice.positive,
        weight=_choice.weight,
        floors=dict(zip(_choice.scores, _choice.floors, strict=True)),
        group=_choice.group,
        leave_out_unusable=_choice.leave_out_unusable,
    )


@st.cache_resource(max_entries=8, show_spinner="Simulating a population …")
def sample(name: str) -> RatedSource:
    """A built-in sample; the same for everybody."""
    return SAMPLES[name](name)


def _documents_sample(*names: str, seed: int) -> Callable[[str], RatedSource]:
    def make(title: str) -> RatedSource:
        generator = np.random.default_rng(seed)
        population = simulate_population(generator, classifiers=len(names), names=names, strength=3.5)
        kept = flagged(population.scores, population.floors, "any")
        frame = pd.DataFrame(population.scores[kept], columns=list(names))
        frame.insert(0, "document", np.flatnonzero(kept))
        ratings = np.where(population.labels[kept], "fraud", "ok").astype(object)
        ratings[generator.random(len(ratings)) < UNRATED_SHARE] = None
        frame["rating"] = ratings
        choice = ColumnChoice(False, names, "rating", "fraud", None, tuple(population.floors.tolist()))
        return RatedSource(title, _fingerprint(frame), frame, choice)

    return make


def _counts_sample(title: str) -> RatedSource:
    documents = simulate_population(np.random.default_rng(11), classifiers=2, strength=3.5).rated()
    surfaces = count_surfaces(documents, resolution=60)
    first, second = np.meshgrid(*surfaces.axes, indexing="ij")
    frame = pd.DataFrame(
        {"T1": first.ravel(), "T2": second.ravel(), "TP": surfaces.tp.ravel(), "FP": surfaces.fp.ravel()}
    ).astype({"TP": int, "FP": int})
    return RatedSource(title, _fingerprint(frame), frame, first_choice(frame))


def _fingerprint(frame: pd.DataFrame) -> str:
    return hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()


SAMPLES: dict[str, Callable[[str], RatedSource]] = {
    "Card alerts": _documents_sample("transaction model", "account model", seed=20),
    "Login alerts": _documents_sample("login model", seed=21),
    "Marketplace listings": _documents_sample("listing model", "seller model", "message model", seed=22),
    "Insurance claims": _documents_sample("text model", "image model", "network model", "price model", seed=23),
    "Count table": _counts_sample,
}
