"""Compare cuts under several losses and against a constant threshold."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import AUC, DataError, expected_losses
from multiloss_core.datasets import ScoredDataset
from multiloss_core.losses import (
    HAMMING,
    METHODS,
    SEPARABLE,
    CutInterval,
    ExpectedLosses,
    Loss,
    Reliability,
    best_k,
    cut_interval,
    items_at,
    observed_loss,
    reliability,
    scaled_tolerance,
    separable_losses,
    separable_top_k,
    shortest_threshold,
    tuned_threshold,
)
from ui.data.scored import is_built_in
from ui.shared import widgets
from ui.shared.caching import cached
from ui.shared.formatting import EXACT
from ui.shared.widgets import named_loss

# Losses of the positives only come first.
LOSS_CHOICES = tuple(sorted(widgets.LOSS_CHOICES, key=lambda choice: choice not in ("F", "Jaccard")))
HALF = 0.5
# With more items, each row takes a while.
MANY_ITEMS = 10_000
COUNTS = ("k*: items flagged", "0.5: k", "Tuned: k")


@dataclass(frozen=True, kw_only=True)
class Cut:
    """One cut: the `k` most probable items, all those at or above `threshold`.

    `threshold` is NaN where nothing is flagged, and `printed` its shortest form that flags the same. `worse`: expected
    loss above the optimum's, negative for a better cut below the minimum number. `observed`: the loss on the held-out
    labelled items, or NaN. `left_out`: unflagged items tied with the last one flagged.
    """

    name: str
    threshold: float
    printed: float
    k: int
    expected_loss: float
    worse: float
    observed: float
    left_out: int


@dataclass(frozen=True, eq=False)
class Answer:
    """The cuts of a dataset under one loss; `why_not_tuned` explains a missing one.

    `free_k`: the best number to flag without the minimum `at_least`.
    """

    loss: Loss
    at_least: int
    free_k: int
    curve: ExpectedLosses
    optimum: Cut
    at_half: Cut
    tuned: Cut | None
    why_not_tuned: str = ""

    @property
    def loss_name(self) -> str:
        """The name of the loss."""
        return self.loss.name

    @property
    def ways(self) -> tuple[Cut, ...]:
        """The available cuts, the optimum first."""
        return (self.optimum, self.at_half) if self.tuned is None else (self.optimum, self.at_half, self.tuned)


def too_many_for(loss: Loss, dataset: ScoredDataset) -> str | None:
    """Explain that a dataset has too many items for a loss; return None otherwise."""
    largest = _largest(loss)
    return f"takes at most {largest:,} items" if dataset.items.probabilities.size > largest else None


def answer(dataset: ScoredDataset, loss: Loss, at_least: int = 0) -> Answer:
    """Find the cuts of a loss with `at_least` items. Raises DataError for too many items."""
    too_many = too_many_for(loss, dataset)
    if too_many:
        n = dataset.items.probabilities.size
        raise DataError(f"{loss.name} {too_many}, and these are {n:,}; choose another loss, or fewer items.")
    # The text of a loss holds its name and coefficients.
    return _answer(dataset.key, repr(loss), at_least, dataset, loss)


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
def _answer(key: str, about: str, at_least: int, _dataset: ScoredDataset, _loss: Loss) -> Answer:
    loss, items = _loss, _dataset.items
    curve = _curve(key, about, _dataset, loss)
    k, free_k = (
        separable_top_k(items.probabilities, loss, at_least=least).k
        if loss in SEPARABLE
        else best_k(curve.values, least)
        for least in (at_least, 0)
    )
    lowest = float(items.probabilities[_dataset.order[k - 1]]) if k else np.inf

    def way(name: str, threshold: float, flagged: int) -> Cut:
        return _way(name, threshold, flagged, curve, at_least, _dataset, loss)

    optimum = way("optimum k*", lowest, k)
    at_half = way("threshold 0.5", HALF, items_at(items.probabilities, HALF))
    reason = _why_not_tuned(_dataset)
    if reason:
        return Answer(loss, at_least, free_k, curve, optimum, at_half, None, reason)
    tuned_on = items.known_probabilities[_dataset.tuning], items.known_labels[_dataset.tuning]
    threshold = tuned_threshold(*tuned_on, loss).threshold
    tuned = way("tuned threshold", threshold, items_at(items.probabilities, threshold))
    return Answer(loss, at_least, free_k, curve, optimum, at_half, tuned)


# At most eight: the curve of a million items takes 8 MB.
@st.cache_resource(scope="session", max_entries=8, show_spinner="Finding the expected loss of every cut …")
def _curve(key: str, about: str, _dataset: ScoredDataset, _loss: Loss) -> ExpectedLosses:
    probabilities = _dataset.items.probabilities
    if _loss in SEPARABLE:
        return separable_losses(probabilities, _loss)
    # Quadratic methods prove a wider bound, still far below the digits shown.
    tolerance = 1e-9 if np.isinf(_largest(_loss)) else 1e-6
    return expected_losses(probabilities, _loss, tolerance=scaled_tolerance(_loss, probabilities.size, tolerance))


def interval_of(dataset: ScoredDataset, found: Answer) -> CutInterval | None:
    """Find the interval of k* from the known outcomes; None without enough, and under AUC.

    `dataset` holds the probabilities as given: calibrated ones rank items of different folds anew.
    """
    if found.loss == AUC:
        return None
    return _interval(dataset.key, repr(found.loss), found.at_least, _dataset=dataset, _loss=found.loss)


@cached(lambda _dataset, _loss: is_built_in(_dataset), max_entries=8)
def _interval(key: str, about: str, at_least: int, _dataset: ScoredDataset, _loss: Loss) -> CutInterval | None:
    loss = HAMMING if _loss in SEPARABLE else _loss
    try:
        return cut_interval(_dataset.items, loss, np.random.default_rng(0), at_least=at_least)
    except DataError:
        return None


def _largest(loss: Loss) -> float:
    """Find the highest item limit of the methods for a loss."""
    if loss in SEPARABLE:
        return float("inf")
    return max(method.largest for method in METHODS.values() if method.takes(loss, 1))


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _reliability(key: str, _dataset: ScoredDataset) -> Reliability:
    return reliability(_dataset.items.known_probabilities, _dataset.items.known_labels)


def reliability_of(dataset: ScoredDataset) -> Reliability:
    """Compare the probabilities with the outcomes of at least one labelled item."""
    return _reliability(dataset.key, dataset)


def _way(
    name: str, threshold: float, k: int, curve: ExpectedLosses, at_least: int, dataset: ScoredDataset, loss: Loss
) -> Cut:
    probabilities, expected = dataset.items.probabilities, float(curve.values[k])
    worse = expected - float(curve.values[best_k(curve.values, at_least)])
    finite = bool(np.isfinite(threshold))
    return Cut(
        name=name,
        threshold=threshold if finite else float("nan"),
        printed=shortest_threshold(probabilities, threshold) if finite else float("nan"),
        k=k,
        expected_loss=expected,
        # Rounding within the tie rule of k* must not show a cut better than the best.
        worse=worse if k < at_least else max(worse, 0.0),
        observed=_observed(k, dataset, loss),
        left_out=items_at(probabilities, threshold) - k,
    )


def _observed(k: int, dataset: ScoredDataset, loss: Loss) -> float:
    items = dataset.items
    if items.labelled is None or dataset.tuning.all():
        return float("nan")
    return observed_loss(dataset.flagged(k)[items.labelled][~dataset.tuning], items.known_labels[~dataset.tuning], loss)


def _why_not_tuned(dataset: ScoredDataset) -> str:
    if dataset.items.labels is None:
        return (
            "Tuning a threshold needs items with known outcomes. Choose the column with the outcomes (labels), if "
            "there is one."
        )
    tuned_on = dataset.items.known_labels[dataset.tuning]
    if tuned_on.all() or not tuned_on.any():
        return f"The {tuned_on.size:,} labelled items for tuning must include both positives and negatives."
    return ""


def compare_losses(dataset: ScoredDataset, beta: float, at_least: int) -> None:
    """Show the optimal cut under each loss; with many items, row by row."""
    place, rows = st.empty(), list[dict[str, str | float | None]]()
    for choice in LOSS_CHOICES:
        loss = named_loss(choice, beta)
        try:
            rows.append(_row(answer(dataset, loss, at_least)))
        except DataError as error:
            rows.append({"Loss": loss.name, "Note": too_many_for(loss, dataset) or str(error)})
        if dataset.items.probabilities.size > MANY_ITEMS or choice == LOSS_CHOICES[-1]:
            with place:
                _show_table(rows)
    limited = [choice for choice in LOSS_CHOICES if too_many_for(named_loss(choice, beta), dataset)]
    st.caption(
        "Losses of different rows cannot be compared with each other, only the cuts within a row. AUC cannot choose a "
        "cut: flagging nothing costs 0 under it."
        + (f" {' and '.join(limited)} take at most 20,000 items: their time grows quadratically." if limited else "")
    )


def _row(found: Answer) -> dict[str, str | float | None]:
    optimum, half, tuned = found.optimum, found.at_half, found.tuned
    return {
        "Loss": found.loss_name,
        "k*: items flagged": optimum.k,
        "Probability at the cut": optimum.threshold,
        "Expected loss": optimum.expected_loss,
        "± at most": found.curve.error_bound,
        "0.5: k": half.k,
        "0.5: worse by": half.worse,
        "Tuned": None if tuned is None else tuned.printed,
        "Tuned: k": None if tuned is None else tuned.k,
        "Tuned: worse by": None if tuned is None else tuned.worse,
        "Note": "chooses no cut" if found.loss_name == "AUC" else "",
    }


def _show_table(rows: list[dict[str, str | float | None]]) -> None:
    number, losses = st.column_config.NumberColumn, ("Expected loss", "0.5: worse by", "Tuned: worse by")
    st.dataframe(
        pd.DataFrame(rows).astype(dict.fromkeys(COUNTS, "Int64")),
        hide_index=True,
        alt="The optimal cut under each loss.",
        column_config={
            **dict.fromkeys(COUNTS, number(format="localized")),
            **dict.fromkeys(losses, number(format="%.4f")),
            "Probability at the cut": number(format="%.4g"),
            "± at most": number(format="%.1g", help="The error bound of the expected loss; 0: exact up to rounding."),
            "Tuned": number(format=EXACT, help="The threshold tuned on half of the labelled items."),
        },
    )
