"""Ask for the meanings of ratings, and to confirm the columns."""

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import RatedSource
from multiloss_core.formatting import count, plural, shortened
from multiloss_core.tables import Meaning, guess_meanings, values_and_blanks
from ui.data.engine_connections import ratings_in_engine
from ui.data.rated import confirm, needs_answers, written_words
from ui.shared.choices import choose
from ui.shared.formatting import as_label, as_text

MAX_VALUES = 30
WORDS: dict[Meaning, str] = {"positive": "fraud", "negative": "not fraud", "undecided": "undecided"}


def ask_meanings(
    source: RatedSource, column: str, known: dict[str, Meaning | None]
) -> tuple[tuple[str, Meaning | None], ...]:
    """Ask for the meaning of each rating, at first the known one. Blank ones are undecided.

    Of a column of too many different values nothing is asked, and nothing returned.
    """
    try:
        values, tag = _ratings_of(source, column), source.fingerprint[:12]
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return ()
    if len(values) > MAX_VALUES:
        st.warning(
            f"'{as_text(column)}' holds {len(values):,} different values, too many for a rating (at most "
            f"{MAX_VALUES}); choose another column."
        )
        return ()
    guessed = guess_meanings([*values], column) | known
    written = written_words(source, column)
    st.caption("What each rating means. What is *undecided* stays an alert, but is neither right nor wrong.")
    found = tuple(
        (value, _ask_meaning(written.get(value, value), rows, guessed.get(value), meaning_key(column, value, tag)))
        for value, rows in values.items()
    )
    _ask_the_rest(column, tag, [value for value, meaning in found if meaning is None])
    return found


def _ask_the_rest(column: str, tag: str, still_open: list[str]) -> None:
    """Show the number of ratings without a meaning; offer to map all to negative."""
    if not still_open:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":orange[:material/help: {plural(len(still_open), 'rating')} without a meaning: choose one each.]")
        st.button(
            f"Everything else: {WORDS['negative']}",
            key=f"rest_{column}_{tag}",
            on_click=_take_for_negative,
            args=([meaning_key(column, value, tag) for value in still_open],),
        )


def _take_for_negative(keys: list[str]) -> None:
    for key in keys:
        choose(key, "negative")


def meaning_key(column: str, value: str, tag: str) -> str:
    """Name the widget that asks for the meaning of a rating."""
    return f"meaning_{column}_{value}_{tag}"


def _ask_meaning(word: str, rows: int, guess: Meaning | None, key: str) -> Meaning | None:
    name, answer = st.columns([2, 3], vertical_alignment="center")
    name.markdown(f"**{as_text(shortened(word))}** · {count(rows)}")
    return answer.segmented_control(
        f"What '{as_label(shortened(word))}' means",
        list(WORDS),
        default=guess,
        # A click on the answer that is chosen must not undo it.
        required=True,
        format_func=lambda meaning: WORDS.get(meaning, meaning),
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )


def _ratings_of(source: RatedSource, column: str) -> dict[str, int]:
    """Count the rows of each rating; of a sample, their engine counts all rows.

    Raises DataError where their engine cannot be asked or finds too many different values.
    """
    if source.is_sample:
        return ratings_in_engine(source, column)
    return _ratings_of_frame(source.fingerprint, column, source.frame)


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _ratings_of_frame(fingerprint: str, column: str, _frame: pd.DataFrame) -> dict[str, int]:
    codes, values = values_and_blanks(_frame[column])
    return dict(zip(values, np.bincount(codes[codes >= 0], minlength=len(values)).tolist(), strict=True))


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
            # Drawn like a main button (ui/style.css): a real one would lose the URL.
            with st.container(key="decide", width="content"):
                st.page_link("pages/decision_sheet.py", label="Decide", icon=":material/arrow_forward:")
            st.page_link("pages/operating_point.py", label="Operating point", icon=":material/tune:", width="content")


def show_reading_notes(source: RatedSource) -> None:
    """Show the notes of reading the file."""
    for note in source.notes:
        st.caption(f":material/info: {as_text(note)}")
