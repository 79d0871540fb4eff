"""Text files: the oracles are the module csv, pandas, and what was written."""

import csv
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import read_table
from multiloss_core.tables import read_file
from tests.tables.refusals import refused

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=("Cs", "Cc")), max_size=8)
CELLS = WORDS.filter(lambda text: text.strip() == text and not any(letter.isdigit() for letter in text))


@st.composite
def dialects(draw):
    return {
        "delimiter": draw(st.sampled_from(",;\t|")),
        "lineterminator": draw(st.sampled_from(["\n", "\r\n"])),
        "quoting": draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])),
    }


@pytest.mark.slow
@given(
    dialects(),
    st.lists(st.tuples(st.floats(0.001, 0.999), CELLS, CELLS), min_size=4, max_size=12),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_a_table_comes_back_as_it_was_written(dialect, rows, encoding):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, **dialect)
    writer.writerows([("score", "first word", "second word"), *rows])
    frame = read_table(stream.getvalue().encode(encoding), "f.csv")
    filled = max(row for row, cells in enumerate(rows, 1) if any(map(str, cells)))
    assert list(frame.columns) == ["score", "first word", "second word"]
    assert frame["score"].tolist() == [score for score, _, _ in rows[:filled]]
    for place, name in enumerate(frame.columns[1:], 1):
        expected = [cells[place] or None for cells in rows]
        assert frame[name].astype(object).where(frame[name].notna(), None).tolist() == expected


@pytest.mark.parametrize("file", ["bssr1_two_scores_rated", "bssr1_four_scores_rated", "bssr1_counts_grid"])
def test_real_files_hold_the_numbers_that_pandas_reads(rated_folder, file):
    data = (rated_folder / f"{file}.csv").read_bytes()
    expected = pd.read_csv(io.BytesIO(data))
    pd.testing.assert_frame_equal(read_table(data, file), expected)


class TestHeaders:
    @pytest.mark.parametrize(
        ("above", "note"),
        [
            ("", ()),
            ("\n\n  \n", ()),
            ("sep=;\n", ()),
            ("Alerts of March\n", ("1 line above the header was skipped.",)),
            ("Alerts of March\n\nMade by;Müller\n", ("2 lines above the header were skipped.",)),
            ("Alerts of March;;;\n;;;\n", ("2 lines above the header were skipped.",)),
            ("sep=;\nAlerts, all;;;\n", ("1 line above the header was skipped.",)),
        ],
    )
    def test_what_stands_above_the_header_is_passed_over(self, above, note):
        file = read_file(f"{above}case;score;amount;rating\nA;0,5;3;x\nB;0,25;4;y\n".encode(), "f.csv")
        assert file.frame.to_dict("list") == {
            "case": ["A", "B"],
            "score": [0.5, 0.25],
            "amount": [3, 4],
            "rating": ["x", "y"],
        }
        assert file.notes == note

    @pytest.mark.parametrize(
        "data",
        [
            b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n',
            b'[\n{"a": 1,\n"b": 2}]\n',
            b"[1, 2]\n[3, 4]\n",
            b"<?xml version='1.0'?>\n<a>1,2</a>\n",
            b"<table><tr><td>1</td></tr></table>\n",
            b"<html>\n<p>a, b</p>\n",
            b"<rows>\n<row/>\n",
        ],
    )
    def test_json_and_markup_are_refused(self, data):
        assert "is not a table: it starts with" in refused(lambda: read_file(data, "f.csv"))

    @pytest.mark.parametrize("data", [b"0.5,1\n0.25,0\n", b"1;0,5\n0;0,25\n", b"0.5\n0.25\n"])
    def test_numbers_are_no_header(self, data):
        assert "holds only numbers" in refused(lambda: read_file(data, "f.csv"))

    def test_empty_columns_and_rows_are_left_out_with_a_note(self):
        file = read_file(b"score;rating;\n0,5;x;\n0,25;y;\n;;\n;;\n", "f.csv")
        assert file.frame.to_dict("list") == {"score": [0.5, 0.25], "rating": ["x", "y"]}
        assert file.notes == (
            "1 column without a name and without cells left out.",
            "2 blank rows at the end left out.",
        )


class TestRows:
    @pytest.mark.parametrize("between", [0, 1, 40])
    def test_rows_swallowed_by_stray_quotes_are_named(self, between):
        rows = [f"{i},pipe {i},0.5" for i in range(100)]
        rows[20] = '20,"12 inch,0.5'
        rows[21 + between] = f'{21 + between},"13 inch,0.5'
        sentence = refused(lambda: read_file("\n".join(["id,item,score", *rows, ""]).encode(), "f.csv"))
        assert "row 21" in sentence
        assert "quote" in sentence

    def test_short_rows_have_blanks_and_a_note(self):
        file = read_file(b'a,b,c\n1,"x, y",3\n4\n7,z\n', "f.csv")
        assert file.frame.astype(object).where(file.frame.notna(), None).to_numpy().tolist() == [
            [1, "x, y", 3.0],
            [4, None, None],
            [7, "z", None],
        ]
        assert file.notes == (
            "2 rows (first: row 2) have fewer cells than the header; what is missing at their end counts as blank.",
        )

    @pytest.mark.slow
    def test_long_texts_are_refused_with_their_place(self):
        read_file(b"a,b\n1,x\n2," + b"y" * 32_767 + b"\n", "f.csv")
        sentence = refused(lambda: read_file(b"a,b\n1,x\n2," + b"y" * 32_768 + b"\n", "f.csv"))
        assert "Column 'b' holds a text of 32,768 characters in row 2" in sentence
        data = b"a,b\n" + b"1,x\n" * 100_000 + b"2," + b"y" * 2**23 + b"\n"
        assert "row 100,001 is longer than any row" in refused(lambda: read_file(data, "f.csv"))


class TestEncodings:
    def test_windows_1252_is_read_with_a_note(self):
        file = read_file("Größe;Land\n0,5;Österreich €\n".encode("cp1252"), "f.csv")
        assert file.frame.to_dict("list") == {"Größe": [0.5], "Land": ["Österreich €"]}
        assert "Windows-1252" in file.notes[0]

    def test_a_wrong_byte_in_utf_8_is_named(self):
        data = "a,b\nä,ö\nü,ß\n".encode() + b"x,\xff\n"
        assert "row 3 holds a byte that is no letter" in refused(lambda: read_file(data, "f.csv"))

    def test_marks_and_line_ends_of_all_kinds(self):
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            for end in ("\n", "\r\n", "\r"):
                frame = read_table(end.join(["ä,b", "1,x", "2,y", ""]).encode(encoding), "f.csv")
                assert frame.to_dict("list") == {"ä": [1, 2], "b": ["x", "y"]}

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"\x1f\x8b\x08" + b"\x00" * 20, "gzip"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Excel file"),
            (b"%PDF-1.7\n1 0 obj", "PDF"),
            (bytes(range(1, 9)) * 100, "binary data"),
            ("a,b\n1,2\n".encode("utf-16-le"), "binary data"),
            (b"\xff\xfe\x00", "no letter"),
        ],
    )
    def test_what_is_no_text_is_refused(self, data, words):
        assert words in refused(lambda: read_file(data, "f.csv"))
