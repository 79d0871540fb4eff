"""The cost of a threshold of 0.5 beside the optimal cut, with the curve and a download."""

import math
from collections.abc import Callable
from types import MappingProxyType

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from multiloss_core import AUC, LOSSES, DataError, F
from multiloss_core.datasets import ScoredDataset
from multiloss_core.figures import CurveMark, Theme, loss_curve
from multiloss_core.formatting import count, plural, short_loss, short_percent, threshold
from multiloss_core.losses import SEPARABLE, CutInterval
from multiloss_core.tables import frame_as_csv
from ui.data.rated import rated_uploads
from ui.optimal_cut.choices import LossChoice, ask_part
from ui.optimal_cut.comparison import Answer, Cut, answer, interval_of
from ui.shared.choices import HIGHEST, LOWEST, STEP
from ui.shared.formatting import AREA, COUNT, EXACT, NumberKind, as_text, show_numbers
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import show_chart

SYMBOLS = MappingProxyType({"optimum k*": "star", "threshold 0.5": "circle", "tuned threshold": "diamond"})
# Smaller differences are rounding.
SAME = 5e-7


def introduction() -> None:
    """Show the title and the question that the page answers."""
    st.title("Optimal cut")
    st.markdown("How many of the most probable items should be flagged? Each loss has one best number, *k\\**.")


def answered(dataset: ScoredDataset, asked: LossChoice) -> Answer | None:
    """Find the optimal cut of the chosen loss; return None after showing a warning without one."""
    try:
        return answer(dataset, asked.loss, asked.at_least)
    except DataError as error:
        st.warning(f"{as_text(str(error))} The cuts of the other losses are below.", icon=":material/info:")
        return None


def show_answer(dataset: ScoredDataset, found: Answer, given: ScoredDataset) -> None:
    """Show the cost of a threshold of 0.5, k* in one sentence, the cuts and their curve.

    `given`: the items with the probabilities of the file.
    """
    words, chart = st.columns([4, 5], gap="large")
    with words:
        with st.container(key="cut_cost"):
            st.metric(f"{found.loss_name} loss of a threshold of 0.5, beside the best cut", _cost(found))
        st.subheader(_headline(dataset, found), anchor=False)
        _show_ties(dataset, found.optimum)
        if dataset.calibration:
            st.caption(f"With calibrated probabilities ({dataset.calibration}), not with those of the file.")
        _explain_exceptions(dataset, found)
        _show_cuts(dataset, found)
        with st.container(horizontal=True):
            if found.optimum.k:
                _offer_download(dataset, found.optimum)
            for way in found.ways:
                _link_to_operating_point(dataset, way)
    with chart:
        # Last, as it takes longest.
        _show_curve(dataset, found, interval_of(given, found))


def _cost(found: Answer) -> str:
    """Write the extra loss of a threshold of 0.5."""
    way, optimum = found.at_half, found.optimum
    if abs(way.worse) < SAME:
        return "the same"
    if way.worse < 0:
        return f"{short_loss(-way.worse)} less"
    if optimum.expected_loss > 1e-9 and way.worse < 10 * optimum.expected_loss:
        return f"{short_percent(way.worse / optimum.expected_loss)} more"
    return f"{short_loss(way.worse)} more"


def _headline(dataset: ScoredDataset, found: Answer) -> str:
    optimum = found.optimum
    if optimum.k == 0:
        return f"Under {found.loss_name}, flagging **nothing** is best."
    probability = "calibrated probability" if dataset.calibration else "probability"
    reach = (
        f"down to a {probability} of {threshold(optimum.threshold)}"
        if optimum.left_out
        else f"those with a {probability} of {threshold(optimum.printed)} or more"
    )
    n = plural(dataset.items.probabilities.size, "item")
    return f"Under {found.loss_name}, flag the **{count(optimum.k)}** most probable of {n}: {reach}."


def _explain_exceptions(dataset: ScoredDataset, found: Answer) -> None:
    """Explain a binding minimum, flagging nothing, and losses that need no search."""
    _explain_minimum(dataset, found)
    if found.loss in SEPARABLE:
        st.info(
            f"{found.loss_name} decides every item by itself: flagging it lowers the expected loss exactly where its "
            f"probability is above 1/2. That holds for {plural(found.free_k, 'item')}."
            + " The loss of every cut shown rounds to 1: some item is almost surely wrong."
            * (found.optimum.expected_loss >= 0.99995),
            icon=":material/info:",
        )
    if found.loss == AUC:
        st.info(
            "AUC counts only pairs in which the negative is flagged and the positive is not. Flagging nothing makes "
            "no such mistake, so AUC cannot choose a cut. With half a mistake for each pair treated alike, it "
            "becomes AM.",
            icon=":material/info:",
        )


def _explain_minimum(dataset: ScoredDataset, found: Answer) -> None:
    """Explain the effect of the minimum number, and why flagging nothing may be best."""
    optimum, losses, free = found.optimum, np.asarray(found.curve.values), found.free_k
    sentences = []
    has_rates = found.loss != AUC and (isinstance(found.loss, F) or found.loss in LOSSES.values())
    if not free and has_rates:
        items = dataset.items.probabilities
        none = float(np.prod(1.0 - items))
        sentences.append(
            f"With {items.sum():,.3g} expected positives there is none in {short_percent(none)} of the outcomes. "
            "Flagging nothing is flawless then, because a rate over nothing (0/0) counts as 1."
        )
    if free < found.at_least:
        alone = f"; best, without a minimum: {short_loss(losses[free])}, for {plural(free, 'item')}" * (free > 0)
        sentences.append(
            f"You asked to flag at least {count(found.at_least)}. Expected loss: {short_loss(optimum.expected_loss)}; "
            f"of flagging nothing: {short_loss(losses[0])}{alone}."
        )
    elif not free and has_rates:
        sentences.append("To see the best cut that flags something, set *Flag at least* to 1.")
    if sentences:
        st.info(" ".join(sentences), icon=":material/info:")


