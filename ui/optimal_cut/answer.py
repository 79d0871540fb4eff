"""The optimal cut under one loss, beside constant thresholds, with its curve and a download."""

import math
from types import MappingProxyType

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from multiloss_core import AUC, LOSSES, DataError, F
from multiloss_core.datasets import ScoredDataset
from multiloss_core.figures import CurveMark, Theme, loss_curve
from multiloss_core.formatting import count, plural, short_percent, threshold
from multiloss_core.losses import SEPARABLE, SUBSET_0_1, CutInterval, promised_counts
from multiloss_core.tables import frame_as_csv
from ui.data.rated import rated_uploads
from ui.optimal_cut.choices import LossChoice
from ui.optimal_cut.comparison import Answer, Cut, answer
from ui.shared.choices import HIGHEST, LOWEST, STEP, in_url
from ui.shared.formatting import as_text
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import lesson_plan, show_formula, shown_when_open

SYMBOLS = MappingProxyType({"optimum k*": "star", "threshold 0.5": "circle", "tuned threshold": "diamond"})


def introduction() -> None:
    """Show the title and the question that the page answers."""
    st.title("Optimal cut")
    st.markdown(
        "Items with a probability each: how many of the most probable ones should be flagged? For each loss there is "
        "one best number *k\\**, and it seldom is where the probability passes 0.5. A simulated sample is loaded; "
        "bring your own items any time.",
        width=860,
    )
    shown_when_open("A lesson of 50 minutes with these pages", key="lesson", icon=":material/school:")(lesson_plan)()


def answered(dataset: ScoredDataset, asked: LossChoice) -> Answer | None:
    """Find the optimal cut of the chosen loss; return None after showing a warning without one."""
    try:
        return answer(dataset, asked.loss, asked.at_least)
    except DataError as error:
        st.warning(f"{as_text(str(error))} The cuts of the other losses are below.", icon=":material/info:")
        return None


def show_loss(dataset: ScoredDataset, asked: LossChoice, found: Answer | None) -> None:
    """Show the formula of the loss, with the expected counts of the optimum."""
    if found is None or asked.loss == SUBSET_0_1:
        show_formula(asked.loss)
        return
    optimum = found.optimum
    about = (
        f"The formula at the mean counts of the optimum, {plural(optimum.k, 'item')} flagged. The expected loss is "
        f"{optimum.expected_loss:.4f}, the mean over all outcomes. With few items the two differ."
    )
    show_formula(asked.loss, promised_counts(dataset.items.probabilities, dataset.flagged(optimum.k)), about)


def show_answer(dataset: ScoredDataset, found: Answer) -> None:
    """Show k* in one sentence, compare the cuts, and offer the selected rows."""
    optimum, n = found.optimum, dataset.items.probabilities.size
    if optimum.k == 0:
        sentence = f"Under {found.loss_name}, flagging **nothing** is best."
    else:
        reach = _reach(dataset, optimum) if optimum.left_out else f"those with {_reach(dataset, optimum)}"
        sentence = (
            f"Under {found.loss_name}, flag the **{count(optimum.k)}** most probable of {plural(n, 'item')}: {reach}."
        )
    st.subheader(sentence, anchor=False)
    _show_ties(dataset, optimum)
    if dataset.calibration:
        st.caption(f"With calibrated probabilities ({dataset.calibration}), not with those of the file.")
    _show_least(dataset, found)
    if found.loss in SEPARABLE:
        st.info(
            f"{found.loss_name} decides every item by itself: flagging it lowers the expected loss exactly where its "
            f"probability is above 1/2. That holds for {plural(found.free_k, 'item')}."
            + " The loss of every cut shown rounds to 1: some item is almost surely wrong."
            * (optimum.expected_loss >= 0.99995),
            icon=":material/info:",
        )
    if found.loss == AUC:
        st.info(
            "AUC counts only pairs in which the negative is flagged and the positive is not. Flagging nothing makes "
            "no such mistake, so AUC cannot choose a cut. With half a mistake for each pair treated alike, it "
            "becomes AM.",
            icon=":material/info:",
        )
    tuning = (
        "The threshold with the smallest loss on a random half of the labelled items, always the same half. It is then "
        "used for all items, and judged on the other half."
    )
    ways = (
        ("**Optimum, k\\***", None, optimum),
        ("**Constant threshold 0.5**", None, found.at_half),
        ("**Tuned constant threshold**", tuning, found.tuned),
    )
    for place, (title, hint, way) in zip(st.columns(3), ways, strict=True):
        with place.container(border=True, height="stretch"):
            st.markdown(title, help=hint)
            if way is None:
                st.markdown(found.why_not_tuned)
            else:
                _show_cut(dataset, found, way)
    st.caption(_how_known(dataset, found))
    if optimum.k:
        _offer_download(dataset, optimum)


