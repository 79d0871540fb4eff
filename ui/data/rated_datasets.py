"""Where data come from: built-in samples and uploaded files, both as a table and a choice of its columns."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from multiloss_core import (
    CountSurfaces,
    DataError,
    RatedDocuments,
    count_surfaces,
    flagged,
    guess_columns,
    is_count_table,
    money_weighted,
    read_frame,
    simulate_population,
)
from multiloss_core.numerics.arrays import Bools, Floats
from multiloss_core.tables.amount_column import document_amounts
from multiloss_core.tables.guess_columns import require_documents
from multiloss_core.tables.segment_column import document_segments
from multiloss_core.tables.time_column import Times, document_times
from multiloss_core.thresholds.data.flagging import Rule
from ui.data.uploads import Source

UNRATED_SHARE = 0.02
FIRST_DAY = pd.Timestamp("2026-01-05")


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
    amount: str | None = None
    time: str | None = None
    segment: str | None = None


RatedSource: TypeAlias = Source[ColumnChoice]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data ready to be worked with. `key` changes with the file and with the choice of columns.

    `frame` is the table as it was read and `choice` what its columns mean; `source.rows` says which of its rows the rated
    documents are. `amounts`, `times` and `segments` (n,) say more of each document, where such columns were chosen.
    """

    name: str
    key: str
    source: RatedDocuments | CountSurfaces
    frame: pd.DataFrame
    choice: ColumnChoice
    amounts: Floats | None = None
    times: Times | None = None
    segments: NDArray[np.object_] | None = None


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
        amount=guess.amount,
        time=guess.time,
        segment=guess.segment,
    )


def build_dataset(source: RatedSource, choice: ColumnChoice) -> Dataset:
    """The dataset of a source under a choice of columns, checked. Raises DataError."""
    key = hashlib.sha256(f"{source.fingerprint}{choice}".encode()).hexdigest()
    return replace(_checked(key, source.frame, choice), name=source.name)


def in_money(dataset: Dataset) -> Dataset:
    """Data with amounts, counted in money: each document weighs what it is worth, those of amount 0 are left out.

    The key stays. Raises DataError where nothing is left of the positives or of the negatives.
    """
    return replace(_in_money(dataset.key, dataset), name=dataset.name)


# Kept, so that the same documents are not held once more for every grid and rule that they are counted with.
@st.cache_resource(scope="session", max_entries=3, show_spinner=False)
def _in_money(key: str, _dataset: Dataset) -> Dataset:
    documents, amounts = _dataset.source, _dataset.amounts
    if not isinstance(documents, RatedDocuments) or amounts is None:
        raise DataError("Money cannot be counted without an amount column; choose one or count documents.")
    source = money_weighted(documents, amounts)
    kept = np.isin(documents.rows, source.rows)
    return replace(
        _dataset,
        source=source,
        amounts=amounts[kept],
        times=None if _dataset.times is None else _dataset.times[kept],
        segments=None if _dataset.segments is None else _dataset.segments[kept],
    )


@st.cache_resource(scope="session", max_entries=6, show_spinner="Checking the data …")
def _checked(key: str, _frame: pd.DataFrame, _choice: ColumnChoice) -> Dataset:
    if _choice.is_counts:
        return Dataset("", key, CountSurfaces.from_table(_frame, rule=_choice.rule), _frame, _choice)
    if _choice.amount is not None and _choice.amount in (_choice.weight, _choice.rating):
        raise DataError(
            f"Column '{_choice.amount}' was chosen twice; the amount must be another column than rating and weight."
        )
    documents = RatedDocuments.from_frame(
        _frame,
        list(_choice.scores),
        _choice.rating or "",
        positive=_choice.positive,
        weight=_choice.weight,
        floors=dict(zip(_choice.scores, _choice.floors, strict=True)),
        group=_choice.group,
        leave_out_unusable=_choice.leave_out_unusable,
    )
    rows = documents.rows
    return Dataset(
        "",
        key,
        documents,
        _frame,
        _choice,
        None if _choice.amount is None else document_amounts(_frame, _choice.amount, rows),
        None if _choice.time is None else document_times(_frame, _choice.time, rows),
        None if _choice.segment is None else document_segments(_frame, _choice.segment, rows),
    )


@st.cache_resource(max_entries=8, show_spinner="Simulating a population …")
def sample(name: str) -> RatedSource:
    """A built-in sample; the same for everybody."""
    return SAMPLES[name](name)


def _documents_sample(*names: str, seed: int, with_context: bool = False) -> Callable[[str], RatedSource]:
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
        if with_context:
            _add_context(frame, population.labels[kept], np.random.default_rng([seed, 1]))
            choice = replace(choice, amount="amount", time="time", segment="channel")
        return RatedSource(title, _fingerprint(frame), frame, choice)

    return make


def _add_context(frame: pd.DataFrame, fraud: Bools, generator: np.random.Generator) -> None:
    """Add to alerts in order of time what each was worth, when it came (in ten weeks) and through which channel."""
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
    return RatedSource(title, _fingerprint(frame), frame, first_choice(frame))


def _fingerprint(frame: pd.DataFrame) -> str:
    return hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()


SAMPLES: dict[str, Callable[[str], RatedSource]] = {
    "Card alerts": _documents_sample("transaction model", "account model", seed=20, with_context=True),
    "Login alerts": _documents_sample("login model", seed=21),
    "Marketplace listings": _documents_sample("listing model", "seller model", "message model", seed=22),
    "Insurance claims": _documents_sample("text model", "image model", "network model", "price model", seed=23),
    "Count table": _counts_sample,
}
