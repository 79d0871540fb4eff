"""How a ready table of counts is told from a table of documents: by the names of its columns."""

import re

import pandas as pd

_THRESHOLD_NAME = re.compile(r"^(t|threshold)[\s_]?\d*$|threshold", re.I)


def is_count_table(frame: pd.DataFrame) -> bool:
    """Whether a table is ready counts (T1, T2, …, TP, FP) rather than one row for each document."""
    lower = {str(column).strip().lower() for column in frame.columns}
    return {"tp", "fp"} <= lower and bool(threshold_columns(frame))


def threshold_columns(frame: pd.DataFrame) -> list[str]:
    """The threshold columns of a count table: those named so, else every numeric column but TP and FP."""
    others = [c for c in frame.columns if str(c).strip().lower() not in {"tp", "fp"}]
    named = [c for c in others if _THRESHOLD_NAME.search(str(c).strip())]
    return named or [c for c in others if pd.api.types.is_numeric_dtype(frame[c].dtype)]