def _show_least(dataset: ScoredDataset, found: Answer) -> None:
    """Explain the effect of the minimum number, and why flagging nothing may be best."""
    optimum, losses = found.optimum, np.asarray(found.curve.values)
    free = found.free_k
    if free and free >= found.at_least:
        return
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
        alone = "" if free == 0 else f"; best, without a minimum: {losses[free]:.4f}, for {plural(free, 'item')}"
        sentences.append(
            f"You asked to flag at least {count(found.at_least)}. Expected loss: {optimum.expected_loss:.4f}; of "
            f"flagging nothing: {losses[0]:.4f}{alone}."
        )
    elif has_rates:
        sentences.append("To see the best cut that flags something, set *Flag at least* to 1.")
    if sentences:
        st.info(" ".join(sentences), icon=":material/info:")


def _show_cut(dataset: ScoredDataset, found: Answer, way: Cut) -> None:
    n = dataset.items.probabilities.size
    flagged, expected = st.columns(2)
    flagged.metric("Items flagged (k)", count(way.k), help=f"{100 * way.k / n:.3g} % of {plural(n, 'item')}.")
    expected.metric("Expected loss", f"{way.expected_loss:.4f}", help="Lower is better.")
    nothing = math.isnan(way.threshold)
    judged = f"Observed loss on {count((~dataset.tuning).sum())} labelled items: {way.observed:.4f}"
    lines = (
        "" if way is found.optimum else f"**{_worse(way, found)}**",
        "Nothing is flagged, so there is no cut." if nothing else f"Flags {_reach(dataset, way)}",
        "" if math.isnan(way.observed) else judged,
        "" if nothing else f"Marginal precision at this cut: **{short_percent(way.threshold)}**",
    )
    st.markdown("  \n".join(filter(None, lines)))
    if not nothing:
        _link_to_operating_point(dataset, way)


def _worse(way: Cut, found: Answer) -> str:
    optimum = found.optimum
    if way.worse < -5e-7:
        return f"Better by {-way.worse:.2g}, with fewer than the minimum of {count(found.at_least)}"
    if way.worse < 5e-7:
        return "As good as the optimum"
    relative = f" ({100 * way.worse / optimum.expected_loss:.2g} %)" if optimum.expected_loss > 1e-9 else ""
    difference = f"{way.worse:.4f}" if way.worse >= 0.001 else f"{way.worse:.2g}"
    return f"Worse than the optimum by {difference}{relative}"


def _link_to_operating_point(dataset: ScoredDataset, way: Cut) -> None:
    """Link to the operating point of the same rated file at the marginal precision of a cut."""
    same = rated_name(dataset)
    if same is None:
        return
    percent = STEP * round(100 * way.threshold / STEP)
    if not LOWEST <= percent <= HIGHEST:
        st.caption(f"This cut lies outside the slider of the operating point, {LOWEST:g} % to {HIGHEST:g} %.")
        return
    st.page_link(
        "pages/operating_point.py",
        label=f"Operating point at {percent:g} %",
        icon=":material/tune:",
        query_params={"m": f"{percent:g}", **rated_uploads().in_address(same)},
        help="Cutting where the probability is c is the operating point at marginal precision c: of the items at the "
        f"cut, a share c is positive. The slider there moves in steps of {STEP:g} %.",
    )


def rated_name(dataset: ScoredDataset) -> str | None:
    """Return the name of the same file among the rated data, or None."""
    items = session().scored.sources.get(dataset.name)
    if items is None:
        return None
    rated = session().rated.sources.items()
    return next((name for name, source in rated if source.fingerprint == items.fingerprint), None)


def _reach(dataset: ScoredDataset, way: Cut) -> str:
    """Describe the flagged range of probabilities."""
    probability = "calibrated probability" if dataset.calibration else "probability"
    if way.left_out:
        return f"down to a {probability} of {threshold(way.threshold)}"
    return f"a {probability} of {threshold(way.printed)} or more"


def _show_ties(dataset: ScoredDataset, optimum: Cut) -> None:
    if optimum.left_out:
        st.caption(
            f"{plural(optimum.left_out, 'more item', 'have')} exactly the "
            "probability of the last one flagged; of equal ones, "
            + ("those given the highest" if dataset.calibration else "the first in the file")
            + " are flagged."
        )


