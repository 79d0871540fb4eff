"""Theorem 1 on synthetic items: the best of all 2^n predictions is always a top-k set, as long as it may assume so."""

from ui.shared.page_setup import bootstrap
from ui.top_k.assumptions import broken_assumption
from ui.top_k.early_stop import early_stop
from ui.top_k.optimum import (
    chosen_settings,
    drawn_probabilities,
    every_loss,
    found_optima,
    introduction,
    many_draws,
    one_loss,
    optimum_table,
)
from ui.top_k.timing import timing

bootstrap()
introduction()
settings = chosen_settings()
probabilities = drawn_probabilities(settings.n, settings.seed, settings.scale)
optima = found_optima(settings)
optimum_table(optima)
one_loss(probabilities, optima)
every_loss(probabilities, optima)
many_draws(settings)
early_stop()
broken_assumption(settings)
timing(settings)
