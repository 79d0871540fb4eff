"""Text files: the oracles are the module csv, pandas, and what was written."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import read_table
from multiloss_core.tables import read_file
from multiloss_core.tables.reading import csv_file
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


def test_blocks_make_no_difference(monkeypatch):
    generator = np.random.default_rng(0)
    lines = [f"{generator.random()!r},{'' if i % 7 else 'x'},{i},{'a' if i > 300 else i}" for i in range(600)]
    data = "\n".join(["a,b,c,d", *lines, ""]).encode()
    whole = read_file(data, "f.csv")
    monkeypatch.setattr(csv_file, "BLOCK", 2_000)
    pd.testing.assert_frame_equal(read_file(data, "f.csv").frame, whole.frame)
    assert whole.frame["d"].tolist() == [*map(str, range(301)), *["a"] * 299]


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

    @pytest.mark.parametrize("name", ["{score}", "[score]", "<score>", "{a", "<b"])
    def test_names_may_look_like_the_beginning_of_something_else(self, name):
        assert list(read_table(f"{name},rating\n0.5,x\n0.25,y\n".encode(), "f.csv").columns) == [name, "rating"]

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

    def test_the_separator_is_told_by_the_rows_as_well(self):
        file = read_file(b"score, model A;amount\n0,5;1,25\n0,25;3,5\n", "f.csv")
        assert file.frame.to_dict("list") == {"score, model A": [0.5, 0.25], "amount": [1.25, 3.5]}
        frame = read_table(b"p\n0,5\n0,25\n", "f.csv")
        assert frame.to_dict("list") == {"p": [0.5, 0.25]}

    def test_columns_and_rows_of_nothing_are_left_out_and_told(self):
        file = read_file(b"score;rating;\n0,5;x;\n0,25;y;\n;;\n;;\n", "f.csv")
        assert file.frame.to_dict("list") == {"score": [0.5, 0.25], "rating": ["x", "y"]}
        assert file.notes == (
            "1 column without a name and without cells left out.",
            "2 blank rows at the end left out.",
        )

    @pytest.mark.parametrize("data", [b"," * 2**21, b"a," * 700 + b"\n1\n", b";".join([b"c"] * 60_000) + b"\n1\n"])
    def test_a_header_of_separators_is_refused_before_it_is_split(self, monkeypatch, data):
        monkeypatch.setattr(csv, "reader", lambda *_, **__: pytest.fail("the header was split"))
        assert "the limits are" in refused(lambda: read_file(data, "f.csv"))


class TestRows:
    @pytest.mark.parametrize("between", [0, 1, 40])
    def test_rows_swallowed_by_stray_quotes_are_named(self, between):
        rows = [f"{i},pipe {i},0.5" for i in range(100)]
        rows[20] = '20,"12 inch,0.5'
        rows[21 + between] = f'{21 + between},"13 inch,0.5'
        sentence = refused(lambda: read_file("\n".join(["id,item,score", *rows, ""]).encode(), "f.csv"))
        assert "row 21" in sentence
        assert "quote" in sentence

    def test_a_quote_that_is_never_closed_is_named(self):
        sentence = refused(lambda: read_file(b'a,b\n1,2\n3,"4\n5,6\n7,8\n', "f.csv"))
        assert "row 2" in sentence
        assert "quote" in sentence

    def test_cells_over_several_lines_are_read_and_told(self):
        file = read_file(b'score,comment\n0.5,"called,\nno answer"\n0.25,ok\n', "f.csv")
        assert file.frame["comment"].tolist() == ["called,\nno answer", "ok"]
        assert file.notes == ("1 cell holds line ends: 3 lines are 2 rows.",)

    def test_what_is_missing_at_the_end_of_a_row_is_blank_and_told(self):
        file = read_file(b'a,b,c\n1,"x, y",3\n4\n7,z\n', "f.csv")
        assert file.frame.astype(object).where(file.frame.notna(), None).to_numpy().tolist() == [
            [1, "x, y", 3.0],
            [4, None, None],
            [7, "z", None],
        ]
        assert file.notes == (
            "2 rows (first: row 2) have fewer cells than the header; what is missing at their end counts as blank.",
        )

    def test_a_row_that_is_too_wide_is_named(self):
        sentence = refused(lambda: read_file(b"a,b\n" + b"1,2\n" * 5_000 + b"1,2,3\n1\n", "f.csv"))
        assert "row 5,001 has 3 cells where the header has 2" in sentence

    @pytest.mark.slow
    def test_long_texts_are_refused_with_their_place(self):
        read_file(b"a,b\n1,x\n2," + b"y" * 32_767 + b"\n", "f.csv")
        sentence = refused(lambda: read_file(b"a,b\n1,x\n2," + b"y" * 32_768 + b"\n", "f.csv"))
        assert "Column 'b' holds a text of 32,768 characters in row 2" in sentence
        data = b"a,b\n" + b"1,x\n" * 100_000 + b"2," + b"y" * 2**23 + b"\n"
        assert "row 100,001 is longer than any row" in refused(lambda: read_file(data, "f.csv"))


class TestEncodings:
    def test_windows_1252_is_read_and_told(self):
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

    def test_a_character_over_two_blocks_is_read(self, monkeypatch):
        monkeypatch.setattr("multiloss_core.tables.reading.text_encoding.BLOCK", 7)
        rows = ["ääää€€€€𝄞𝄞"] * 10
        for encoding in ("utf-8", "utf-16"):
            assert read_table("\n".join(["a", *rows]).encode(encoding), "f.csv")["a"].tolist() == rows

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


def test_identifiers_countries_and_ratings_stay_what_they_are():
    data = b"case,country,rating,long,score\n00042,NA,None,1234567890123456789,0.5\n00043,GB,N/A,,0.25\n"
    frame = read_table(data, "f.csv")
    assert frame["case"].tolist() == ["00042", "00043"]
    assert frame["country"].tolist() == ["NA", "GB"]
    assert frame["rating"].tolist() == ["None", "N/A"]
    assert frame["long"][0] == "1234567890123456789"
    assert frame["long"].isna().tolist() == [False, True]
