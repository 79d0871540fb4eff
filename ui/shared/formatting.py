"""The words for positives and rows, text for the screen (nothing in it is Markdown), and tables of numbers."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from multiloss_core import Unit
from multiloss_core.formatting import FRAUD as WORDS_FOR_FRAUD
from multiloss_core.formatting import UNDEFINED, Vocabulary, as_markdown, share_digits, threshold
from multiloss_core.tables import without_formula, without_formulas
from ui.shared.session import session

FRAUD = WORDS_FOR_FRAUD
# What a row of the rated data may be called; "alert" is taken: what a point flags.
NOUNS = ("document", "case", "transaction", "account", "message", "claim")
# Under this key the noun is remembered, in the visit and in the browser, among what columns mean.
NOUN = "noun"

# Streamlit reads :icons: and :colour[directives]; it shows pictures and links that Markdown files may hold.
_IN_STREAMLIT = "():!"
# Where browsers' Markdown finds an address, also behind backslashes, and the invisible sign that keeps it from it.
_ADDRESS, _JOINED = re.compile(r":(?=//)|www(?=\.)|(?<=\w)(?=@)", re.IGNORECASE), "\N{WORD JOINER}"
# Words with one sign between two of them: nothing in it is Markdown.
_PLAIN_NAME = re.compile(r"[^\W_]+(?:[ _.,'%/-][^\W_]+)*")
# Letters of a name that may be long, in a label or a sentence.
LONG_NAME = 80


def noun() -> str:
    """Return what the reader calls a row of the rated data."""
    # A browser may remember anything.
    said = session().rated.remembered.get(NOUN)
    return said if said in NOUNS else NOUNS[0]


def vocabulary() -> Vocabulary:
    """Return the words of the application, with the noun that the reader chose."""
    return FRAUD.calling_rows(noun())


def as_text(text: str) -> str:
    """Write text in which nothing is Markdown, on one line; addresses do not become links."""
    return as_markdown(without_links(text), also=_IN_STREAMLIT)


def without_links(text: str) -> str:
    """Keep addresses in a text from becoming links, by signs between their letters that nobody sees."""
    return _ADDRESS.sub(f"\\g<0>{_JOINED}", text)


def as_label(text: str) -> str:
    """Write text for the label of a widget, in which nothing is Markdown.

    Screen readers read a label as it is written: a plain name stays as it is, without backslashes.
    """
    return text if _PLAIN_NAME.fullmatch(text) and "www." not in text.lower() else as_text(text)


@dataclass(frozen=True)
class NumberKind:
    """How the numbers of a column are shown: Streamlit's format, after `digits` has rounded them."""

    format: str
    digits: Callable[[float], float] = float


COUNT, MONEY = (NumberKind("localized", unit.rounded) for unit in Unit)
WHOLE = NumberKind("localized", lambda value: round(value, 0))
# Streamlit shows as many decimals of a percentage as there are, two at most.
SHARE = NumberKind("percent")
PERCENT = NumberKind("percent", lambda value: round(value, 3))
BOUND = NumberKind("percent", lambda value: round(value, 2))
# All digits of a number: "plain" shows 76.38 as 76.38000000000001.
EXACT = "%.16g"
THRESHOLD, AREA, RATIO = NumberKind(EXACT), NumberKind("%.4f"), NumberKind("%.3g")
COUNTED = {Unit.DOCUMENTS: COUNT, Unit.MONEY: MONEY}
ESTIMATED = {Unit.DOCUMENTS: WHOLE, Unit.MONEY: MONEY}
LOW, HIGH = "95 % from", "95 % to"


def rounded_share(value: float | None, out_of: float) -> float:
    """Round a share to the digits that its base supports; NaN for None."""
    return float("nan") if value is None else round(value, 2 + share_digits(out_of))


def show_numbers(
    rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, NumberKind], *, alt: str, **options: Any
) -> None:
    """Show a table whose columns of `kinds`, where it has them, sort and download as numbers; NaN is undefined.

    Thresholds are words where one of a column is infinite: never.
    """
    # Column by column in plain Python: for so few rows, pandas takes four times as long.
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
    """Show a table in which somebody else's words may stand: no cell starts a formula where it is downloaded."""
    config = {without_formula(name): column for name, column in (column_config or {}).items()}
    st.dataframe(without_formulas(table), column_config=config, **options)
