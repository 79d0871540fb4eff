"""Demonstrate Theorem 1 on synthetic items: the best of all 2^n predictions is a top-k set."""

from ui.shared.page_setup import bootstrap
from ui.top_k.items import chosen_settings, introduction
from ui.top_k.optimum import explore_items
from ui.top_k.parts import show_parts

bootstrap(__file__)
introduction()
settings, options = chosen_settings()
explore_items(settings, options)
show_parts(settings)
