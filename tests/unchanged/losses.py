"""Figures of expected losses, best cuts and the reliability of probabilities."""

import math
from typing import Any

import numpy as np
from scipy.special import expit

from multiloss_core import (
    LOSSES,
    F,
    FractionalLinear,
    ScoredItems,
    UserLoss,
    exhaustive_search,
    expected_losses,
    multinomial_top_k,
    optimal_top_k,
)
from multiloss_core.losses import (
    against_top_k,
    best_k,
    correlated_search,
    factor_loadings,
    items_at,
    multinomial_losses,
    observed_loss,
    random_half,
    reliability,
    shortest_threshold,
    sigmoid_items,
    tuned_threshold,
)
from tests.unchanged.summary import Figures, of, plain, thinned
from tests.unchanged.thresholds import answered
from ui.data.scored import scored_sample

METHODS = ("auto", "exhaustive", "cubic", "quadratic", "near_linear", "windowed")
# The other methods take too long for many items.
METHODS_FOR_MANY = ("auto", "quadratic", "near_linear")
MANY = 2000
TOLERANCE = 1e-6
BETAS = {"F2": F(2.0), "F0.5": F(0.5)}


def vectors() -> dict[str, np.ndarray]:
    """Draw probabilities: few and many, with ties and certain ones, and rare."""
    generator = np.random.default_rng(17)
    return {
        "5": np.array([0.9, 0.61, 0.6, 0.33, 0.08]),
        "12": np.append(generator.random(10).round(2), [0.0, 1.0]),
        "300": generator.beta(0.4, 2.0, 300),
        "2000": expit(-3.0 + 1.9 * generator.standard_normal(2000)),
    }


def all_losses() -> dict[str, Any]:
    own = FractionalLinear((1.0, -1.0, 0.5, 0.0), (1.0, 0.0, 0.5, 0.5), "own fraction")
    square = UserLoss(lambda u, v, p: (np.asarray(p) - u) ** 2 + 0.1 * (np.asarray(v) - u), "own square", (0.0, 1.1))
    return {**LOSSES, **BETAS, own.name: own, square.name: square}


def losses_figures() -> Figures:
    """Measure expected losses and best cuts of every loss by every method that accepts it."""
    found: Figures = {}
    for size, p in vectors().items():
        for name, loss in (all_losses() if p.size < MANY else LOSSES).items():
            found[f"{name} of {size}"] = {
                method: answered(lambda method=method, p=p, loss=loss: loss_figures(p, loss, method))
                for method in (METHODS if p.size < MANY else METHODS_FOR_MANY)
            }
    return found


def loss_figures(probabilities: np.ndarray, loss: Any, method: str) -> Figures:
    """Measure expected losses of all cuts, and the best one."""
    curve = expected_losses(probabilities, loss, method=method, tolerance=TOLERANCE)
    figures = {"values": thinned(curve.values), "method": curve.method}
    if method in ("auto", "near_linear", "windowed"):
        figures["error_bound"] = plain(curve.error_bound)
    if probabilities.size < 100 or method == "auto":
        best = optimal_top_k(probabilities, loss, method=method, tolerance=TOLERANCE)
        figures |= of(best, "k", "cut", "expected_loss") | {"selected": thinned(np.flatnonzero(best.selected))}
    return figures


def theory_figures() -> Figures:
    """Measure multinomial losses, and exhaustive searches with dependent labels."""
    found: Figures = {"multinomial": {}, "exhaustive": {}, "tied": {}}
    for size, probabilities in vectors().items():
        shares = probabilities / probabilities.sum()
        found["multinomial"][size] = {
            name: {"values": thinned(multinomial_losses(shares, loss))}
            | of(multinomial_top_k(shares, loss), "k", "cut", "expected_loss")
            for name, loss in all_losses().items()
        }
    ten = sigmoid_items(np.random.default_rng(70), n=10, scale=1.0).probabilities
    found["exhaustive"] = {name: search_figures(exhaustive_search(ten, loss)) for name, loss in all_losses().items()}
    eight = sigmoid_items(np.random.default_rng(143), n=8, scale=1.0).probabilities
    for ties in ("ring", "rivals", "all"):
        for strength in (0.0, 0.5, 0.9, 1.0):
            loadings = factor_loadings(ties, 8, strength)
            found["tied"][f"{ties} {strength:g}"] = {
                name: search_figures(correlated_search(eight, loadings, LOSSES[name])) for name in ("F1", "G-Mean")
            }
    return found


def search_figures(search: Any) -> Figures:
    """Measure the best of all predictions beside the best top-k one."""
    return {
        **of(search, "best", "expected_loss", "is_top_k", "top_k_values"),
        "values": thinned(search.values),
        "beside": of(against_top_k(search), "best_loss", "top_k", "top_k_loss", "lost"),
    }


def cuts_figures() -> Figures:
    """Measure cuts of the scored samples under each loss, and their reliability."""
    found: Figures = {}
    for title in ("Calibrated alerts", "Overconfident alerts"):
        frame = scored_sample(title).frame
        items = ScoredItems.from_frame(frame, probability="probability", label="outcome", positive="fraud")
        probabilities, labels = items.known_probabilities, items.known_labels
        half = random_half(labels.size, np.random.default_rng(0))
        found[title] = {
            "items": plain([probabilities.size, probabilities.sum(), labels.sum(), half.sum(), labels[half].sum()]),
            "reliability": reliability_figures(reliability(probabilities, labels)),
            "seven groups": reliability_figures(reliability(probabilities, labels, groups=7)),
            "losses": {n: cut_figures(probabilities, labels, half, loss) for n, loss in {**LOSSES, **BETAS}.items()},
        }
    return found


def cut_figures(probabilities: np.ndarray, labels: np.ndarray, half: np.ndarray, loss: Any) -> Figures:
    """Measure the best cut beside a threshold of a half and a tuned one."""
    curve = expected_losses(probabilities, loss, tolerance=TOLERANCE).values
    k = best_k(curve)
    cut = float(np.sort(probabilities)[::-1][k - 1]) if k else math.nan
    tuned = tuned_threshold(probabilities[half], labels[half], loss)
    found = {"best": plain([k, cut, float(curve[k])]), "tuned": of(tuned, "threshold", "observed_loss", "items")}
    for name, threshold in (("best", cut), ("half", 0.5), ("tuned", tuned.threshold)):
        k = items_at(probabilities, threshold)
        found[f"at {name}"] = {
            "k": k,
            "expected": plain(float(curve[k])),
            "observed": plain(observed_loss((probabilities >= threshold)[~half], labels[~half], loss)),
            "shortest": plain(shortest_threshold(probabilities, threshold)) if math.isfinite(threshold) else None,
        }
    return found


def reliability_figures(found: Any) -> Figures:
    """Measure promised against observed shares."""
    arrays = of(found, "promised", "observed", "low", "high", "items", "positives", "spread")
    return arrays | of(found, "expected_positives", "observed_positives", "outside", "is_doubtful")
