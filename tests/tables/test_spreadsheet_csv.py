import io

import pandas as pd
import pytest

from multiloss_core.tables.spreadsheet_csv import frame_as_csv

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1"]


def read(text):
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def test_no_cell_no_column_name_and_no_index_label_starts_a_formula():
    frame = pd.DataFrame(
        {"=name": FORMULAS, "plain": ["x", "1-1", "a=b", "", "5", "é", '"q", '], "number": range(-3, 4)}
    )
    for kind in (object, "category", "string"):
        shown = read(frame_as_csv(frame.astype({"=name": kind}), "=row"))
        assert list(shown.columns) == ["'=row", "'=name", "plain", "number"]
        assert shown["'=name"].tolist() == [f"'{cell}" for cell in FORMULAS]
        assert shown["plain"].tolist() == frame["plain"].tolist()
        assert shown["number"].tolist() == [str(n) for n in range(-3, 4)]
    assert list(read(frame_as_csv(frame)).columns) == ["'=name", "plain", "number"]


def test_other_values_are_written_as_they_are():
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime(["2026-01-31", None]),
            "score": [-0.1234567890123, float("nan")],
            "known": pd.array([True, None], dtype="boolean"),
            "mixed": [-5, None],
        }
    )
    shown = read(frame_as_csv(frame))
    assert shown.iloc[0].tolist() == ["2026-01-31", "-0.1234567890123", "True", "-5.0"]
    assert shown.iloc[1].tolist() == ["", "", "", ""]


def test_the_table_itself_stays_as_it_is():
    frame = pd.DataFrame({"=a": ["=1"]})
    frame_as_csv(frame)
    assert frame.to_dict("list") == {"=a": ["=1"]}


@pytest.mark.parametrize("rows", [0, 1])
def test_repeated_column_names_and_no_rows_are_no_trouble(rows):
    frame = pd.DataFrame([["=1", "=2"]] * rows, columns=["a", "a"])
    assert frame_as_csv(frame) == "a,a\n" + "'=1,'=2\n" * rows
