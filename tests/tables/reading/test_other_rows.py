"""Test rows that are no data: headers, dashes, totals and repeated rows."""

import io

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments
from multiloss_core.tables import ReadOptions, guess_columns, read_file
from tests.tables.reading.workbooks import workbook

RNG = np.random.default_rng(7)
COUNT = 90
SCORES = RNG.integers(100, 900, COUNT) / 10
CASES, WORDS = [f"K-{i:03d}" for i in range(COUNT)], np.where(SCORES > 50, "Fraud", "Genuine")
FRAME = pd.DataFrame({"case": CASES, "model": SCORES, "verdict": WORDS})
HEADER = list(FRAME.columns)


def as_csv(rows, separator=","):
    return "\n".join(separator.join("" if cell is None else str(cell) for cell in row) for row in rows).encode()


def as_workbook(rows, _=None):
    return workbook({"Alerts": [[float(cell) if isinstance(cell, float) else cell for cell in row] for row in rows]})


def table(*, above=(), below=()):
    return [HEADER, *above, *FRAME.to_numpy().tolist(), *below]


def require_same(file):
    assert file.frame["case"].tolist() == FRAME["case"].tolist()
    assert file.frame["model"].tolist() == FRAME["model"].tolist()
    assert file.frame["verdict"].tolist() == FRAME["verdict"].tolist()
    guess = guess_columns(file.frame)
    assert (guess.scores, guess.rating, guess.unsure) == (("model",), "verdict", frozenset())


WRITERS = pytest.mark.parametrize("write", [as_csv, as_workbook])
TOTAL = float(round(SCORES.sum(), 1))


@WRITERS
@pytest.mark.parametrize(
    "row",
    [
        ["Total", TOTAL, None],
        ["Summe", TOTAL, "45 fraud"],
        ["Average", float(round(SCORES.mean(), 2)), None],
        ["Sub-total (90 cases)", None, None],
        [None, TOTAL, None],
    ],
)
def test_total_at_the_end_is_left_out_with_a_note(write, row):
    file = read_file(write(table(below=[row])), "f")
    require_same(file)
    (note,) = [note for note in file.notes if "Row 91" in note]
    assert "total" in note


@WRITERS
@pytest.mark.parametrize(
    "row", [["Total", 55.5, "Fraud"], ["K-090", 55.5, None], [None, 55.5, "Fraud"], ["Totalia SA", 12.5, None]]
)
def test_alert_at_the_end_stays(write, row):
    assert len(read_file(write(table(below=[row])), "f").frame) == COUNT + 1


@WRITERS
@pytest.mark.parametrize("dashes", [["----", "----", "----"], ["====", "==", "====="], ["-- --", "--", None]])
def test_line_of_dashes_is_left_out_with_a_note(write, dashes):
    file = read_file(write(table(above=[dashes])), "f")
    require_same(file)
    assert any("dashes" in note and "row 1" in note for note in file.notes)


@WRITERS
@pytest.mark.parametrize("second", [["key", "0-100", "by analyst"], ["(id)", "percent", None]])
def test_second_header_is_left_out_with_a_note(write, second):
    file = read_file(write(table(above=[second])), "f")
    require_same(file)
    assert any("Row 1" in note and "second header" in note for note in file.notes)


@WRITERS
def test_headers_of_joined_files_are_left_out(write):
    rows = [*table(), *table(), *table()]
    file = read_file(write(rows), "f")
    assert file.frame["model"].tolist() == 3 * FRAME["model"].tolist()
    assert any("2 rows" in note and f"row {COUNT + 1}" in note for note in file.notes)


def documents(frame):
    return RatedDocuments.from_frame(frame, ["model"], "verdict")


def test_identical_rows_are_counted_in_a_note():
    twice = pd.concat([FRAME, FRAME.iloc[10:37]], ignore_index=True)
    (note,) = [note for note in documents(twice).notes if "identical" in note]
    assert note.startswith("27 rows")
    assert "'case'" in note


def test_repeats_are_left_out_on_request():
    twice = pd.concat([FRAME, FRAME.iloc[::3], FRAME.iloc[::9]], ignore_index=True)
    stream = io.BytesIO()
    twice.to_parquet(stream, index=False)
    for data in (as_csv([HEADER, *twice.to_numpy().tolist()]), stream.getvalue()):
        assert len(read_file(data, "f").frame) == len(twice)
        file = read_file(data, "f", ReadOptions(leave_out_repeats=True))
        pd.testing.assert_frame_equal(file.frame, FRAME, check_dtype=False)
        assert any(note.startswith("40 rows identical") for note in file.notes)
