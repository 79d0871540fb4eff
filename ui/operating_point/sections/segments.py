"""A point in each segment, and thresholds of their own for segments."""

import math
from collections.abc import Sequence

import streamlit as st

from multiloss_core import Counts, DataError, RatedCounts
from multiloss_core.formatting import WITHIN_CHANCE, count, plural, score_side, score_value, share, shortened, signed
from multiloss_core.generalisation import Interval
from multiloss_core.inspection import Segment, folded, segment_counts, segmentation
from multiloss_core.numerics import ratio
from multiloss_core.segments import SegmentPaths, SegmentPoints
from multiloss_core.thresholds import Point
from ui.data.engine_connections import ask_segments
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import CAUGHT, COUNT_KINDS, FALSE_ALERTS, PRECISION, count_columns, rules_on
from ui.operating_point.sections.over_time import is_counted, warn_of_floors
from ui.operating_point.segment_tasks import (
    chosen_task,
    own_points,
    points_for,
    segment_choice,
    segment_columns,
    segment_names,
    segment_task,
    why_not_own,
)
from ui.operating_point.state import PointContext
from ui.server.queue import Task
from ui.shared.choices import choose, chosen
from ui.shared.formatting import COUNT, HIGH, LOW, SHARE, THRESHOLD, NumberKind, as_text, rounded_share, show_numbers
from ui.shared.session import SegmentChoice, session
from ui.shared.widgets import shown_when_open

MAX_SHOWN, MAX_NAMED = 20, 8
SECONDS_BETWEEN_POLLS = 0.5
COMMON, OWN = "Common", "Own where they pay"
MARGINAL, GAIN = "Marginal precision", "Gain, held out"
ONE_DECIMAL = NumberKind("%.1f", lambda value: round(value, 1))


def show_segments(context: PointContext) -> None:
    """Show the alerts in each segment, and thresholds of their own on request."""
    analysis, point = context.analysis, context.point
    if segment_columns(analysis):
        _show_summary(analysis, point)
        _show_segments(analysis, point)


def _show_summary(analysis: Analysis, point: Point) -> None:
    """State what own thresholds change, also while the section is closed."""
    task = chosen_task(analysis, point)
    if task is not None and not task.finished:
        st.caption("Thresholds for each segment are being found …")
        st.fragment(_follow_search, run_every=SECONDS_BETWEEN_POLLS)(task, known=task.latest is not None)
    found = own_points(analysis, point)
    if found is not None and found[2].proposed == "own":
        st.info(_change_words(found[0], found[2]), icon=":material/category:")


@shown_when_open("Segments, and thresholds of their own", icon=":material/category:", key="segments")
def _show_segments(analysis: Analysis, point: Point) -> None:
    column, own = _ask(analysis)
    try:
        if not own:
            _show_common(analysis, point, column)
        elif reason := why_not_own(analysis, point):
            st.info(reason, icon=":material/info:")
        else:
            _show_own(analysis, point, column)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")


def _ask(analysis: Analysis) -> tuple[str, bool]:
    """Ask for the column of segments and for common or own thresholds."""
    columns, choice = segment_columns(analysis), segment_choice(analysis) or SegmentChoice("")
    fingerprint = analysis.rated.fingerprint
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose("segment_column", choice.column)
        st.selectbox("Segments by", columns, key="segment_column", on_change=_keep, args=(fingerprint,), width=260)
        choose("segment_thresholds", OWN if choice.own else COMMON)
        st.segmented_control(
            "Thresholds",
            [COMMON, OWN],
            key="segment_thresholds",
            required=True,
            on_change=_keep,
            args=(fingerprint,),
            help="Own thresholds reach the same marginal precision in every segment: the most fraud for a common "
            "budget of alerts. They are proposed only if they gain on alerts that did not choose them.",
        )
    return choice.column, choice.own


def _keep(fingerprint: str) -> None:
    choice = SegmentChoice(chosen("segment_column"), own=chosen("segment_thresholds") == OWN)
    session().point.segment_choices[fingerprint] = choice


def _show_own(analysis: Analysis, point: Point, column: str) -> None:
    counts = analysis.dataset.source
    if isinstance(counts, RatedCounts) and ask_segments(analysis.rated, counts, column) is None:
        return
    task = segment_task(analysis, column)
    if task is None:
        return
    if task.failure is not None:
        raise task.failure
    paths = task.latest
    if paths is None:
        st.progress(0.3, f"Finding thresholds for each value of '{as_text(shortened(column))}' …")
        return
    points = points_for(analysis, column, paths, point)
    if task.finished:
        st.markdown(_verdict_words(column, points))
    else:
        st.progress(0.7, "Checking on held-out alerts whether they pay …")
    st.caption("Own thresholds, proposed:" if points.proposed == "own" else "Own thresholds, for comparison:")
    _show_own_table(analysis, points)
    _show_differences(paths, points, analysis.has_undecided)


def _follow_search(task: Task[SegmentPaths], *, known: bool) -> None:
    """Look for results, and show the page once more when there are some."""
    if task.finished or (task.latest is not None) != known:
        st.rerun()