def _how_known(dataset: ScoredDataset, found: Answer) -> str:
    error = found.curve.error_bound
    proven = "exact up to rounding" if error == 0 else f"proven to within {error:.1g}"
    tuned, judged_on = "", count((~dataset.tuning).sum())
    if found.tuned is not None:
        tuned = (
            f" The threshold was tuned on a fixed random half of {count(dataset.tuning.sum())} labelled items; the "
            f"observed losses are those of the other {judged_on}."
        )
    elif dataset.items.labels is not None:
        tuned = f" The observed losses are those of a fixed random sample of {judged_on} labelled items."
    chance = ""
    if any(way.observed < found.optimum.observed for way in found.ways):
        chance = (
            " Another cut may have a smaller observed loss: the optimum is best on the mean over all outcomes, and "
            "these are one draw. A large difference indicates wrong probabilities."
        )
    return (
        f"Expected losses are {proven} (method: {found.curve.method.replace('_', '-')}), for independent outcomes that "
        f"have these probabilities.{tuned}{chance}"
    )


def _offer_download(dataset: ScoredDataset, optimum: Cut) -> None:
    part = f"-{dataset.calibration.lower()}" if dataset.calibration else ""
    st.download_button(
        f"Download the {plural(optimum.k, 'selected item')} (CSV)",
        # Deferred to the click: writing a million rows takes seconds.
        lambda: frame_as_csv(with_calibrated(dataset), rows=np.flatnonzero(dataset.flagged(optimum.k))),
        f"selected-items{part}.csv",
        "text/csv",
        key="cut_download",
        icon=":material/download:",
        on_click="ignore",
        help="The rows of the optimum, in file order, with all columns. Text that looks like a formula gets a leading "
        "apostrophe." + (" The last column holds the calibrated probability." if dataset.calibration else ""),
    )


def with_calibrated(dataset: ScoredDataset) -> pd.DataFrame:
    """Return the rows of the file, with any calibrated probabilities in a last column."""
    if not dataset.calibration:
        return dataset.frame
    name = f"calibrated probability ({dataset.calibration})"
    while name in dataset.frame.columns:
        name += " 2"
    return dataset.frame.assign(**{name: dataset.items.probabilities})


def show_curve(dataset: ScoredDataset, found: Answer, interval: CutInterval | None) -> None:
    """Draw the expected loss of every cut, with the compared ones and the interval of k*."""
    n = dataset.items.probabilities.size
    near = min(n, max(20, 3 * max(way.k for way in found.ways)))
    whole = near == n or _ask_part() == "all cuts"
    st.plotly_chart(
        _curve(dataset.key, repr(found.loss), found.at_least, theme(), None if whole else near, interval, found),
        theme=None,
        key="cut_curve",
        alt=f"The expected {found.loss_name} loss by how many items are flagged. The smallest is "
        f"{found.optimum.expected_loss:.4f}, at k = {found.optimum.k:,}."
        + (f" The interval of k* goes from {interval.low:,} to {interval.high:,}." if interval else ""),
    )
    if interval is not None:
        _show_interval(dataset, found, interval)


def _show_interval(dataset: ScoredDataset, found: Answer, interval: CutInterval) -> None:
    """Describe the interval of k* in a sentence, with a warning if it leaves out the optimum."""
    between = f"Between *k* = {count(interval.low)} and {count(interval.high)} nothing is known to differ"
    st.caption(
        f"{between}: {count(interval.outcomes)} known outcomes leave the *k\\** of the true probabilities open there "
        "(95 % interval, from calibrations on resampled outcomes). It assumes that positives are not rarer at higher "
        f"probabilities, and that {'groups' if dataset.items.groups is not None else 'outcomes'} are independent.",
        width=860,
    )
    if not interval.covers(found.optimum.k):
        st.warning(
            f"The outcomes contradict *k\\** = {count(found.optimum.k)}: it lies outside this interval. "
            + ("Try the other calibration." if dataset.calibration else "Calibrate the probabilities first."),
            icon=":material/warning:",
        )


def _ask_part() -> str:
    return st.segmented_control(
        "Part of the curve",
        ["around the cuts", "all cuts"],
        default="around the cuts",
        required=True,
        **in_url("cut_part"),
        label_visibility="collapsed",
    )


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _curve(
    key: str, about: str, at_least: int, shade: Theme, most: int | None, interval: CutInterval | None, _found: Answer
) -> go.Figure:
    marks = [CurveMark(way.name, way.k, SYMBOLS[way.name]) for way in _found.ways]
    ends = None if interval is None else (interval.low, interval.high)
    return loss_curve(
        _found.curve.values, marks, loss_name=_found.loss_name, theme=shade, height=460, most=most, interval=ends
    )
