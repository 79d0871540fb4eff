"""List the sections below the charts in screen order; add a new file to `SECTIONS`."""

from collections.abc import Callable

from ui.operating_point.audits import show_recall
from ui.operating_point.sections.borderline import show_borderline
from ui.operating_point.sections.certificate import show_certificate
from ui.operating_point.sections.comparison import show_comparison
from ui.operating_point.sections.methods import show_margins, show_methods
from ui.operating_point.sections.new_data import show_new_data
from ui.operating_point.sections.next_ratings import show_next_ratings
from ui.operating_point.sections.over_time import show_periods
from ui.operating_point.sections.profit import show_profit
from ui.operating_point.sections.review_band import show_review_band
from ui.operating_point.sections.save_decision import show_decision
from ui.operating_point.sections.scenarios import show_scenarios
from ui.operating_point.sections.segments import show_segments
from ui.operating_point.sections.sources import show_sources
from ui.operating_point.sections.views import show_as_graph, show_both_rules, show_decision_curve
from ui.operating_point.state import PointContext

SECTIONS: tuple[Callable[[PointContext], None], ...] = (
    show_recall,
    show_sources,
    show_scenarios,
    show_review_band,
    show_new_data,
    show_margins,
    show_decision_curve,
    show_both_rules,
    show_as_graph,
    show_profit,
    show_comparison,
    show_borderline,
    show_periods,
    show_segments,
    show_certificate,
    show_next_ratings,
    show_methods,
    show_decision,
)
