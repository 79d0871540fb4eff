"""Figure 1 of Natarajan et al. 2016, the only one: the best predictions on ten synthetic items under four losses."""

import numpy as np

from experiments.figures.panels import panels
from multiloss_core import AM, G_TP_PR, JACCARD, F, exhaustive_search
from multiloss_core.figures import theme as style
from multiloss_core.figures.static import canvas
from multiloss_core.losses import probability_order, sigmoid_items
from multiloss_core.numerics.arrays import Bools, Floats

ITEMS = 10
# Any draw will do; in this one the four losses differ in k.
SEED = 4
# The order of the parts (a) to (d) of the figure.
LOSSES = (AM, F(), JACCARD, G_TP_PR)


def figure_1() -> str:
    """Draw the four parts; each best prediction is found among all 2^10."""
    items = sigmoid_items(np.random.default_rng(SEED), n=ITEMS)
    drawings = []
    for letter, loss in zip("abcd", LOSSES, strict=True):
        found = exhaustive_search(items.probabilities, loss)
        heading = f"({letter}) {loss.name}: {int(found.best.sum())} of {ITEMS} predicted positive"
        drawings.append((heading, probabilities_drawing(items.probabilities, found.best)))
    return panels(
        "Natarajan et al. 2016, Figure 1: optimal predictions on synthetic data, found among all 1,024 "
        f"(sigmoid of w.x, another draw: seed {SEED})",
        drawings,
    )


def probabilities_drawing(probabilities: Floats, best: Bools) -> str:
    """Draw the probabilities of items (n,) in decreasing order, those predicted positive (n,) strongly coloured."""
    order = probability_order(probabilities)
    x, y = canvas.axes(
        ("item, most probable first (rank)", 0.5, order.size + 0.5), ("probability P(Y = 1 | x)", 0.0, 1.0)
    )
    parts, width = canvas.frame(x, y), 0.7 * (x.end - x.start) / order.size
    colours = {True: style.CURVE["light"], False: style.PALE["light"]}
    for rank, item in enumerate(order, start=1):
        top = float(y.at(float(probabilities[item])))
        parts.append(canvas.box(float(x.at(rank)) - width / 2, top, width, y.start - top, colours[bool(best[item])]))
    entries = [
        (canvas.box(-6, -6, 12, 12, colours[chosen]), words)
        for chosen, words in ((True, "predicted positive"), (False, "not predicted positive"))
    ]
    return canvas.svg([*parts, *canvas.legend(entries)], "Probabilities in decreasing order with the best prediction")
