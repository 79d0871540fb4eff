"""Demonstrate Theorem 1 on synthetic items: the best of all 2^n predictions is a top-k set."""

from ui.shared.page_setup import bootstrap
from ui.top_k.items import chosen_settings, introduction
from ui.top_k.optimum import explore_items
from ui.top_k.steps import follow_moved_step, show_steps

bootstrap(__file__)
follow_moved_step()
introduction()
settings, row = chosen_settings()
explore_items(settings, row.popover("Options", icon=":material/tune:", width=140))
show_steps(settings)
