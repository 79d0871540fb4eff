"""What limits an answer: few positives, drift, settings that cross, and changes without a clear gain."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import streamlit as st

from multiloss_core import DataError
from multiloss_core.formatting import count, percent, plural
from multiloss_core.inspection import compare, gain_interval, incomplete_from, precision_drift, weekly_counts
from multiloss_core.numerics import Floats, precision_interval
from multiloss_core.thresholds import ManualPoint, Point
from ui.data.rated_workspace import rated_uploads
from ui.decision_sheet.affordable import Setting
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import unused_scores
from ui.operating_point.sections.over_time import dated
from ui.operating_point.target import current_target
from ui.shared.formatting import as_text, vocabulary

FEW_POSITIVES, WANTED_MARGIN = 30, 0.05
RECENT_DAYS = 91


def show_cautions(analysis: Analysis, settings: Sequence[Setting], chosen: Setting) -> None:
    """Show below the cards what limits the answer."""
    if chosen.point is None:
        return
    unused = unused_scores(analysis, chosen.point, analysis.deployable(chosen.point))
    if unused is not None:
        st.caption(as_text(" ".join(unused)))
    _say_few_positives(analysis, chosen.point)
    _say_drift(analysis, chosen.point)
    points = [setting.point for setting in settings if setting.point is not None]
    nested = all((before.thresholds >= after.thresholds).all() for before, after in pairwise(points))
    if not nested:
        st.caption(
            "These settings cross: one raises a threshold that another lowers, so that a wider setting does not flag "
            "all that a more cautious one flags. Set the limit by the last alerts for settings within each other."
        )


def no_clear_gain(analysis: Analysis, point: Point, current: Floats, most_alerts: float | None) -> str | None:
    """Say what a change gains where chance may explain all of it; None where it gains clearly or a cap demands it."""
    source, rule = analysis.rated.source, analysis.settings.rule
    target = current_target().marginal_precision if isinstance(point, ManualPoint) else point.marginal_precision
    try:
        found = compare(source, current, analysis.deployable(point), rule)
    except DataError:
        return None
    waiting = analysis.undecided_at([current])[0]
    over_cap = most_alerts is not None and found.current.alerts + waiting > most_alerts * (1 + 1e-9)
    same = not found.added.alerts + found.dropped.alerts
    low, high = gain_interval(found, target)
    if over_cap or same or low > 0 or not found.current.complete:
        return None
    return (
        f"Counted at a target of {percent(target)}, the change gains {low:,.0f} to {high:,.0f} frauds with 95 % "
        "confidence."
    )


def _say_few_positives(analysis: Analysis, point: Point) -> None:
    documents = analysis.rated.source.documents
    positives = int(documents.labels.sum()) if documents is not None else round(analysis.rated.source.totals.tp)
    if positives >= FEW_POSITIVES:
        return
    totals = analysis.rated.source.totals
    counts = point if point.alerts else totals
    low, high = precision_interval(counts.precision, counts.alerts)
    share = float(np.clip(counts.precision, 0.05, 0.95))
    needed = share * (1 - share) * (1.96 / WANTED_MARGIN) ** 2
    where = "at this point" if point.alerts else "of all rated alerts"
    st.warning(
        f"**Only {plural(positives, 'rated fraud')}.** The precision {where} lies between {percent(low)} and "
        f"{percent(high)} with 95 % confidence; about {count(round(needed, -1))} rated {vocabulary().documents} there "
        "would bring that to 5 points either way.",
        icon=":material/data_thresholding:",
    )


def _say_drift(analysis: Analysis, point: Point) -> None:
    """Say that the precision changes over time, and offer to use the last three months only."""
    choice, found = analysis.rated.choice, dated(analysis)
    source = rated_uploads().source(analysis.rated.name)
    if choice.since is not None:
        st.caption(f"Only rows since {choice.since} are used.")
        st.button("Use all rows", key="use_all_rows", type="tertiary", on_click=_use_since, args=(source.name, None))
    if found is None:
        return
    everything = weekly_counts(*found, found[0].floors, "any")
    weeks = weekly_counts(*found, analysis.deployable(point), analysis.settings.rule)
    drift = precision_drift(weeks, incomplete_from(everything))
    if drift.verdict != "drifts":
        return
    st.warning(
        f"**The precision drifts:** {percent(drift.early)} in the first third of the weeks, {percent(drift.late)} in "
        "the last. See *Over time* on Operating point.",
        icon=":material/trending_down:" if drift.late < drift.early else ":material/trending_up:",
    )
    dates = found[1].dates
    if choice.since is None and len(dates) > RECENT_DAYS:
        since = str(dates[-RECENT_DAYS])[:10]
        st.button(
            f"Use the last three months only (since {since})",
            key="use_recent",
            on_click=_use_since,
            args=(source.name, since),
        )


def _use_since(name: str, since: str | None) -> None:
    store = rated_uploads()
    source = store.source(name)
    store.remember(source, replace(store.choice_for(source), since=since))
