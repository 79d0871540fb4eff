"""Sheet, header line, last lines and repeated rows that are chosen."""

import io

import pandas as pd
import pytest

from multiloss_core.tables import ReadOptions, read_file
from tests.tables.reading.workbooks import workbook
from tests.tables.refusals import refused

ABOVE = [["kind", "value", "unit"], ["alerts", 3, "rows"]]
ROWS = [["case", "score", "rating"], ["a", 0.25, "ok"], ["b", 0.5, "fraud"], ["c", 0.75, "ok"]]
BELOW = [["checked", "by", "Ann", "Lee"], ["end", None, None]]


def as_parquet():
    stream = io.BytesIO()
    pd.DataFrame({"a": [0.5]}).to_parquet(stream)
    return stream.getvalue()


def as_text(rows):
    return "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in rows)


BOTH = pytest.mark.parametrize(
    "write", [lambda rows: (as_text(rows) + "\n\n").encode(), lambda rows: workbook({"a": rows})]
)


@BOTH
def test_chosen_lines_are_read(write):
    file = read_file(write([*ABOVE, *ROWS, *BELOW]), "f", ReadOptions(header_line=3, skip_last=2))
    assert file.frame.to_dict("list") == {
        "case": ["a", "b", "c"],
        "score": [0.25, 0.5, 0.75],
        "rating": ["ok", "fraud", "ok"],
    }
    assert any("2 lines above" in note for note in file.notes)
    assert any("2" in note and "at the end" in note for note in file.notes)


@BOTH
def test_chosen_header_may_hold_numbers(write):
    data = write([["case", "2025", "2026"], ["a", 0.25, 0.5], ["b", 0.5, 0.75]])
    assert "first row" in refused(lambda: read_file(data, "f"))
    assert list(read_file(data, "f", ReadOptions(header_line=1)).frame.columns) == ["case", "2025", "2026"]


@BOTH
@pytest.mark.parametrize("line", [2, 900])
def test_line_without_names_is_refused(write, line):
    assert f"{line} for the header" in refused(
        lambda: read_file(write([["Report"], [None], *ROWS]), "f", ReadOptions(header_line=line))
    )


def test_last_lines_of_any_encoding_are_left_out():
    text = as_text([*ROWS, ["d", 0.9, "geprüft"], ["zusätzlich"]])
    for encoding in ("utf-8", "utf-16", "cp1252"):
        for end in ("", "\n", "\r\n \r\n"):
            frame = read_file((text + end).encode(encoding), "f", ReadOptions(skip_last=2)).frame
            assert frame["case"].tolist() == ["a", "b", "c"], (encoding, end)


def test_options_that_a_kind_of_file_lacks_are_refused():
    assert "no lines" in refused(lambda: read_file(as_parquet(), "f", ReadOptions(header_line=2)))
    for data in (as_parquet(), as_text(ROWS).encode()):
        assert "no sheet 'May'" in refused(lambda data=data: read_file(data, "f", ReadOptions(sheet="May")))


@pytest.mark.parametrize(
    "options",
    [
        ReadOptions(),
        ReadOptions(sheet="May"),
        ReadOptions(sheet='{"sheet": 5}'),
        ReadOptions(sheet="12"),
        ReadOptions(sheet="May", header_line=3, skip_last=1, leave_out_repeats=True),
    ],
)
def test_options_are_read_back_from_their_key(options):
    assert ReadOptions.from_key(options.key) == options
