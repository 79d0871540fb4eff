"""Text files in other dialects of CSV, and headers that do not fit their rows."""

import csv
import io

import pytest

from multiloss_core import read_table
from multiloss_core.tables import read_file
from multiloss_core.tables.reading.text_layout import HEAD_LINES
from tests.tables.refusals import refused

ROWS = 3 * HEAD_LINES
SCORES = [round(0.003 * row + 0.1, 4) for row in range(ROWS)]
COMMENTS = [f'case "{row}", closed; a\\b' if row % 3 else f"note {row}" for row in range(ROWS)]


def written(row, header="case,score,comment"):
    return "\n".join([header, *(row(place) for place in range(ROWS))]) + "\n"


def as_python_writes(**dialect):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", **dialect)
    writer.writerows([["case", "score", "comment"], *zip(range(ROWS), SCORES, COMMENTS, strict=True)])
    return text.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_quotes_escaped_by_backslashes_are_read(separator, quoting):
    data = as_python_writes(delimiter=separator, quoting=quoting, doublequote=False, escapechar="\\").encode()
    file = read_file(data, "f.csv")
    assert file.frame["comment"].tolist() == COMMENTS
    assert file.frame["score"].tolist() == SCORES
    assert any("backslash" in note for note in file.notes)


def test_apostrophes_around_cells_are_quotes():
    comments = [comment.replace('"', "").replace("\\", "") for comment in COMMENTS]
    data = written(lambda row: f"'{row}','{SCORES[row]}','{comments[row]}'", "'case','score','comment'")
    file = read_file(data.encode(), "f.csv")
    assert file.frame["comment"].tolist() == comments
    assert file.frame["score"].tolist() == SCORES
    assert any("Apostrophes" in note for note in file.notes)


@pytest.mark.parametrize("header", ["case, score, comment", 'case, "score", "comment"', '"case" , "score" , "comment"'])
def test_spaces_before_quotes_are_no_part_of_cells(header):
    file = read_file(written(lambda row: f'{row}, {SCORES[row]}, "seen, closed"', header).encode(), "f.csv")
    assert list(file.frame.columns) == ["case", "score", "comment"]
    assert set(file.frame["comment"]) == {"seen, closed"}
    assert file.frame["score"].tolist() == SCORES


def test_dialect_is_found_below_the_first_rows():
    late = ROWS - 2
    for cell in ('"said \\"no\\", closed"', ' "seen, closed"'):
        data = written(lambda row, cell=cell: f"{row},{SCORES[row]},{cell if row == late else 'x'}")
        frame = read_table(data.encode(), "f.csv")
        assert len(frame) == ROWS
        assert "closed" in frame["comment"][late]


@pytest.mark.parametrize("extra", [1, 3])
def test_separators_at_the_end_of_rows_are_no_cells(extra):
    end = ";" * extra
    for header in ("case;score;comment", "case;score;comment" + end):
        file = read_file(written(lambda row: f"{row};{SCORES[row]};x{end}", header).encode(), "f.csv")
        assert list(file.frame.columns) == ["case", "score", "comment"]
        assert file.frame["score"].tolist() == SCORES


def test_row_names_without_a_header_are_refused():
    complaint = refused(lambda: read_file(written(lambda row: f"{row},{row},{SCORES[row]},x").encode(), "f.csv"))
    assert "row 1 has 4 cells" in complaint


@pytest.mark.parametrize("first", ["C7,0.25,ok", "C7,3,ok", "C7,1e-3,ok", "7,0.2,0.2"])
def test_alert_in_place_of_the_header_is_refused(first):
    complaint = refused(lambda: read_file(written(lambda row: f"C{row},{SCORES[row]},{row}", first).encode(), "f.csv"))
    assert "first row" in complaint
    assert "header" in complaint


def test_title_with_more_separators_than_the_table_is_skipped():
    title = "Report, of all, models, by day, page 2, internal"
    file = read_file((title + "\n" + written(lambda row: f"C{row},{SCORES[row]},x")).encode(), "f.csv")
    assert list(file.frame.columns) == ["case", "score", "comment"]
    assert len(file.frame) == ROWS
    assert file.notes == ("1 line above the header was skipped.",)


@pytest.mark.parametrize(
    ("header", "first"),
    [
        ('case,score,"comment', 'C0,0.1,x"'),
        ('case,"score,comment', 'C0,"0.1,x'),
        ('"case,score,comment', "C0,0.1,x"),
        ('case,score,"comment', "C0,0.1,x"),
    ],
)
def test_quote_that_swallows_rows_of_the_header_is_refused(header, first):
    rows = written(lambda row: first if row == 0 else f"C{row},{SCORES[row]},x", header)
    complaint = refused(lambda: read_file(rows.encode(), "f.csv"))
    assert 'A quote (") in the header' in complaint


@pytest.mark.parametrize(
    "header",
    [
        "\ufeffcase,score,comment",
        '"""case""",score,"""comment"""',
        "'case','score','comment'",
    ],
)
def test_marks_and_quotes_are_no_part_of_names(header):
    for above in ("", "\ufeff", "Report\n"):
        frame = read_table((above + written(lambda row: f"C{row},{SCORES[row]},x", header)).encode(), "f.csv")
        assert list(frame.columns) == ["case", "score", "comment"]


def test_invisible_characters_within_names_stay_for_queries():
    header = "case,\u200bscore,comment\u2060"
    frame = read_table(written(lambda row: f"C{row},{SCORES[row]},x", header).encode(), "f.csv")
    assert list(frame.columns) == header.split(",")
