"""Calibrate probabilities on labelled items and show the effect."""

from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from multiloss_core import DataError, ScoredItems
from multiloss_core.datasets import ScoredDataset
from multiloss_core.figures import Theme, reliability_chart
from multiloss_core.formatting import count, plural
from multiloss_core.losses import CALIBRATIONS, Loss, Reliability, cross_fitted, observed_loss
from ui.optimal_cut.comparison import answer, reliability_of
from ui.shared.choices import in_url
from ui.shared.formatting import AREA, COUNT, NumberKind, as_text, show_numbers
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart

FOLDS = 5
NO_CALIBRATION = "none"
KINDS = MappingProxyType({NO_CALIBRATION: "none", "isotonic": "isotonic", "platt": "Platt"})
RELIABILITY = "Expected and observed share of positives"
# Half of the items below this: linear axes would show them all in one corner.
RARE = 0.05


class HeldOut(NamedTuple):
    """The counts and losses of the optimal cut of the labelled items."""

    flagged: int
    expected_positives: float
    expected_loss: float
    observed_loss: float


def why_not_calibrated(dataset: ScoredDataset) -> str:
    """Explain why these items cannot be calibrated; return an empty text if they can."""
    if dataset.items.labels is None:
        return "Calibration needs known outcomes. Choose the column with the outcomes (labels)."
    positives, known = int(dataset.items.known_labels.sum()), dataset.items.known_labels.size
    if min(positives, known - positives) < FOLDS:
        return f"Calibration needs {FOLDS} known positives and {FOLDS} known negatives."
    return ""


def calibrated_items(dataset: ScoredDataset, kind: str) -> ScoredDataset:
    """Calibrate probabilities: of labelled items on other folds, of others on all labels."""
    return dataset if kind == NO_CALIBRATION else _calibrated(dataset.key, kind, dataset)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Calibrating the probabilities …")
def _calibrated(key: str, kind: str, _dataset: ScoredDataset) -> ScoredDataset:
    items = _dataset.items
    known = items.known_probabilities, items.known_labels
    labelled = np.asarray(items.labelled)
    probabilities = np.empty(items.probabilities.size)
    # A fixed seed: numbers must not change between runs of the page.
    probabilities[labelled] = cross_fitted(*known, FOLDS, np.random.default_rng(0), kind)
    if not labelled.all():
        probabilities[~labelled] = CALIBRATIONS[kind](*known).apply(items.probabilities[~labelled])
    return replace(
        _dataset,
        key=f"{key} {kind}",
        items=ScoredItems(probabilities, items.labels, items.labelled),
        # Isotonic maps have constant parts: the given probabilities break their ties.
        order=np.lexsort((-items.probabilities, -probabilities)),
        calibration=KINDS[kind],
    )


def show_effect(given: ScoredDataset, calibrated: ScoredDataset, loss: Loss, at_least: int) -> None:
    """Compare the optimal cut of the labelled items before and after calibration."""
    known = given.items.known_labels
    both = {"as given": given, f"calibrated ({calibrated.calibration})": calibrated}
    try:
        rows = {name: held_out(dataset, loss, at_least) for name, dataset in both.items()}
    except DataError as error:
        st.info(f"{as_text(str(error))} So the labelled items cannot show the effect.", icon=":material/info:")
        return
    st.markdown(f"**What calibration changes**, on {plural(known.size, 'labelled item')}")
    show_numbers(
        [
            {
                "Probabilities": name,
                "Items flagged": row.flagged,
                "Expected positives": row.expected_positives,
                "Positives found": int(known.sum()),
                f"Expected {loss.name} loss": row.expected_loss,
                f"Observed {loss.name} loss": row.observed_loss,
            }
            for name, row in rows.items()
        ],
        {
            **dict.fromkeys(("Items flagged", "Positives found"), COUNT),
            "Expected positives": NumberKind("%.1f"),
            **dict.fromkeys((f"Expected {loss.name} loss", f"Observed {loss.name} loss"), AREA),
        },
        alt="The optimal cut of the labelled items with the probabilities as given and calibrated.",
    )
    st.caption(
        f"In {FOLDS} fixed folds: each labelled item is calibrated by the outcomes of the other folds. Items without "
        "an outcome are calibrated by all outcomes."
    )


def held_out(dataset: ScoredDataset, loss: Loss, at_least: int) -> HeldOut:
    """Cut the labelled items of a dataset and count outcomes. Raises DataError as `answer`."""
    labelled = _labelled_only(dataset)
    items = labelled.items
    optimum = answer(labelled, loss, min(at_least, items.probabilities.size)).optimum
    observed = observed_loss(labelled.flagged(optimum.k), items.known_labels, loss)
    return HeldOut(optimum.k, float(items.probabilities.sum()), optimum.expected_loss, observed)


