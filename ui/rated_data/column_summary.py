"""What the columns were taken for, in words: sentences, a table of all columns, and the click that confirms them."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.formatting import MINUS, count, score_name, shortened
from ui.data.rated_datasets import ColumnChoice, RatedSource
from ui.data.rated_workspace import confirm, needs_answers
from ui.rated_data.rating_meanings import ratings_of, written_words
from ui.shared.formatting import as_text, show_table
from ui.shared.page_setup import theme

EXAMPLES = 3
MAX_COLUMNS = 200
# In pixels, and how many letters of a reason one line holds. Streamlit breaks lines in rows above 64 pixels.
WIDTHS, LETTERS_OF_A_LINE = {"Why": 420, "Examples": 220}, 60
ONE_LINE, TWO_LINES, MOST_HEIGHT = 35, 72, 480
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
    rows, column = ratings_of(source, choice.rating), as_text(shortened(choice.rating))
    written = written_words(source, choice.rating)
    blank = source.rows - sum(rows.values())
    parts = []
    for meaning, words in (("positive", "fraud"), ("negative", "not fraud"), ("undecided", "not known yet")):
        values = [value for value, found in choice.meanings if found == meaning]
        total = sum(rows.get(value, 0) for value in values) + (blank if meaning == "undecided" else 0)
        if total:
            named = [f"*{as_text(shortened(written.get(value, value)))}*" for value in values]
            named += ["blank"] if meaning == "undecided" and blank else []
            parts.append(f"**{count(total)} {words}** ({', '.join(named)})")
    st.markdown(f"*{column}*: {' · '.join(parts)}")
    for name in choice.scores:
        if name.startswith(MINUS):
            words = as_text(shortened(score_name(name)))
            st.caption(
                f":material/swap_vert: Low values of *{words}* are suspicious: alerts are at or below its threshold."
            )


def confirm_columns(source: RatedSource) -> None:
    """Draw the one click that takes the columns as they are, then the ways on."""
    with st.container(key="way_on", horizontal=True, vertical_alignment="center"):
        if needs_answers(source):
            st.button(
                "These columns are right",
                key="confirm_columns",
                type="primary",
                icon=":material/check:",
                on_click=confirm,
                args=(source,),
            )
        else:
            st.html(_as_main_button(".st-key-decide a"))
            with st.container(key="decide", width="content"):
                st.page_link("pages/decision_sheet.py", label="Decide", icon=":material/arrow_forward:")
            st.page_link(
                "pages/operating_point.py", label="Choose the operating point", icon=":material/tune:", width="content"
            )


def _as_main_button(link: str) -> str:
    """Style a link as the main button: the way on is what most people want next, and a button would lose the URL."""
    back, front = (st.get_option(f"theme.{theme()}.{part}") for part in ("primaryColor", "backgroundColor"))
    words = f"{link} * {{ color: {front} !important; }}"
    return f"<style>{link} {{ background: {back}; padding: .4rem .9rem; }} {words}</style>"


def show_column_table(source: RatedSource, choice: ColumnChoice) -> None:
    """List each column with what it is read as, why, and examples of its cells."""
    guess = source.guess
    unsure = frozenset() if guess is None else guess.unsure
    reasons, unused = ({}, {}) if guess is None else (guess.reasons, guess.unused)
    in_doubt = "please check" if needs_answers(source) else "confirmed"
    rows = []
    for name in map(str, source.frame.columns[:MAX_COLUMNS]):
        role, label = _role_of(name, choice)
        doubtful = unsure & ({"rating", "meanings"} if role == "rating" else {role})
        rows.append(
            {
                "Column": shortened(name),
                "Read as": label,
                "How sure": in_doubt if doubtful else ("sure" if role else ""),
                "Why": unused.get(name, "")
                if not role
                else ""
                if doubtful and not needs_answers(source)
                else "; ".join(reasons[found] for found in sorted(doubtful) or [role] if found in reasons),
                "Examples": " · ".join(_examples(source.frame[name])),
            }
        )
    height = ONE_LINE if all(len(row["Why"]) <= LETTERS_OF_A_LINE for row in rows) else TWO_LINES
    show_table(
        pd.DataFrame(rows),
        hide_index=True,
        height=min(MOST_HEIGHT, 38 + height * len(rows)),
        row_height=height,
        column_config={name: st.column_config.TextColumn(width=width) for name, width in WIDTHS.items()},
        alt=f"Each column of {source.name} with what it is read as.",
    )


def _role_of(name: str, choice: ColumnChoice) -> tuple[str, str]:
    """Return the role that a column has, empty for none, and how the screen names it."""
    for score in choice.scores:
        if score_name(score) == name:
            return "scores", "Score" if score == name else "Score, low is suspicious"
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
