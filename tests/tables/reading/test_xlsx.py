"""Excel workbooks, written by hand."""

import io
import zipfile
from datetime import datetime

import pandas as pd
import pytest

from multiloss_core.tables import ReadOptions, read_file
from multiloss_core.tables.reading import xlsx_file
from tests.tables.reading.workbooks import MAIN, archive, workbook
from tests.tables.refusals import refused

ROWS = [
    ["case", "score", "amount", "when", "rating"],
    ["00042", 0.5, 1193, datetime(2026, 3, 14, 9, 30), "fraud"],
    ["00043", 0.25, 7, None, None],
]


def test_cells_keep_their_types():
    file = read_file(workbook({"Alerts": ROWS}), "f.xlsx")
    expected = pd.DataFrame(
        {
            "case": ["00042", "00043"],
            "score": [0.5, 0.25],
            "amount": [1193, 7],
            "when": pd.to_datetime(["2026-03-14 09:30", None]).astype("datetime64[us]"),
            "rating": ["fraud", None],
        }
    ).astype({"rating": "str"})
    pd.testing.assert_frame_equal(file.frame, expected)
    assert (file.sheets, file.sheet, file.notes) == (("Alerts",), "Alerts", ())


def test_named_sheet_or_first_table_is_read():
    data = workbook({"Cover": [], "Notes": [["x"]], "Old": ROWS, "Alerts": ROWS[:2], "More": ROWS}, hidden=("Old",))
    file = read_file(data, "f.xlsx")
    assert (file.sheet, len(file.frame)) == ("Alerts", 1)
    assert file.sheets == ("Cover", "Notes", "Old", "Alerts", "More")
    gone, cover = ReadOptions(sheet="Gone"), ReadOptions(sheet="Cover")
    assert read_file(data, "f.xlsx", ReadOptions(sheet="Old")).sheet == "Old"
    assert "has no sheet 'Gone'; it has 'Cover'" in refused(lambda: read_file(data, "f.xlsx", gone))
    assert "Sheet 'Cover' of 'f.xlsx' holds no table" in refused(lambda: read_file(data, "f.xlsx", cover))


def test_titles_and_blanks_around_the_table_are_passed_over():
    rows = [["Alerts of March"], [], ["made by", "Müller"], [], *ROWS, [], []]
    file = read_file(workbook({"a": [[None, *row] for row in rows]}), "f.xlsx")
    assert list(file.frame.columns) == ROWS[0]
    assert file.frame["case"].tolist() == ["00042", "00043"]
    assert "2 lines above the header were skipped." in file.notes


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["a", "b"]], "holds no table"),
        ([[0.5, 1], [0.25, 0]], "holds only numbers"),
        ([[f"c{i}" for i in range(600)], [1] * 600], "600 columns; the limits are"),
        ([["a", "b"], [1, "x" * 40_000]], "a text of 40,000 characters"),
    ],
)
def test_what_is_no_table_is_refused(rows, words):
    assert words in refused(lambda: read_file(workbook({"a": rows}), "f.xlsx"))


def test_a_cell_far_away_is_refused_before_the_sheet_is_laid_out(monkeypatch):
    cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    data = archive({"a": f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'})
    monkeypatch.setattr(xlsx_file.calamine, "load_workbook", lambda _: pytest.fail("the workbook was parsed"))
    assert "1,048,576 rows" in refused(lambda: read_file(data, "f.xlsx"))


@pytest.mark.parametrize("lie", [None, 1000])
def test_archive_that_unpacks_to_too_much_is_refused(monkeypatch, lie):
    monkeypatch.setattr(xlsx_file, "MAX_UNPACKED_BYTES", 2**20)
    data = archive({"a": f'<worksheet xmlns="{MAIN}"><sheetData>{" " * 2**23}</sheetData></worksheet>'})
    if lie is not None:
        entry = next(e for e in zipfile.ZipFile(io.BytesIO(data)).infolist() if e.filename.endswith("sheet1.xml"))
        data = data.replace(entry.file_size.to_bytes(4, "little"), lie.to_bytes(4, "little"))
    monkeypatch.setattr(xlsx_file.calamine, "load_workbook", lambda _: pytest.fail("the workbook was parsed"))
    words = "unpacks to more than 1 MB" if lie is None else "cannot be read"
    assert words in refused(lambda: read_file(data, "f.xlsx"))


def test_other_archives_and_damaged_workbooks_are_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("alerts.csv", "a,b\n1,2\n")
    assert "is a zip archive and no Excel file" in refused(lambda: read_file(stream.getvalue(), "f.xlsx"))
    data = workbook({"a": ROWS})
    for broken in (data[:-30], data[: len(data) // 2], b"PK\x03\x04", data[:40] + data[60:]):
        assert "cannot be read" in refused(lambda broken=broken: read_file(broken, "f.xlsx"))


def rearranged(data, place):
    """The workbook with the names of its parts changed, and what refers to them by folders."""
    source, stream = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if "\\" not in place(name):
                content = content.replace(b"xl/workbook.xml", place("xl/workbook.xml").encode())
            target.writestr(place(name), content)
    return stream.getvalue()


@pytest.mark.parametrize(
    "place",
    [
        lambda name: name.replace("/", "\\"),
        lambda name: name.removeprefix("xl/"),
        lambda name: name.replace("xl/", "parts/of/it/"),
    ],
)
def test_parts_of_a_workbook_may_lie_in_any_folder(place):
    assert len(read_file(rearranged(workbook({"Alerts": ROWS}), place), "f.xlsx").frame) == len(ROWS) - 1


def of_formulas(value):
    """Twelve alerts whose scores are formulas, with a value as XML."""
    row = "<row><c><v>{}</v></c><c><f>A{}/100</f>" + value + '</c><c t="inlineStr"><is><t>ok</t></is></c></row>'
    names = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("case", "model", "rating"))
    rows = f"<row>{names}</row>" + "".join(row.format(place, place + 1) for place in range(12))
    return archive({"a": f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'})


@pytest.mark.parametrize(
    ("value", "words"), [("", "blank"), ("<v></v>", "blank"), ("<v/>", "blank"), ("<v>0</v>", "is 0")]
)
def test_column_of_formulas_without_values_is_named(value, words):
    notes = " ".join(read_file(of_formulas(value), "f.xlsx").notes)
    assert "Column 'model'" in notes
    assert words in notes
    assert "calculated" in notes
    assert ("12 formulas" in notes) == (words == "blank")
