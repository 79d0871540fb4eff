import io
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from multiloss_core import DataError, RatedDocuments, read_table
from multiloss_core.tables import guess_columns, is_count_table
from multiloss_core.tables.reading import limits

ROWS = [(0.5, 12.25, "fraud"), (0.75, 3.0, "ok"), (0.125, 7.5, "fraud")]


def rows_of(frame):
    return list(frame.itertuples(index=False, name=None))


def text(separator=",", decimal="."):
    lines = [separator.join(["a", "b", "rating"])]
    for a, b, rating in ROWS:
        lines.append(separator.join([str(a).replace(".", decimal), str(b).replace(".", decimal), rating]))
    return "\n".join(lines) + "\n"


def as_parquet(table, **options):
    stream = io.BytesIO()
    parquet.write_table(table, stream, **options)
    return stream.getvalue()


class TestText:
    @pytest.mark.parametrize(
        "data",
        [
            text().encode(),
            text(";").encode(),
            text("\t").encode(),
            text("|").encode(),
            text(";", ",").encode(),
            text().encode("utf-8-sig"),
            text().encode("utf-16"),
            text(";", ",").encode("utf-16"),
            text().replace("\n", "\r\n").encode(),
            text().rstrip("\n").encode(),
        ],
        ids=["comma", "semicolon", "tab", "bar", "decimal comma", "BOM", "UTF-16", "UTF-16 comma", "CRLF", "no end"],
    )
    def test_the_usual_kinds_of_text_give_the_same_table(self, data):
        frame = read_table(data, "ratings.csv")
        assert list(frame.columns) == ["a", "b", "rating"]
        assert rows_of(frame) == ROWS


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", r"'f\.csv' is empty; choose"),
            (b"\n\n \n", r"'f\.csv' holds nothing but blank lines; choose|header but no rows"),
            (b"a,b,rating\n", r"'f\.csv' has a header but no rows; choose"),
            (b'{"a": [1, 2]}', r"'f\.csv' is not a table: it starts with '\{'; export"),
            (b'[{"a": 1}]\n', r"'f\.csv' is not a table: it starts with '\['"),
            (b"<!DOCTYPE html>\n<html></html>\n", r"'f\.csv' is not a table: it starts with '<'"),
            (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", r"'f\.csv' is not a table: row 2 holds binary data"),
            (b"a,b\n1,2\n3,\x00\n", r"'f\.csv' is not a table: row 2 holds binary data"),
            (b"a,b\n1,2\n3,4,5\n6,7\n", r"'f\.csv' is not a table: row 2 has 3 cells.*header has 2.*quote"),
            (b"a,b\n1,2,9\n3,4,9\n", r"'f\.csv' is not a table: row 1 has (more|3) cells.*2"),
            (b"a,b\n0,0.5,1\n1,0.7,0\n2,0.1,0\n", r"'f\.csv' is not a table: row 1 has (more|3) cells.*2"),
            (b"a,b\nx,0.5,1\ny,0.7,0\n", r"'f\.csv' is not a table: row 1 has (more|3) cells.*2"),
            (b"a,rating\n1,x\n2,caf\x81\n", r"'f\.csv' is not a UTF-8 text file: row 2.*'CSV UTF-8'"),
            (b"na\x9dve,rating\n1,x\n", r"'f\.csv' is not a UTF-8 text file: the header"),
        ],
    )
    def test_file_without_table_is_refused_with_its_place(self, data, message):
        with pytest.raises(DataError, match=message):
            read_table(data, "f.csv")

    def test_a_file_above_the_limit_is_refused(self, monkeypatch):
        monkeypatch.setattr(limits, "MAX_FILE_BYTES", 2**20)
        read_table(text().encode(), "f.csv")
        with pytest.raises(DataError, match=r"'f\.csv' has 2 MB, more than the limit of 1 MB; keep only"):
            read_table(b"a" * 2**21, "f.csv")

    @pytest.mark.parametrize(
        ("limit", "value"), [("MAX_ROWS", 2), ("MAX_COLUMNS", 2), ("MAX_CELLS", 8)], ids=["rows", "columns", "cells"]
    )
    @pytest.mark.parametrize("kind", ["csv", "parquet"])
    def test_too_many_rows_columns_or_cells_are_refused(self, monkeypatch, limit, value, kind):
        data = (
            text().encode() if kind == "csv" else as_parquet(pa.table({"a": [1, 2, 3], "b": [1, 2, 3], "c": [0] * 3}))
        )
        assert len(read_table(data, "f")) == 3
        monkeypatch.setattr(limits, limit, value)
        with pytest.raises(DataError, match=r"'f' has 3 rows and 3 columns; the limits are.*keep only"):
            read_table(data, "f")

    @pytest.mark.slow
    @settings(max_examples=300)
    @given(
        st.one_of(
            st.binary(max_size=60),
            st.text(alphabet='ab1,;\t|"\n\r .-{<é\x00', max_size=60).map(str.encode),
            st.binary(max_size=60).map(lambda data: b"PAR1" + data),
            st.binary(max_size=30).map(lambda data: b"\xff\xfe" + data),
        )
    )
    def test_whatever_is_uploaded_becomes_a_table_or_a_sentence(self, data):
        try:
            frame = read_table(data, "f.csv")
        except DataError:
            return
        assert len(frame) > 0
        assert len(set(frame.columns)) == frame.shape[1]
        guess_columns(frame)
        is_count_table(frame)

    @pytest.mark.slow
    @settings(max_examples=300)
    @given(
        st.lists(st.lists(st.sampled_from(["1", "2.5", "", "x", "0"]), min_size=1, max_size=4), min_size=2, max_size=5)
    )
    @example([["1", "1"], ["", "x", "x", "x"], ["1", "1", "1", "1"]])
    def test_cells_stay_below_their_header(self, lines):
        header = [f"c{j}" for j in range(len(lines[0]))]
        rows = lines[1:]
        # A comma in a file of one column is that of decimals.
        assume(len(header) > 1)
        # A line without any cell filled in may be skipped as blank.
        assume(all(any(row) for row in rows))
        data = "\n".join(",".join(row) for row in [header, *rows]).encode()
        longer = [row for row in rows if len(row) > len(header)]
        # Separators at the end of all rows are no cells.
        assume(not longer or any(any(row[len(header) :]) for row in longer))
        if longer:
            # Words in a longer row may be names below a title, of which those that occur twice are numbered.
            names = any(len(row) > len(header) and row.count("x") > 1 for row in rows)
            with suppress(DataError) if names else pytest.raises(DataError, match=r"row \d+ has"):
                read_table(data, "f.csv")
            return
        if rows and all(len(row) < len(header) for row in rows):
            # Words in a row of the usual width may be names below a title.
            names = any(row.count("x") > 1 for row in rows)
            refused = pytest.raises(DataError, match="no row has as many cells as the header")
            with suppress(DataError) if names else refused:
                read_table(data, "f.csv")
            return
        frame = read_table(data, "f.csv")
        assert list(frame.columns) == header
        for row, read in zip(rows, rows_of(frame.astype(object)), strict=True):
            padded = [*row, *[""] * (len(header) - len(row))]
            for cell, value in zip(padded, read, strict=True):
                assert pd.isna(value) if cell == "" else str(value).removesuffix(".0") == cell


