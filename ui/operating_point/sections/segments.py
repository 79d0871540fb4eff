"""A point in each segment of the documents."""

from collections.abc import Sequence

import streamlit as st

from multiloss_core.formatting import plural, share, shortened
from multiloss_core.inspection import Segment, folded
from multiloss_core.numerics import ratio
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import COUNT_KINDS, count_columns
from ui.operating_point.sections.over_time import is_counted, warn_of_floors
from ui.operating_point.state import PointContext
from ui.shared.formatting import COUNT, SHARE, as_text, rounded_share, show_numbers
from ui.shared.widgets import shown_when_open

MAX_SHOWN = 20
MAX_NAMED = 8


def show_segments(context: PointContext) -> None:
    """Show the alerts in each segment, and where they clearly differ, if there are segments."""
    if context.analysis.rated.supports("segment"):
        _show_segments(context.analysis, context.point)


@shown_when_open("The point in each segment", icon=":material/category:", key="segments")
def _show_segments(analysis: Analysis, point: Point) -> None:
    found = analysis.segment_counts(point) if is_counted(analysis, point, "segment") else None
    if found is not None:
        warn_of_floors(analysis, point)
        _show_found(found, analysis.rated.columns.segment or "")


def _show_found(found: Sequence[Segment], column: str) -> None:
    st.markdown(_difference_words(found))
    _show_table(found)
    st.caption(
        f"Segments are the values of '{as_text(shortened(column))}', most alerts first. "
        "*Differs*: the 95 % interval, widened for the number of segments looked at, does not hold the precision of "
        "all alerts together. Thresholds are the same everywhere; a segment that differs may deserve its own."
    )


def _show_table(found: Sequence[Segment]) -> None:
    caught, undecided = (sum(getattr(segment, part) for segment in found) for part in ("tp", "undecided"))
    alerts = sum(segment.alerts for segment in found) + undecided
    show_numbers(
        [
            {
                "Segment": shortened(segment.name),
                **count_columns(segment.tp, segment.fp, segment.interval, segment.undecided if undecided else None),
                "Differs": segment.differs or "",
                "Of all alerts": rounded_share(ratio(segment.alerts + segment.undecided, alerts), alerts),
                "Of all catches": rounded_share(ratio(segment.tp, caught), caught),
                "Rated": segment.documents,
                "Rated positive": segment.positives,
            }
            for segment in folded(found, MAX_SHOWN)
        ],
        COUNT_KINDS | {"Of all alerts": SHARE, "Of all catches": SHARE, "Rated": COUNT, "Rated positive": COUNT},
        alt="Alerts, true and false positives and precision of the point in each segment.",
    )


def _difference_words(found: Sequence[Segment]) -> str:
    """Describe the segments with a different precision."""
    tp, alerts = sum(segment.tp for segment in found), sum(segment.alerts for segment in found)
    if not alerts:
        return "Nothing is flagged at this point."
    overall = f"the precision of all alerts, {share(ratio(tp, alerts), alerts)}"
    above, below = ([segment for segment in found if segment.differs == side] for side in ("above", "below"))
    if not above and not below:
        return f"In no segment is the precision clearly different from {overall}."
    parts = [f"clearly {side} in {_named(some)}" for side, some in (("above", above), ("below", below)) if some]
    return f"Compared with {overall}, precision is {'; '.join(parts)}."


def _named(segments: Sequence[Segment]) -> str:
    names = [f"**{as_text(shortened(s.name))}** ({share(s.precision, s.alerts)})" for s in segments[:MAX_NAMED]]
    more = len(segments) - MAX_NAMED
    if more > 0:
        return f"{', '.join(names)} and {plural(more, 'other')}"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
