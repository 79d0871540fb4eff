"""The parts below the first screen: a tab for each, computed only while it is open."""

from collections.abc import Callable
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from ui.shared.session import session
from ui.shared.url_params import UrlParameter
from ui.shared.widgets import lesson_plan
from ui.top_k.assumptions import broken_assumption
from ui.top_k.checks import early_stop, many_draws
from ui.top_k.classes import one_label_among_classes
from ui.top_k.every_loss import every_loss
from ui.top_k.expected_loss import expected_loss
from ui.top_k.items import Settings
from ui.top_k.more_of_the_paper import monotone_losses
from ui.top_k.several_classifiers import sliding_along_the_curve, threshold_graph_of_two
from ui.top_k.training import more_training


class Part(NamedTuple):
    """The label of a tab, its content, and whether it shows the items of the first screen."""

    label: str
    show: Callable[[Settings], None]
    shows_items: bool = False


# By the name in the URL.
PARTS = MappingProxyType(
    {
        "loss": Part("Expected loss", expected_loss, shows_items=True),
        "losses": Part("All losses", every_loss, shows_items=True),
        "draws": Part("Many draws", many_draws),
        "early": Part("Early stop", early_stop),
        "assumption": Part("Broken assumption", broken_assumption),
        "monotone": Part("Monotone losses", monotone_losses),
        "classes": Part("Theorem 2", one_label_among_classes, shows_items=True),
        "training": Part("Theorem 3", more_training),
        "graph": Part("Threshold graph", threshold_graph_of_two),
        "tangent": Part("Tangent", sliding_along_the_curve),
        "lesson": Part("Lesson", lambda _: lesson_plan()),
    }
)
TABS = "topk_tab"
IN_URL: UrlParameter[str] = UrlParameter("step", lambda text: text if text in PARTS else None, str)
SCROLL = f"<script>document.querySelector('.st-key-{TABS}')?.scrollIntoView()</script>"


def show_parts(settings: Settings) -> None:
    """Draw the tabs and the open part; a link with `?step=` opens its part and scrolls to it."""
    first = next(iter(PARTS))
    asked, is_linked = IN_URL.asked(if_gone=first), IN_URL.shown() is not None
    if asked is not None:
        st.session_state[TABS] = PARTS[asked].label
    tabs = st.tabs([part.label for part in PARTS.values()], key=TABS, on_change="rerun")
    for (name, part), tab in zip(PARTS.items(), tabs, strict=True):
        if tab.open:
            IN_URL.show(None if name == first else name)
            session().top_k.part_shows_items = part.shows_items
            with tab:
                part.show(settings)
    if asked is not None and is_linked:
        st.html(SCROLL, unsafe_allow_javascript=True)