class TestParquet:
    def test_a_round_trip_keeps_every_value(self):
        frame = pd.DataFrame(ROWS, columns=["a", "b", "rating"])
        read = read_table(as_parquet(pa.Table.from_pandas(frame)), "f.parquet")
        assert list(read.columns) == ["a", "b", "rating"]
        assert rows_of(read) == ROWS

    @pytest.mark.parametrize("encoded", [True, False])
    def test_words_become_ratings_however_they_are_stored(self, encoded):
        words = pa.array(["fraud", "ok", None, "fraud"])
        table = pa.table({"a": [0.5, 0.25, 0.75, 1.0], "rating": words.dictionary_encode() if encoded else words})
        documents = RatedDocuments.from_frame(read_table(as_parquet(table), "f"), ["a"], "rating")
        assert documents.labels.tolist() == [True, False, True]

    def test_a_file_that_unpacks_to_too_much_is_refused(self, monkeypatch):
        data = as_parquet(pa.table({"a": np.arange(5000.0), "rating": np.arange(5000) % 2}))
        monkeypatch.setattr(limits, "MAX_DECODED_BYTES", 20_000)
        with pytest.raises(DataError, match=r"'f' unpacks to .* more than the limit.*keep only"):
            read_table(data, "f")

    def test_promised_rows_are_refused_before_they_are_read(self, monkeypatch):
        data = as_parquet(pa.table({"a": np.zeros(100_000), "rating": np.zeros(100_000, dtype=np.int8)}))
        assert len(data) < 10_000
        monkeypatch.setattr(limits, "MAX_ROWS", 99_999)
        monkeypatch.setattr(parquet.ParquetFile, "read", lambda *_, **__: pytest.fail("the rows were decoded"))
        with pytest.raises(DataError, match=r"100,000 rows"):
            read_table(data, "f")

    def test_a_truncated_or_forged_file_is_refused(self):
        data = as_parquet(pa.table({"a": [1.0, 2.0], "rating": [0, 1]}))
        for broken in (data[:-20], data[: len(data) // 2], b"PAR1", b"PAR1 and nothing else", data[:40] + data[60:]):
            with pytest.raises(DataError, match=r"'f' starts like a Parquet file but cannot be read; save it again"):
                read_table(broken, "f")
