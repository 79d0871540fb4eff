"""Read stored results of the experiments, and open their scores on other pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from experiments.files import RESULTS, read_results
from multiloss_core import DataError
from multiloss_core.datasets import RatedSource, read_scored_source
from multiloss_core.engines import read_rated_source
from multiloss_core.figures import printed_beside_found
from multiloss_core.formatting import plural
from multiloss_core.tables import ColumnMeanings
from ui.data.rated import rated_uploads
from ui.data.scored import scored_uploads
from ui.shared.formatting import as_text
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart

SCORES, RATED = "natarajan_scores_{}", "robles"
# Sets with a licence that allows storing their scores: CC BY 4.0 at UCI.
OPEN_SETS = ("breast", "spambase", "letters")


def results(name: str) -> dict[str, Any] | None:
    """Return stored results by name; show the reason and return None if they are missing."""
    try:
        return _read(name)
    except DataError as error:
        st.info(as_text(str(error)), icon=":material/science:")
        return None


@st.cache_data(show_spinner=False)
def _read(name: str) -> dict[str, Any]:
    return read_results(name)


def show_origin(held: Mapping[str, Any]) -> None:
    """Show the date, versions and settings of results."""
    versions = ", ".join(f"{package} {number}" for package, number in held["versions"].items())
    settings = ", ".join(f"{key} {value}" for key, value in held["settings"].items())
    st.caption(as_text(f"Run on {held['date']} with {versions}; {settings}."))


def draw_cells(key: str, rows: Sequence[str], values: pd.DataFrame, title: str, measure: str) -> None:
    """Draw printed and found figures: columns printed, found, low and high, and floor if known."""
    figure = printed_beside_found(
        rows,
        *(values[name].astype(float) for name in values),
        title=f"{title}: printed and found here",
        measure=f"{measure} (0 to 1)",
        theme=theme(),
    )
    alt = f"{title} in each row: printed, and found here with its 95 % interval."
    show_chart(figure, key=key, alt=alt)


def show_compared(rows: Iterable[Mapping[str, Any]], numbers: Iterable[str], alt: str) -> None:
    """Show printed figures beside those found here."""
    number = st.column_config.NumberColumn
    formats = {**dict.fromkeys(numbers, number(format="%.3f")), "Here less printed": number(format="%+.3f")}
    st.dataframe(pd.DataFrame(list(map(dict, rows))), hide_index=True, placeholder="", column_config=formats, alt=alt)


def offer_scores() -> None:
    """Offer the stored probabilities and outcomes of a set for the page on the optimal cut."""
    st.markdown("**Open scores of a set in Optimal cut**")
    with st.container(horizontal=True):
        for one in filter(None, (results(SCORES.format(key)) for key in OPEN_SETS)):
            asked = st.button(
                f"{one['set']} ({plural(len(one['labels']), 'item')})",
                key=f"open_{one['set']}",
                icon=":material/content_cut:",
                help=f"Probabilities of test items; positives: {one['positive']}. UCI, CC BY 4.0.",
            )
            if asked:
                _open_scores(one)


def _open_scores(one: dict[str, Any]) -> None:
    table = pd.DataFrame({"probability": one["probabilities"], "outcome": one["labels"]})
    name = f"{one['set'].lower()} ({one['positive']}).csv"
    complaint = scored_uploads().take(lambda: read_scored_source(table.to_csv(index=False).encode(), name))
    if complaint is not None:
        st.error(as_text(complaint), icon=":material/error:")
        return
    st.switch_page("pages/optimal_cut.py")


def offer_rated(held: Mapping[str, Any]) -> None:
    """Offer the stored rated rows of bank marketing for the operating point."""
    rated = held["rated"]
    asked = st.button(
        "Open bank marketing in Operating point",
        icon=":material/tune:",
        help=f"Two scores of {rated['kind']} and the rating, of rows at or above a floor. {rated['source']}.",
    )
    if asked:
        complaint = rated_uploads().take(lambda: _rated_source(rated))
        if complaint is not None:
            st.error(as_text(complaint), icon=":material/error:")
            return
        st.switch_page("pages/operating_point.py")


def _rated_source(rated: dict[str, Any]) -> RatedSource:
    """Read the stored rows with the roles of their columns."""
    source = read_rated_source((RESULTS / rated["file"]).read_bytes(), "bank marketing.csv")
    *scores, rating = map(str, source.frame.columns)
    choice = ColumnMeanings(
        scores=tuple(scores),
        rating=rating,
        meanings=(("0", "negative"), ("1", "positive")),
        floors=tuple(rated["floors"]),
    )
    return replace(source, first_choice=choice, guess=None)
