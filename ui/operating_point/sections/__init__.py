"""Show one of four views below the charts; a new section belongs to one of them."""

from collections.abc import Callable

import streamlit as st

from ui.operating_point.audits import show_recall
from ui.operating_point.sections.borderline import show_borderline
from ui.operating_point.sections.certificate import show_certificate
from ui.operating_point.sections.comparison import show_comparison
from ui.operating_point.sections.forms import show_forms
from ui.operating_point.sections.methods import show_as_graph, show_margins, show_methods
from ui.operating_point.sections.new_data import show_new_data
from ui.operating_point.sections.next_ratings import show_next_ratings
from ui.operating_point.sections.over_time import show_periods
from ui.operating_point.sections.profit import show_decision_curve, show_profit
from ui.operating_point.sections.review_band import is_band_wanted, show_review_band
from ui.operating_point.sections.scenarios import show_scenarios
from ui.operating_point.sections.segments import show_segments
from ui.operating_point.sections.sources import show_sources
from ui.operating_point.state import PointContext
from ui.shared.choices import ask_choice
from ui.shared.session import session

Section = Callable[[PointContext], None]

# By the name in the URL: label and sections, in screen order.
VIEWS: dict[str, tuple[str, tuple[Section, ...]]] = {
    "compare": ("Compare", (show_comparison, show_forms, show_certificate)),
    "rules": ("Rules and segments", (show_sources, show_segments)),
    "time": ("Over time", (show_periods, show_borderline, show_next_ratings)),
    "methods": ("Methods", (show_margins, show_as_graph, show_decision_curve, show_profit, show_methods)),
}
WITH_BAND = "rules"


def show_views(context: PointContext) -> None:
    """Show the sections of one view; those of the others are not computed."""
    show_recall(context)
    show_scenarios(context)
    show_new_data(context)
    labels = {name: label for name, (label, _) in VIEWS.items()}
    view = ask_choice(st.segmented_control, "More about this point", labels, key="view", required=True)
    for show_section in VIEWS[view][1]:
        show_section(context)
    # Decisions hold two cuts that were asked for, whatever view is open.
    if view == WITH_BAND or is_band_wanted():
        show_review_band(context)
    else:
        session().point.band = None
