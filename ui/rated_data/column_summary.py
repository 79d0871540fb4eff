"""What the columns were taken for, in words: sentences, a table of all columns, and the click that confirms them."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.formatting import plural, shortened
from ui.data.rated_datasets import ColumnChoice, RatedSource
from ui.data.rated_workspace import confirm, needs_answers
from ui.rated_data.rating_meanings import ratings_of
from ui.shared.formatting import as_text

EXAMPLES = 3
MAX_COLUMNS = 200
ROLE_WORDS = {
    "rating": "Rating",
    "weight": "Weight",
    "group": "Group",
    "amount": "Amount",
    "time": "Time",
    "segment": "Segment",
}


def show_rating_words(source: RatedSource, choice: ColumnChoice) -> None:
    """Say which rows are fraud, which are not, and which are not known yet."""
    if choice.is_counts or choice.rating is None or not choice.meanings:
        return
    rows, column = ratings_of(source.fingerprint[:12], choice.rating, source.frame), as_text(shortened(choice.rating))
    blank = len(source.frame) - sum(rows.values())
    parts = []
    for meaning, words in (("positive", "fraud"), ("negative", "not fraud"), ("undecided", "not known yet")):
        values = [value for value, found in choice.meanings if found == meaning]
        total = sum(rows.get(value, 0) for value in values) + (blank if meaning == "undecided" else 0)
        if total:
            named = [f"*{as_text(shortened(value))}*" for value in values]
            named += ["blank"] if meaning == "undecided" and blank else []
            parts.append(f"**{plural(total, 'row')} {'is' if total == 1 else 'are'} {words}** ({', '.join(named)})")
    st.markdown(f"By *{column}*: {'; '.join(parts)}.")


def confirm_columns(source: RatedSource) -> None:
    """Draw the one click that takes the columns as they are and goes on to the operating point."""
    right = "These columns are right: choose the operating point"
    words = right if needs_answers(source) else "Choose the operating point"
    if st.button(words, key="confirm_columns", type="primary", icon=":material/arrow_forward:"):
        confirm(source)
        st.switch_page("pages/operating_point.py")


def show_column_table(source: RatedSource, choice: ColumnChoice) -> None:
    """List each column with what it is read as, why, and examples of its cells."""
    guess = source.guess
    unsure = frozenset() if guess is None else guess.unsure
    reasons = {} if guess is None else guess.reasons
    rows = []
    for name in map(str, source.frame.columns[:MAX_COLUMNS]):
        role, label = _role_of(name, choice)
        rows.append(
            {
                "Column": shortened(name),
                "Read as": label,
                "How sure": "please check" if role in unsure else ("sure" if role else ""),
                "Why": reasons.get(role, "") if role else "",
                "Examples": " · ".join(_examples(source.frame[name])),
            }
        )
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=min(420, 38 + 35 * len(rows)),
        alt=f"Each column of {source.name} with what it is read as.",
    )


def _role_of(name: str, choice: ColumnChoice) -> tuple[str, str]:
    """Return the role that a column has, empty for none, and how the screen names it."""
    for score in choice.scores:
        if score in (name, f"minus {name}"):
            return "scores", "Score" if score == name else "Score, turned (low is suspicious)"
    for role, label in ROLE_WORDS.items():
        column = getattr(choice, role)
        if column in (name, f"1 / {name}"):
            return role, label if column == name else f"{label} (1 / rate)"
    return "", "not used"


def _examples(column: "pd.Series[Any]") -> list[str]:
    known = column.dropna()
    distinct = known.drop_duplicates().head(EXAMPLES)
    return [shortened(f"{cell:.10g}" if isinstance(cell, float | np.floating) else str(cell), 30) for cell in distinct]


def show_reading_notes(source: RatedSource) -> None:
    """Say what was noticed while the file was read."""
    for note in source.notes:
        st.caption(f":material/info: {as_text(note)}")
