"""Demonstrate Theorem 1 on synthetic items: the best of all 2^n predictions is a top-k set."""

from ui.shared.page_setup import bootstrap
from ui.top_k.assumptions import broken_assumption
from ui.top_k.checks import early_stop, many_draws, timing
from ui.top_k.items import chosen_settings, drawn_probabilities, introduction
from ui.top_k.more_of_the_paper import more_of_the_paper
from ui.top_k.optimum import explore_items
from ui.top_k.several_classifiers import sliding_along_the_curve, threshold_graph_of_two

bootstrap(__file__)
introduction()
settings = chosen_settings()
explore_items(settings)
many_draws(settings)
early_stop()
broken_assumption(settings)
timing(settings)
threshold_graph_of_two()
sliding_along_the_curve()
more_of_the_paper(settings, drawn_probabilities(settings.n, settings.seed, settings.scale))
