"""How far the probabilities can be believed, as far as labels tell."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from multiloss_core.figures import Theme, reliability_chart
from multiloss_core.formatting import count, plural
from multiloss_core.losses import Reliability
from ui.data.scored_datasets import ScoredDataset
from ui.optimal_cut.cuts_compared import reliability_of
from ui.shared.page_setup import theme

RELIABILITY = "Expected and observed share of positives"
# Half of the items below this: linear axes would show them all in one corner.
RARE = 0.05


def show_calibration(dataset: ScoredDataset, used: ScoredDataset) -> None:
    """Compare expected with observed shares of positives, where outcomes are known; `used` may be calibrated."""
    st.subheader("Can the probabilities be believed?", anchor=False)
    st.markdown(
        "The answer is only as good as the probabilities: *k\\** is best when, of all items given 30 %, about 30 % are "
        "positive.",
        width=860,
    )
    if dataset.items.labels is None:
        st.info(
            "Without outcomes this cannot be checked. Choose a column with outcomes (labels) to see expected against "
            "observed shares.",
            icon=":material/visibility_off:",
        )
        return
    found = reliability_of(dataset)
    if not used.calibration:
        _show_conclusion(found)
        logarithmic = _ask_logarithmic(found)
        chart, table = st.columns([3, 2])
        with chart:
            _show_chart(dataset, found, logarithmic)
        with table:
            _show_groups(found)
        return
    logarithmic = _ask_logarithmic(found)
    both = (("As given", dataset), (f"Calibrated ({used.calibration}), on held-out outcomes", used))
    for place, (title, shown) in zip(st.columns(2, gap="medium"), both, strict=True):
        with place:
            st.markdown(f"**{title}**")
            _show_conclusion(reliability_of(shown))
            _show_chart(shown, reliability_of(shown), logarithmic)
            _show_groups(reliability_of(shown))


def _show_conclusion(found: Reliability) -> None:
    (st.warning if found.is_doubtful else st.success)(
        _conclusion(found), icon=":material/warning:" if found.is_doubtful else ":material/check:"
    )


def _show_chart(dataset: ScoredDataset, found: Reliability, logarithmic: bool) -> None:
    st.plotly_chart(
        _figure(dataset.key, dataset.calibration, theme(), logarithmic, found),
        theme=None,
        key="cut_reliability_calibrated" if dataset.calibration else "cut_reliability",
        alt=f"Observed share of positives against the mean {'calibrated ' if dataset.calibration else ''}probability "
        f"in {found.items.size} groups of items; {int(found.outside.sum())} of the intervals miss the line where the "
        "two are equal.",
    )


def _conclusion(found: Reliability) -> str:
    promised, observed = found.expected_positives, found.observed_positives
    facts = (
        f"Among {plural(int(found.items.sum()), 'labelled item')} the probabilities add up to {promised:,.1f} expected "
        f"positives; "
        f"{count(observed)} {'was' if observed == 1 else 'were'} found."
    )
    outside, groups = int(found.outside.sum()), found.items.size
    if not found.is_doubtful:
        return f"{facts} Chance alone explains differences like these."
    return (
        f"{facts} In {outside} of {plural(groups, 'group')} what was expected lies outside the 95 % interval, more "
        "than chance explains: correct (calibrate) the probabilities before relying on these cuts."
    )


def _ask_logarithmic(found: Reliability) -> bool:
    axes = st.segmented_control(
        "Axes",
        ["automatic axes", "linear", "logarithmic"],
        default="automatic axes",
        required=True,
        key="cut_axes",
        bind="query-params",
        label_visibility="collapsed",
    )
    rare = float(found.promised[found.promised.size // 2]) < RARE
    return axes == "logarithmic" or (axes != "linear" and rare)


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
def _figure(key: str, calibration: str, shade: Theme, logarithmic: bool, _found: Reliability) -> go.Figure:
    title = f"Expected and observed share, {calibration}" if calibration else RELIABILITY
    return reliability_chart(_found, theme=shade, logarithmic=logarithmic, title=title)


def _show_groups(found: Reliability) -> None:
    formats = {"Items": "localized", "Expected positives": "%.1f", "Observed": "localized"}
    columns = zip(formats, (found.items, found.promised * found.items, found.positives), strict=True)
    st.dataframe(
        pd.DataFrame(dict(columns)),
        hide_index=True,
        height=360,
        column_config={name: st.column_config.NumberColumn(format=shown) for name, shown in formats.items()},
        alt="Expected and observed positives of each group.",
    )
    st.caption("From the least to the most probable group; bars in the chart are 95 % intervals (Wilson).")
