"""Rated data ready to be worked with: a table under a choice of its columns, checked once."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from multiloss_core import CountSurfaces, DataError, RatedDocuments
from multiloss_core.engines import RatedColumns, read_file_table
from multiloss_core.formatting import plural, shortened
from multiloss_core.inspection import calendar
from multiloss_core.numerics import Bools, Floats
from multiloss_core.tables import (
    READ_AS_IT_LOOKS,
    RECIPROCAL,
    ColumnGuess,
    Meaning,
    ReadOptions,
    Times,
    document_amounts,
    document_segments,
    guess_columns,
    is_count_table,
    local_times,
    require_documents,
    with_decimal_sign,
)
from multiloss_core.thresholds import FloorMethod, Rule, money_weighted
from ui.shared.session import EngineTable, Source

DecimalSign: TypeAlias = Literal[",", "."]


@dataclass(frozen=True, kw_only=True)
class ColumnChoice:
    """What the columns of a table mean. A floor of None is estimated from the data, by `floor_method`.

    `meanings`: each rating in lower-case words and what it means, None where that has still to be said.
    `since`: a date, YYYY-MM-DD; earlier rows are left out. `complete_until`: a date; rows from it on are left out,
    because their ratings are incomplete.
    `decimal_signs`: of columns of numbers that can be read in two ways, the sign that the decimals come after.
    """

    is_counts: bool
    scores: tuple[str, ...]
    rating: str | None = None
    meanings: tuple[tuple[str, Meaning | None], ...] = ()
    weight: str | None = None
    floors: tuple[float | None, ...] = ()
    floor_method: FloorMethod | None = None
    leave_out_unusable: bool = False
    rule: Rule | None = None
    group: str | None = None
    amount: str | None = None
    time: str | None = None
    segment: str | None = None
    since: str | None = None
    complete_until: str | None = None
    decimal_signs: tuple[tuple[str, DecimalSign | None], ...] = ()

    @property
    def positive(self) -> str | None:
        """The rating of a positive, where there is one such rating and the only other one is negative."""
        found = sorted(self.meanings, key=lambda rating: str(rating[1]))
        return found[1][0] if [meaning for _, meaning in found] == ["negative", "positive"] else None


COUNTS = ColumnChoice(is_counts=True, scores=())
RatedSource: TypeAlias = Source[ColumnChoice]


@dataclass(frozen=True, kw_only=True)
class CountedIn:
    """The table in which documents were counted, and by what meaning of its columns."""

    table: str
    columns: RatedColumns


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """Data ready to be worked with. `key` changes with the file and with the choice of columns.

    `frame` is the table as it was read and `choice` what its columns mean; `source.rows` says which of its rows the
    rated documents are. `amounts`, `times` and `segments` (n,) say more of each document, where such columns exist, and
    `undecided_times` and `undecided_segments` (u,) of each of those that nobody has decided yet. `zone`: in
    whose local time the times are, empty where they carry none. `counted_in`: where its documents lie, if only counts
    of them are here.
    """

    name: str
    key: str
    source: RatedDocuments | CountSurfaces
    frame: pd.DataFrame
    choice: ColumnChoice
    amounts: Floats | None = None
    times: Times | None = None
    segments: NDArray[np.object_] | None = None
    undecided_times: Times | None = None
    undecided_segments: NDArray[np.object_] | None = None
    zone: str = ""
    counted_in: CountedIn | None = None

    @property
    def days(self) -> float | None:
        """How many calendar days there are from the first to the last document; None without times."""
        if self.times is None or not self.times.size:
            return None
        return float(calendar(self.times, self.undecided_times).days)


def read_upload(data: bytes, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> RatedSource:
    """Read an uploaded file and guess its columns. Raises DataError where it is no usable table."""
    table = read_file_table(data, name, options)
    file, guess = table.file, table.guess
    if guess is not None:
        require_documents(file.frame, file.ambiguous)
    choice = COUNTS if guess is None else choice_of(guess, file.ambiguous)
    origin, notes = None, file.notes
    if table.sample is not None:
        origin = EngineTable(connection=None, sample=table.sample, fetched_at=datetime.now(UTC), engine=table.engine)
        note = (
            f"{plural(table.sample.rows, 'row')}, too many to be held in memory: they are kept on disk for this visit "
            "and counted there. The rows at the end of this page are a sample."
        )
        notes = (note, *notes)
    return RatedSource(
        name,
        hashlib.sha256(data + options.key.encode()).hexdigest(),
        file.frame,
        choice,
        guess=guess,
        notes=notes,
        ambiguous=file.ambiguous,
        units=file.units,
        sheets=file.sheets,
        sheet=file.sheet,
        origin=origin,
        disk=table.disk,
    )


def first_choice(frame: pd.DataFrame) -> ColumnChoice:
    """Guess the choice of columns from a table. Raises DataError where it can hold no rated documents."""
    if is_count_table(frame):
        return COUNTS
    require_documents(frame)
    return choice_of(guess_columns(frame))


def choice_of(guess: ColumnGuess, ambiguous: Sequence[str] = ()) -> ColumnChoice:
    """Choose the columns as they were guessed; of `ambiguous` ones in use it has to be said how they are read."""
    used = (*guess.scores, guess.weight, guess.amount)
    return ColumnChoice(
        is_counts=False,
        scores=guess.directed_scores,
        rating=guess.rating,
        meanings=guess.meanings,
        weight=f"{RECIPROCAL}{guess.weight}" if guess.weight and guess.inverse_weight else guess.weight,
        floors=(None,) * len(guess.scores),
        group=guess.group,
        amount=guess.amount,
        time=guess.time,
        segment=guess.segment,
        decimal_signs=tuple((column, None) for column in ambiguous if column in used),
    )


def build_dataset(source: RatedSource, choice: ColumnChoice, *, one_class: bool = False) -> Dataset:
    """Build and check the dataset of a source under a choice of columns. Raises DataError.

    `one_class`: accept documents that are all positive or all negative, to count given thresholds.
    """
    return replace(_checked(dataset_key(source, choice), one_class, source.frame, choice), name=source.name)


def dataset_key(source: RatedSource, choice: ColumnChoice) -> str:
    """Name a source under a choice of columns, for caches."""
    return hashlib.sha256(f"{source.fingerprint}{json.dumps(asdict(choice), sort_keys=True)}".encode()).hexdigest()


def in_money(dataset: Dataset) -> Dataset:
    """Count data with amounts in money: each document weighs what it is worth, those of amount 0 are left out.

    The key stays. Raises DataError where nothing is left of the positives or of the negatives.
    """
    return replace(_in_money(dataset.key, dataset), name=dataset.name)


# Kept, so that the same documents are not held once more for every grid and rule that they are counted with.
@st.cache_resource(scope="session", max_entries=3, show_spinner=False)
def _in_money(key: str, _dataset: Dataset) -> Dataset:
    documents, amounts = _dataset.source.documents, _dataset.amounts
    if documents is None or amounts is None:
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
def _checked(key: str, one_class: bool, _frame: pd.DataFrame, _choice: ColumnChoice) -> Dataset:
    if _choice.is_counts:
        surfaces = CountSurfaces.from_table(_frame, rule=_choice.rule)
        return Dataset(name="", key=key, source=surfaces, frame=_frame, choice=_choice)
    if _choice.amount is not None and _choice.amount in (_choice.weight, _choice.rating):
        raise DataError(
            f"Column '{_choice.amount}' was chosen twice; the amount must be another column than rating and weight."
        )
    require_answers(_choice)
    _frame = with_decimal_sign(_frame, {column: sign for column, sign in _choice.decimal_signs if sign is not None})
    documents = RatedDocuments.from_frame(
        _frame,
        list(_choice.scores),
        _choice.rating or "",
        meanings={rating: meaning for rating, meaning in _choice.meanings if meaning is not None} or None,
        weight=_choice.weight,
        floors=dict(zip(_choice.scores, _choice.floors, strict=True)),
        floor_method=_choice.floor_method,
        group=_choice.group,
        leave_out_unusable=_choice.leave_out_unusable,
        only=_complete_rows(_frame, _choice),
        one_class=one_class,
    )
    rows = documents.rows
    # Read together, so that dates are understood and segments limited alike in both.
    both = np.concatenate([rows, documents.undecided.rows])
    times, zone = (None, "") if _choice.time is None else local_times(_frame, _choice.time, both)
    segments = None if _choice.segment is None else document_segments(_frame, _choice.segment, both)
    return Dataset(
        name="",
        key=key,
        source=documents,
        frame=_frame,
        choice=_choice,
        amounts=None if _choice.amount is None else document_amounts(_frame, _choice.amount, rows),
        times=None if times is None else times[: rows.size],
        segments=None if segments is None else segments[: rows.size],
        undecided_times=None if times is None else times[rows.size :],
        undecided_segments=None if segments is None else segments[rows.size :],
        zone=zone,
    )


def require_answers(choice: ColumnChoice) -> None:
    """Refuse a choice with a question that is still open."""
    if choice.rating is None:
        raise DataError("No column with the ratings is chosen; choose the one that says what was fraud.")
    for rating, meaning in choice.meanings:
        if meaning is None:
            raise DataError(
                f"What '{shortened(rating)}' in '{choice.rating}' means is not said yet; choose fraud, not fraud or "
                "not known yet."
            )
    for column, sign in choice.decimal_signs:
        if sign is None:
            raise DataError(f"The numbers in '{column}' can be read in two ways; choose which one is meant.")


def _complete_rows(frame: pd.DataFrame, choice: ColumnChoice) -> Bools | None:
    """Which rows (n,) lie in the days that are used; None for all."""
    if choice.time is None or (choice.since is None and choice.complete_until is None):
        return None
    times, _ = local_times(frame, choice.time, np.arange(len(frame)))
    inside = np.ones(len(frame), dtype=bool)
    inside &= True if choice.since is None else times >= np.datetime64(choice.since)
    inside &= True if choice.complete_until is None else times < np.datetime64(choice.complete_until)
    return inside