def _show_cuts(dataset: ScoredDataset, found: Answer) -> None:
    """Compare the optimum with constant thresholds."""
    observed = {way.name: way.observed for way in found.ways if not math.isnan(way.observed)}
    show_numbers(
        [
            {"Cut": way.name, "Items": way.k, "From": way.printed, "Expected loss": way.expected_loss}
            | ({"Observed loss": way.observed} if observed else {})
            for way in found.ways
        ],
        {"Items": COUNT, "From": NumberKind(EXACT), **dict.fromkeys(("Expected loss", "Observed loss"), AREA)},
        alt="Items flagged and losses of the optimum and of constant thresholds.",
    )
    if found.tuned is None:
        st.caption(found.why_not_tuned)


def _link_to_operating_point(dataset: ScoredDataset, way: Cut) -> None:
    """Link to the operating point of the same rated file at the marginal precision of a cut."""
    same = rated_name(dataset)
    if same is None or math.isnan(way.threshold):
        return
    percent = STEP * round(100 * way.threshold / STEP)
    if not LOWEST <= percent <= HIGHEST:
        st.caption(f"The {way.name} lies outside the slider of the operating point, {LOWEST:g} % to {HIGHEST:g} %.")
        return
    st.page_link(
        "pages/operating_point.py",
        label=f"Operating point at {percent:g} %",
        icon=":material/tune:",
        query_params={"m": f"{percent:g}", **rated_uploads().in_address(same)},
        help=f"Of the {way.name}: cutting where the probability is c is the operating point at marginal precision c, "
        f"because of the items at the cut a share c is positive. The slider there moves in steps of {STEP:g} %.",
    )


def rated_name(dataset: ScoredDataset) -> str | None:
    """Return the name of the same file among the rated data, or None."""
    items = session().scored.sources.get(dataset.name)
    if items is None:
        return None
    rated = session().rated.sources.items()
    return next((name for name, source in rated if source.fingerprint == items.fingerprint), None)


def _show_ties(dataset: ScoredDataset, optimum: Cut) -> None:
    if optimum.left_out:
        st.caption(
            f"{plural(optimum.left_out, 'more item', 'have')} exactly the "
            "probability of the last one flagged; of equal ones, "
            + ("those given the highest" if dataset.calibration else "the first in the file")
            + " are flagged."
        )


def _offer_download(dataset: ScoredDataset, optimum: Cut) -> None:
    part = f"-{dataset.calibration.lower()}" if dataset.calibration else ""
    offer_csv(
        plural(optimum.k, "selected item"),
        lambda: frame_as_csv(with_calibrated(dataset), rows=np.flatnonzero(dataset.flagged(optimum.k))),
        f"selected-items{part}.csv",
        key="cut_download",
    )


def offer_csv(things: str, make: Callable[[], str], name: str, *, key: str) -> None:
    """Offer a download of rows, made at the click: writing a million of them takes seconds."""
    st.download_button(
        f"Download the {things} (CSV)",
        make,
        name,
        "text/csv",
        key=key,
        icon=":material/download:",
        on_click="ignore",
        help="In file order, with all columns, a calibrated probability last. Text that looks like a formula gets a "
        "leading apostrophe.",
    )


def with_calibrated(dataset: ScoredDataset) -> pd.DataFrame:
    """Return the rows of the file, with any calibrated probabilities in a last column."""
    if not dataset.calibration:
        return dataset.frame
    name = f"calibrated probability ({dataset.calibration})"
    while name in dataset.frame.columns:
        name += " 2"
    return dataset.frame.assign(**{name: dataset.items.probabilities})


def _show_curve(dataset: ScoredDataset, found: Answer, interval: CutInterval | None) -> None:
    """Draw the expected loss of every cut, with the compared ones and the interval of k*."""
    n = dataset.items.probabilities.size
    near = min(n, max(20, 3 * max(way.k for way in found.ways)))
    whole = near == n or ask_part() == "all cuts"
    show_chart(
        _curve(dataset.key, repr(found.loss), found.at_least, theme(), None if whole else near, interval, found),
        key="cut_curve",
        alt=f"The expected {found.loss_name} loss by how many items are flagged. The smallest is "
        f"{short_loss(found.optimum.expected_loss)}, at k = {found.optimum.k:,}."
        + (f" The interval of k* goes from {interval.low:,} to {interval.high:,}." if interval else ""),
    )
    if interval is None:
        return
    st.caption(
        f"Between *k* = {count(interval.low)} and {count(interval.high)} nothing is known to differ: 95 % interval of "
        f"the true *k\\** from {count(interval.outcomes)} known outcomes.",
        help="From calibrations on resampled outcomes. It assumes that positives are not rarer at higher probabilities "
        f"and that {'groups' if dataset.items.groups is not None else 'outcomes'} are independent.",
    )
    if not interval.covers(found.optimum.k):
        st.warning(
            f"The outcomes contradict *k\\** = {count(found.optimum.k)}: it lies outside this interval. "
            + ("Try the other calibration." if dataset.calibration else "Calibrate the probabilities in *Settings*."),
            icon=":material/warning:",
        )


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _curve(
    key: str, about: str, at_least: int, shade: Theme, most: int | None, interval: CutInterval | None, _found: Answer
) -> go.Figure:
    marks = [CurveMark(way.name, way.k, SYMBOLS[way.name]) for way in _found.ways]
    ends = None if interval is None else (interval.low, interval.high)
    return loss_curve(
        _found.curve.values, marks, loss_name=_found.loss_name, theme=shade, height=520, most=most, interval=ends
    )
