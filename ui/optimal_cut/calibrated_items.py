"""The same items with probabilities corrected on their outcomes, and what that changes on held-out labels."""

from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import ScoredItems
from multiloss_core.formatting import plural
from multiloss_core.losses import CALIBRATIONS, cross_fitted, observed_loss
from ui.data.scored_datasets import ScoredDataset
from ui.optimal_cut.cuts_compared import answer
from ui.shared.loss_picker import named_loss

FOLDS = 5
NO_CALIBRATION = "none"
KINDS = MappingProxyType({NO_CALIBRATION: "none", "isotonic": "isotonic", "platt": "Platt"})


class HeldOut(NamedTuple):
    """What the optimal cut of the labelled items comes to."""

    flagged: int
    expected_positives: float
    expected_loss: float
    observed_loss: float


def why_not_calibrated(dataset: ScoredDataset) -> str:
    """Say why these items cannot be calibrated; empty where they can."""
    if dataset.items.labels is None:
        return (
            "Not offered: it is fitted to outcomes, and none are known. Choose the column with the outcomes (labels)."
        )
    positives, known = int(dataset.items.known_labels.sum()), dataset.items.known_labels.size
    if min(positives, known - positives) < FOLDS:
        return f"Not offered: it needs {FOLDS} known positives and {FOLDS} known negatives."
    return ""


def calibrated_items(dataset: ScoredDataset, kind: str) -> ScoredDataset:
    """Give each labelled item a probability that its own outcome had no part in, and the others that of all labels."""
    return dataset if kind == NO_CALIBRATION else _calibrated(dataset.key, kind, dataset)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Calibrating the probabilities …")
def _calibrated(key: str, kind: str, _dataset: ScoredDataset) -> ScoredDataset:
    items = _dataset.items
    known = items.known_probabilities, items.known_labels
    labelled = np.asarray(items.labelled)
    probabilities = np.empty(items.probabilities.size)
    # The same folds every time: a figure must not change because the page ran again.
    probabilities[labelled] = cross_fitted(*known, FOLDS, np.random.default_rng(0), kind)
    if not labelled.all():
        probabilities[~labelled] = CALIBRATIONS[kind](*known).apply(items.probabilities[~labelled])
    return replace(
        _dataset,
        key=f"{key} {kind}",
        items=ScoredItems(probabilities, items.labels, items.labelled),
        # Isotonic maps have level parts: there the given probabilities say more.
        order=np.lexsort((-items.probabilities, -probabilities)),
        calibration=KINDS[kind],
    )


def show_effect(given: ScoredDataset, calibrated: ScoredDataset, choice: str, beta: float, at_least: int) -> None:
    """Set the optimal cut of the labelled items as given beside that of the calibrated ones."""
    known = given.items.known_labels
    rows = {
        "as given": held_out(given, choice, beta, at_least),
        f"calibrated ({calibrated.calibration})": held_out(calibrated, choice, beta, at_least),
    }
    name = named_loss(choice, beta).name
    st.markdown(f"**What calibration changes**, on {plural(known.size, 'labelled item')}")
    st.dataframe(
        pd.DataFrame(
            {
                "Probabilities": list(rows),
                "Items flagged": [row.flagged for row in rows.values()],
                "Expected positives": [row.expected_positives for row in rows.values()],
                "Positives found": int(known.sum()),
                f"Expected {name} loss": [row.expected_loss for row in rows.values()],
                f"Observed {name} loss": [row.observed_loss for row in rows.values()],
            }
        ),
        hide_index=True,
        alt="The optimal cut of the labelled items with the probabilities as given and calibrated.",
        column_config={
            "Items flagged": st.column_config.NumberColumn(format="localized"),
            "Expected positives": st.column_config.NumberColumn(format="%.1f"),
            "Positives found": st.column_config.NumberColumn(format="localized"),
            f"Expected {name} loss": st.column_config.NumberColumn(format="%.4f"),
            f"Observed {name} loss": st.column_config.NumberColumn(format="%.4f"),
        },
    )
    st.caption(
        f"In {FOLDS} folds, the same at every visit: each labelled item is calibrated by the outcomes of the other "
        "folds. Items without an outcome are calibrated by all of them."
    )


def held_out(dataset: ScoredDataset, choice: str, beta: float, at_least: int) -> HeldOut:
    """Cut the labelled items of a dataset, and look at their outcomes. Raises DataError as `answer` does."""
    labelled = _labelled_only(dataset)
    items = labelled.items
    optimum = answer(labelled, choice, beta, min(at_least, items.probabilities.size)).optimum
    flagged = np.zeros(items.probabilities.size, dtype=bool)
    flagged[labelled.order[: optimum.k]] = True
    observed = observed_loss(flagged, items.known_labels, named_loss(choice, beta))
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
