"""Figure 1 of Natarajan et al. 2016, the only one: the best predictions on ten synthetic items under four losses."""

import numpy as np

from experiments.figures.panels import panels
from multiloss_core import AM, G_TP_PR, JACCARD, F, exhaustive_search
from multiloss_core.figures import theme as style
from multiloss_core.figures.report_charts import new_chart
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
    colours = {True: style.CURVE["light"], False: style.PALE["light"]}
    with new_chart("Probabilities in decreasing order with the best prediction") as chart:
        axes = chart.axes("item, most probable first (rank)", "probability P(Y = 1 | x)")
        axes.set(xlim=(0.5, order.size + 0.5), ylim=(0, 1))
        for chosen, words in ((True, "predicted positive"), (False, "not predicted positive")):
            ranks = np.flatnonzero(best[order] == chosen)
            axes.bar(ranks + 1, probabilities[order][ranks], 0.7, color=colours[chosen], label=words)
        chart.legend(axes)
    return chart.svg