def _labelled_only(dataset: ScoredDataset) -> ScoredDataset:
    labelled = np.asarray(dataset.items.labelled)
    if labelled.all():
        return dataset
    position = np.cumsum(labelled) - 1
    return replace(
        dataset,
        key=f"{dataset.key} labelled",
        items=ScoredItems(dataset.items.known_probabilities, dataset.items.known_labels),
        order=position[dataset.order[labelled[dataset.order]]],
    )


def warn_of_doubt(used: ScoredDataset) -> None:
    """Warn of probabilities that the outcomes contradict."""
    if used.items.labels is not None and reliability_of(used).is_doubtful:
        st.warning(
            "The outcomes contradict these probabilities. See *Reliability* below, and calibrate them in *Settings*.",
            icon=":material/warning:",
        )


def show_calibration(dataset: ScoredDataset, used: ScoredDataset) -> None:
    """Compare expected with observed shares of positives; `used` may be calibrated."""
    st.markdown(
        "*k\\** is optimal only with correct probabilities: of all items given 30 %, about 30 % must be positive."
    )
    if dataset.items.labels is None:
        st.info(
            "This check needs outcomes. Choose a column with outcomes (labels) to compare expected and observed "
            "shares.",
            icon=":material/visibility_off:",
        )
        return
    logarithmic = _ask_logarithmic(reliability_of(dataset))
    shown = {"As given": dataset}
    if used.calibration:
        shown[f"Calibrated ({used.calibration}), on held-out outcomes"] = used
    places = st.columns(2, gap="medium")
    for place, (title, one) in zip(places, shown.items(), strict=False):
        with place:
            st.markdown(f"**{title}**. {_conclusion(reliability_of(one))}")
            _show_chart(one, reliability_of(one), logarithmic)
            if used.calibration:
                _show_groups(reliability_of(one))
    if not used.calibration:
        with places[1]:
            _show_groups(reliability_of(dataset))


def _show_chart(dataset: ScoredDataset, found: Reliability, logarithmic: bool) -> None:
    show_chart(
        _figure(dataset.key, dataset.calibration, theme(), logarithmic, found),
        key="cut_reliability_calibrated" if dataset.calibration else "cut_reliability",
        alt=f"Observed share of positives against the mean {'calibrated ' if dataset.calibration else ''}probability "
        f"in {found.items.size} groups of items; {int(found.outside.sum())} of the intervals miss the line where the "
        "two are equal.",
    )


def _conclusion(found: Reliability) -> str:
    promised, observed = found.expected_positives, found.observed_positives
    facts = (
        f"Among {plural(int(found.items.sum()), 'labelled item')} the probabilities add up to {promised:,.1f} expected "
        f"positives; {count(observed)} {'was' if observed == 1 else 'were'} found."
    )
    outside, groups = int(found.outside.sum()), found.items.size
    if not found.is_doubtful:
        return f"{facts} Chance alone explains differences like these."
    return (
        f"{facts} In {outside} of {plural(groups, 'group')} the expected share lies outside the 95 % interval, more "
        "often than chance explains: calibrate the probabilities before using these cuts."
    )


def _ask_logarithmic(found: Reliability) -> bool:
    axes = st.segmented_control(
        "Axes",
        ["automatic axes", "linear", "logarithmic"],
        default="automatic axes",
        required=True,
        **in_url("cut_axes"),
        label_visibility="collapsed",
    )
    rare = float(found.promised[found.promised.size // 2]) < RARE
    return axes == "logarithmic" or (axes != "linear" and rare)


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
def _figure(key: str, calibration: str, shade: Theme, logarithmic: bool, _found: Reliability) -> go.Figure:
    title = f"Expected and observed share, {calibration}" if calibration else RELIABILITY
    return reliability_chart(_found, theme=shade, logarithmic=logarithmic, title=title)


def _show_groups(found: Reliability) -> None:
    show_numbers(
        [
            {"Items": items, "Expected positives": promised * items, "Observed": positives}
            for items, promised, positives in zip(found.items, found.promised, found.positives, strict=True)
        ],
        {"Items": COUNT, "Expected positives": NumberKind("%.1f"), "Observed": COUNT},
        alt="Expected and observed positives of each group.",
        height=360,
    )
    st.caption("From the least to the most probable group; bars in the chart are 95 % intervals (Wilson).")
