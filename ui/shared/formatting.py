"""Vocabulary, Markdown escaping and tables of numbers for the screen."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import Unit
from multiloss_core.formatting import FRAUD as WORDS_FOR_FRAUD
from multiloss_core.formatting import (
    UNDEFINED,
    Vocabulary,
    as_markdown,
    score_name,
    score_threshold,
    share_digits,
    shortened,
    threshold,
)
from multiloss_core.tables import without_formula, without_formulas

FRAUD = WORDS_FOR_FRAUD
ALERTS = replace(FRAUD, document="alert", documents="alerts")

# Streamlit also renders :icons:, :colour[directives], images and links.
_IN_STREAMLIT = "():!"
# Where browsers' Markdown detects addresses, even after backslashes, and the invisible character that prevents it.
_ADDRESS, _JOINED = re.compile(r":(?=//)|www(?=\.)|(?<=\w)(?=@)", re.IGNORECASE), "\N{WORD JOINER}"
# Names need no escaping where they begin with a letter or a plain word and have underscores inside words only.
_PLAIN_NAME = re.compile(r"(?:[^\W\d_]|[^\W_]+(?=[ _,'%/-]))(?:[^\W_]|[ .,'%/()+=…-]|(?<=\w)_(?=\w))*")
# Characters of a name in a label or a sentence.
LONG_NAME = 80
# All digits of a number: "plain" shows 76.38 as 76.38000000000001.
EXACT = "%.16g"
LOW, HIGH = "95 % from", "95 % to"


def vocabulary() -> Vocabulary:
    """Return the words of all screens: the rows of rated data are alerts, its positives fraud."""
    return ALERTS


def unrated() -> str:
    """Return the noun for unrated documents, which are no alerts."""
    return FRAUD.documents


def as_text(text: str) -> str:
    """Escape text as one line of Markdown without links."""
    return as_markdown(without_links(text), also=_IN_STREAMLIT)


def without_links(text: str) -> str:
    """Insert invisible characters into addresses, so that they do not become links."""
    return _ADDRESS.sub(f"\\g<0>{_JOINED}", text)


def as_label(text: str) -> str:
    """Escape text for the label of a widget.

    Plain names stay unescaped, because screen readers read backslashes aloud.
    """
    return text if _PLAIN_NAME.fullmatch(text) and "www." not in text.lower() else as_text(text)


def named_floors(names: Sequence[str], floors: Iterable[float]) -> str:
    """Write the rating floor of each score as one line of Markdown."""
    shown = map(score_threshold, names, floors)
    return ", ".join(f"*{as_text(shortened(score_name(name)))}* {one}" for name, one in zip(names, shown, strict=True))


@dataclass(frozen=True)
class NumberKind:
    """The format of a column of numbers: Streamlit's format, after rounding with `digits`."""

    format: str
    digits: Callable[[float], float] = float


COUNT, MONEY = (NumberKind("localized", unit.rounded) for unit in Unit)
WHOLE = NumberKind("localized", lambda value: round(value, 0))
# Streamlit shows at most two decimals of a percentage.
SHARE = NumberKind("percent")
PERCENT = NumberKind("percent", lambda value: round(value, 3))
BOUND = NumberKind("percent", lambda value: round(value, 2))
# Of numbers in percent that may be very small.
FINE_PERCENT = NumberKind("%.3g %%")
THRESHOLD, AREA, RATIO = NumberKind(EXACT), NumberKind("%.4f"), NumberKind("%.3g")
COUNTED = {Unit.DOCUMENTS: COUNT, Unit.MONEY: MONEY}
ESTIMATED = {Unit.DOCUMENTS: WHOLE, Unit.MONEY: MONEY}


def rounded_share(value: float | None, out_of: float) -> float:
    """Round a share to the digits that its base supports; NaN for None."""
    return float("nan") if value is None else round(value, 2 + share_digits(out_of))


def show_numbers(
    rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, NumberKind], *, alt: str, **options: Any
) -> None:
    """Show a table whose columns in `kinds` sort and download as numbers; NaN is undefined.

    A column of thresholds with an infinite one is text: never.
    """
    # Plain Python is faster than pandas for few rows.
    columns: dict[str, list[Any]] = {name: [] for row in rows for name in row}
    config = {}
    for name, column in columns.items():
        column.extend(row.get(name, math.nan) for row in rows)
        if (kind := kinds.get(name)) is None:
            continue
        numbers = [math.nan if cell is None else float(cell) for cell in column]
        if kind is THRESHOLD and any(map(math.isinf, numbers)):
            column[:] = map(threshold, numbers)
        else:
            column[:] = [number if math.isnan(number) else kind.digits(number) for number in numbers]
            config[name] = st.column_config.NumberColumn(format=kind.format)
    table = pd.DataFrame(columns)
    show_table(table, hide_index=True, placeholder=UNDEFINED, column_config=config, alt=alt, **options)


def show_table(table: pd.DataFrame, *, column_config: Mapping[str, Any] | None = None, **options: Any) -> None:
    """Show a table with untrusted text, so that no downloaded cell starts a formula."""
    config = {without_formula(name): column for name, column in (column_config or {}).items()}
    st.dataframe(without_formulas(table), column_config=config, **options)