def _change_words(column: str, points: SegmentPoints) -> str:
    own, common = points.own_total, points.common_total
    return (
        f"**Own thresholds for {plural(len(points.own), 'segment')} of *{as_text(shortened(column))}***: "
        f"{count(own.tp)} caught and {plural(own.fp, 'false alert')}, where common thresholds have {count(common.tp)} "
        f"and {count(common.fp)}. The decision takes them along."
    )


def _verdict_words(column: str, points: SegmentPoints) -> str:
    """Say whether own thresholds pay, and what common ones cost."""
    gain = points.held_out_gain
    if math.isnan(gain.estimate):
        return f"Whether own thresholds pay is unknown: {gain.reason}. Common thresholds stay."
    estimate, low, high = (signed(value, f"{value:,.1f}") for value in (gain.estimate, gain.low, gain.high))
    amount = f"{estimate} frauds, net of false alerts (95 %: {low} to {high})"
    if points.proposed == "common":
        return (
            "**No clear gain: common thresholds stay.** On held-out alerts own thresholds by "
            f"*{as_text(shortened(column))}* would change the result by {amount}, and over all targets by less than "
            "one standard error."
        )
    chance = f" {WITHIN_CHANCE}" if gain.low <= 0 else ""
    return (
        f"{_change_words(column, points)} On held-out alerts they gain {amount}: so much do common thresholds cost for "
        f"being the same everywhere.{chance}"
    )


def _show_own_table(analysis: Analysis, points: SegmentPoints) -> None:
    has_undecided = analysis.has_undecided
    names = analysis.surfaces.names
    rows = [
        {
            "Segment": shortened(one.name),
            **{
                score_side(name): score_value(name, value)
                for name, value in zip(names, analysis.rounded(one.thresholds).tolist(), strict=False)
            },
            **dict(rules_on(analysis, one.thresholds)),
            **count_columns(one.tp, one.fp, one.interval, one.undecided if has_undecided else None),
            MARGINAL: rounded_share(one.marginal_precision, 1_000),
        }
        for one in points.own
    ]
    show_numbers(
        rows,
        COUNT_KINDS | dict.fromkeys(map(score_side, names), THRESHOLD) | {MARGINAL: SHARE},
        alt="Thresholds of each segment with alerts, true and false positives, precision and marginal precision.",
    )


def _show_differences(paths: SegmentPaths, points: SegmentPoints, has_undecided: bool) -> None:
    """Compare own with common thresholds in each segment, and in all."""
    rows = [
        _difference(one.name, one, other, gain)
        for one, other, gain in zip(points.own, points.common, points.held_out_gains, strict=True)
    ]
    own, common = points.own_total, points.common_total
    rows.append(_difference("all together", own, common, points.held_out_gain))
    sides = ("common", "own")
    kinds = {f"{what}, {side}": COUNT for what in (CAUGHT, FALSE_ALERTS) for side in sides}
    kinds |= {f"{PRECISION}, {side}": SHARE for side in sides} | dict.fromkeys((GAIN, LOW, HIGH), ONE_DECIMAL)
    show_numbers(rows, kinds, alt="Own against common thresholds in each segment, with the gain held out.")
    pooled = [part for parts in paths.members if len(parts) > 1 for part in parts]
    words = [
        "*Gain, held out*: frauds net of false alerts at the target, on alerts that did not choose the thresholds; all "
        "other counts are of the alerts that chose them.",
        f"Small segments share one set: {_listed(pooled)}." if pooled else "",
        "Other values, also new ones, use the common thresholds.",
        "Undecided alerts count in neither." if has_undecided else "",
    ]
    st.caption(" ".join(filter(None, words)))


def _difference(name: str, own: Counts[float], common: Counts[float], gain: Interval) -> dict[str, object]:
    return {
        "Segment": shortened(name),
        f"{CAUGHT}, common": common.tp,
        f"{CAUGHT}, own": own.tp,
        f"{FALSE_ALERTS}, common": common.fp,
        f"{FALSE_ALERTS}, own": own.fp,
        f"{PRECISION}, common": rounded_share(common.precision, common.alerts),
        f"{PRECISION}, own": rounded_share(own.precision, own.alerts),
        GAIN: gain.estimate,
        LOW: gain.low,
        HIGH: gain.high,
    }


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMED
    named = ", ".join(as_text(shortened(name)) for name in names[:MAX_NAMED])
    return f"{named} and {plural(more, 'other')}" if more > 0 else named


def _show_common(analysis: Analysis, point: Point, column: str) -> None:
    if column == analysis.rated.columns.segment:
        found = analysis.segment_counts(point) if is_counted(analysis, point, "segment") else None
    else:
        names = segment_names(analysis, column)
        known = segmentation(names.rated, names.undecided)
        found = segment_counts(analysis.rated.documents, known, analysis.deployable(point), analysis.settings.rule)
    if found is not None:
        warn_of_floors(analysis, point)
        _show_found(found, column)


def _show_found(found: Sequence[Segment], column: str) -> None:
    st.markdown(_difference_words(found))
    _show_table(found)
    st.caption(
        f"Segments are the values of '{as_text(shortened(column))}', most alerts first. "
        "*Differs*: the 95 % interval, widened for the number of segments looked at, does not hold the precision of "
        "all alerts together."
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
