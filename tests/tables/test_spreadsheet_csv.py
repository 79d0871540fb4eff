import io

import numpy as np
import pandas as pd

from multiloss_core.tables import frame_as_csv

FORMULAS = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1", "-inf", "+cmd", "\tx", "\rx", "-", "-١"]
NUMBERS = ["-0.5", "+7", "-1e-5", "+.5", "-3."]


def read(text):
    return pd.read_csv(io.StringIO(text, newline=""), dtype=str, keep_default_na=False)


def test_no_cell_name_or_label_starts_a_formula():
    plain = ["x", "1-1", "a=b", "", "5", "é", '"q", ', "a\rb", *NUMBERS]
    frame = pd.DataFrame({"=name": FORMULAS, "plain": plain, "number": range(-6, 7)})
    for kind in (object, "category", "string"):
        shown = read(frame_as_csv(frame.astype({"=name": kind}), "=row"))
        assert list(shown.columns) == ["'=row", "'=name", "plain", "number"]
        assert shown["'=name"].tolist() == [f"'{cell}" for cell in FORMULAS]
        assert shown["plain"].tolist() == frame["plain"].tolist()
        assert shown["number"].tolist() == [str(n) for n in range(-6, 7)]
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
    assert shown.iloc[0].tolist() == ["2026-01-31", "-0.1234567890123", "True", "-5"]
    assert shown.iloc[1].tolist() == ["", "", "", ""]


def test_selected_rows_come_back_as_they_were():
    table = pd.DataFrame(
        {
            "item": ["a", "b, c", 'say "hi"', "ü"],
            "p": [0.1, 1 / 3, 5e-324, 1.0],
            "customer": [123456789012, None, 7, 8],
            "change": [-1.5, 2.0, -3.25, 4.0],
        }
    )
    read = pd.read_csv(io.StringIO(frame_as_csv(table, rows=np.array([1, 2, 3]))))
    pd.testing.assert_frame_equal(read, table.iloc[[1, 2, 3]].reset_index(drop=True))
    assert ",7,-3.25\r\n" in frame_as_csv(table, rows=np.array([2]))
    assert frame_as_csv(table[["item", "p"]], rows=np.array([], dtype=np.intp)) == "item,p\r\n"


def test_no_part_after_another_separator_starts_a_formula():
    for separator in (";", "\t", "|", "\n"):
        for formula in ("=1+1", " @SUM(A1)", '"=1', "-2+3", "＝1", "+cmd"):
            frame = pd.DataFrame({"a": [f"x{separator}{formula}{separator}y"], f"n{separator}{formula}": ["z"]})
            shown = read(frame_as_csv(frame))
            assert shown["a"].tolist() == [f"x{separator}'{formula}{separator}y"]
            assert list(shown.columns) == ["a", f"n{separator}'{formula}"]
        plain = f"x{separator}-5{separator}+1.5"
        assert read(frame_as_csv(pd.DataFrame({"a": [plain]})))["a"].tolist() == [plain]
