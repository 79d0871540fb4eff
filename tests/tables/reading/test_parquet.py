"""Parquet files of any type of column, as other programs write them."""

import io
import json
from datetime import date, datetime, time
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from multiloss_core import read_table
from multiloss_core.tables import read_file
from tests.tables.reading.test_read_file import as_parquet
from tests.tables.refusals import refused


def of_pandas(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def test_a_named_index_is_kept_and_one_without_a_name_is_not():
    frame = pd.DataFrame({"score": [0.5, 0.25]}, index=[7, 9])
    assert list(read_table(of_pandas(frame), "f").columns) == ["score"]
    read = read_table(of_pandas(frame.rename_axis("case")), "f")
    assert read[["case", "score"]].to_dict("list") == {"case": [7, 9], "score": [0.5, 0.25]}


@pytest.mark.parametrize(
    "noted",
    [b"no JSON", b"null", b"[]", b"{}", b'{"index_columns": ["gone"], "columns": 3}', b"\xff", b'{"columns": []}'],
)
def test_what_others_noted_for_pandas_is_not_looked_at(noted):
    table = pa.table({"a": [0.5, 0.25]}).replace_schema_metadata({b"pandas": noted})
    assert read_table(as_parquet(table), "f")["a"].tolist() == [0.5, 0.25]


def test_every_flat_type_is_read():
    table = pa.table(
        {
            "float16": pa.array(np.array([0.5, 0.25], np.float16)),
            "uint64": pa.array([2**63, 1], pa.uint64()),
            "long with a blank": pa.array([1234567890123456789, None], pa.int64()),
            "decimal": pa.array([Decimal("1.25"), None]),
            "date": pa.array([date(2026, 3, 14), None]),
            "moment": pa.array([datetime(2026, 3, 14, 9, 30), None]),
            "time": pa.array([time(9, 30), None]),
            "truth": pa.array([True, None]),
            "words": pa.array(["x", None], pa.large_string()),
            "views": pa.array(["x", None], pa.string_view()),
            "numbers": pa.array(["0,5", "1,25"]),
            "few": pa.array(["1.193,88", "2"]).dictionary_encode(),
            "nothing": pa.nulls(2),
        }
    )
    frame = read_table(as_parquet(table), "f")
    assert frame["uint64"].tolist() == [2**63, 1]
    assert frame["long with a blank"][0] == "1234567890123456789"
    assert frame["decimal"][0] == 1.25
    assert frame["date"][0] == pd.Timestamp("2026-03-14")
    assert frame["moment"][0] == pd.Timestamp("2026-03-14 09:30")
    assert frame["truth"][0] == "true"
    assert (frame["words"][0], frame["views"][0]) == ("x", "x")
    assert frame["numbers"].tolist() == [0.5, 1.25]
    assert frame["few"].tolist() == [1193.88, 2]
    blanks = ["long with a blank", "decimal", "date", "moment", "time", "truth", "words", "views", "nothing"]
    assert frame[blanks].isna().loc[1].all()


def test_binary_columns_are_left_out_with_a_note():
    table = pa.table({"a": [0.5], "raw": [b"\xff"], "fixed": pa.array([b"xx"], pa.binary(2)), "list": [[1]]})
    file = read_file(as_parquet(table), "f")
    assert list(file.frame.columns) == ["a"]
    assert file.notes == ("3 columns of lists, records or binary data left out.",)


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("rows", [3, 2_500])
def test_a_text_of_a_megabyte_is_refused(dictionary, rows):
    words = pa.array(["a" * 2**20, "b" * 2**20])
    codes = pa.array(np.arange(rows if dictionary else 3) % 2, pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, words)
    table = pa.table({"w": column if dictionary else column.cast(pa.string())})
    sentence = refused(lambda: read_file(as_parquet(table, use_dictionary=dictionary), "f"))
    assert "Column 'w' holds a text of 1,048,576 characters" in sentence


def written(table, **options):
    stream = io.BytesIO()
    parquet.write_table(pa.table(table), stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()])
def test_delta_encoded_text_is_read(encoding, kind):
    words = [f"rating of case {place % 7}" for place in range(1_000)]
    column = pa.array(words).cast(kind)
    data = written({"rating": column}, use_dictionary=False, column_encoding=encoding, row_group_size=300)
    assert read_table(data, "f")["rating"].tolist() == words


@pytest.mark.slow
def test_delta_encoded_text_cannot_unpack_to_too_much():
    # Each text begins with all of the one before.
    words = ["x" * 30_000 + str(place) for place in range(20_000)]
    data = written({"rating": words}, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY", write_statistics=False)
    assert len(data) < 2**22
    assert "more than the limit" in refused(lambda: read_file(data, "f"))


def test_binary_text_is_read_and_other_bytes_are_left_out():
    words = ["Fraud", "Genuine", "geprüft"]
    others = {"blob": [b"\xff\xfe\x01"] * 3, "zeros": [b"\0\0"] * 3, "long": [b"x" * 40_000] * 3}
    for kind in (pa.binary(), pa.large_binary()):
        rating = pa.array([word.encode() for word in words], kind)
        file = read_file(written({"score": [0.1, 0.2, 0.3], "rating": rating, **others}), "f")
        assert file.frame["rating"].tolist() == words
        assert list(file.frame.columns) == ["score", "rating"]
        assert file.notes == ("3 columns of lists, records or binary data left out.",)


@pytest.mark.parametrize(
    "bounds",
    [
        {"kind": "range", "name": "case", "start": 0, "stop": 10**12, "step": 1},
        {"kind": "range", "name": "score", "start": 0, "stop": 2, "step": 1},
        {"kind": "range", "name": ["case"], "start": 0, "stop": 2, "step": 1},
        {"kind": "range", "name": "case", "start": "0", "stop": 2, "step": 0},
        {"kind": "range", "name": "case", "start": 2**70, "stop": 2**70 + 2, "step": 1},
        "case",
    ],
)
def test_index_that_cannot_be_is_passed_over(bounds):
    table = pa.table({"score": [0.5, 0.25]}).replace_schema_metadata(
        {"pandas": json.dumps({"index_columns": [bounds]})}
    )
    assert list(read_table(written(table), "f").columns) == ["score"]
