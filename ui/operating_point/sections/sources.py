"""Scores and alert rules in priority order, and the effect of switching them on or off."""

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import OperatingPoint, RatedCounts, RatedDocuments, Unit
from multiloss_core.formatting import count, plural, score_name, shortened
from multiloss_core.generalisation import Interval
from multiloss_core.numerics import Floats
from multiloss_core.sources import RuleSet, SourceCounts, held_out_switches
from multiloss_core.thresholds import SMOOTH, Point
from ui.data.document_table import no_documents
from ui.operating_point.active_goal import set_manual_thresholds
from ui.operating_point.analysis import Analysis, documents_or_counts
from ui.operating_point.point_text import COUNT_KINDS, count_columns
from ui.operating_point.resampling_tasks import SLIDER_TARGETS, path_task
from ui.operating_point.state import PointContext
from ui.shared.choices import chosen
from ui.shared.formatting import HIGH, LOW, as_text, show_numbers, vocabulary
from ui.shared.session import SourceTable, session
from ui.shared.widgets import shown_when_open

ORDER, SOURCE, ON, CAUGHT_FIRST, FALSE_FIRST = "Order", "Source", "On", "First: caught", "First: false alerts"
WAITING_FIRST, RAISED, ALONE, FRAUD_ALONE, NOTE = "First: undecided", "Raised", "Alone", "Fraud alone, %", "Note"
FROM_OTHERS = "counted on alerts that did not choose the rules"


@shown_when_open("Rules and scores", icon=":material/rule:", key="sources")
def show_sources(context: PointContext) -> None:
    """Show the alerts of each source in its place, and let the user reorder and switch."""
    analysis, point = context.analysis, context.point
    source = analysis.rated.source
    if not isinstance(source, RatedDocuments | RatedCounts):
        st.info(no_documents(vocabulary()))
    elif analysis.settings.rule == "all":
        _show_held_back(RuleSet.of(source, analysis.deployable(point), rule="all"))
    else:
        _show_priorities(context, source)


def _show_held_back(rules: RuleSet) -> None:
    """Under the rule of all scores: the documents that one score alone holds back."""
    show_numbers(
        [
            {
                "Held back by": score_name(one.name),
                **count_columns(one.unique.tp, one.unique.fp, (one.switch_off.low, one.switch_off.high)),
            }
            for one in rules.sources
        ],
        COUNT_KINDS,
        alt="Documents that one score alone holds back.",
    )
    st.caption("They reach the thresholds of all other scores: without that score they would be flagged as well.")


def _show_priorities(context: PointContext, source: RatedDocuments | RatedCounts) -> None:
    analysis, point = context.analysis, context.point
    known = session().point.sources.setdefault(analysis.dataset.key, SourceTable(list(analysis.names)))
    at_point = analysis.deployable(point)
    thresholds = _switched(analysis, at_point, known)
    rules = RuleSet.of(source, thresholds, known.order)
    found = rules.sources
    held_out = _held_out(context, at_point)
    _ask(analysis, known, found, held_out)
    shadowed = [as_text(shortened(score_name(one.name))) for one in found if one.is_shadowed]
    if shadowed:
        st.info(
            f"**{', '.join(shadowed)}**: never first, as sources before "
            f"{'it' if len(shadowed) == 1 else 'them'} raise the same alerts.",
            icon=":material/layers:",
        )
    if known.switches:
        _show_effect(analysis, at_point, thresholds)
    st.caption(
        "The first source in the order takes an alert; the order changes no alert. *Alone*: alerts that no other "
        "active source raises. They are lost when it is switched off, or added when it is switched on; their share of "
        "fraud is the marginal precision of the switch"
        + (f", {FROM_OTHERS}." if held_out else f".{_choice_words(context)}")
    )


def _held_out(context: PointContext, thresholds: Floats) -> dict[str, Interval]:
    """Find the share of fraud of each source alone, on documents that did not choose it."""
    analysis, point = context.analysis, context.point
    if not (context.new_data and _chooses_rules(analysis, point)):
        return {}
    source, task = documents_or_counts(analysis.dataset.source), path_task(analysis)
    evidence = None if task is None else task.latest
    at = np.flatnonzero(np.isclose(SLIDER_TARGETS, point.marginal_precision))
    if source is None or evidence is None or evidence.held_out is None or not at.size:
        return {}
    of_folds = evidence.held_out[SMOOTH.name].thresholds[:, at[0]]
    found = held_out_switches(source, thresholds, of_folds, rule=analysis.settings.rule)
    return dict(zip(analysis.names, found, strict=True))


def _chooses_rules(analysis: Analysis, point: Point) -> bool:
    return bool(analysis.alert_rules) and isinstance(point, OperatingPoint) and point.method == SMOOTH.name


def _choice_words(context: PointContext) -> str:
    analysis, point = context.analysis, context.point
    if not analysis.alert_rules or not isinstance(point, OperatingPoint):
        return ""
    if point.method != SMOOTH.name:
        return " This path leaves all rules off."
    pays = " Rules are on where that clearly pays at the target." if analysis.settings.unit is Unit.DOCUMENTS else ""
    more = "" if context.new_data else " *What new data will show* counts it on others."
    return f"{pays} The share is counted on the alerts that chose the rules, which flatters those that are on.{more}"


def _ask(
    analysis: Analysis, known: SourceTable, found: tuple[SourceCounts, ...], held_out: dict[str, Interval]
) -> None:
    rows = [
        _row(place, one, held_out.get(one.name, one.switch_off), undecided=analysis.has_undecided)
        for place, one in enumerate(found, start=1)
    ]
    table = pd.DataFrame(rows)
    key = f"sources_{known.version}_{analysis.dataset.key[:12]}"
    number = st.column_config.NumberColumn
    st.data_editor(
        table,
        key=key,
        hide_index=True,
        disabled=[name for name in map(str, table) if name not in (ORDER, ON)],
        column_config={
            ORDER: number(ORDER, min_value=1, max_value=len(rows), step=1, width="small", pinned=True),
            ON: st.column_config.CheckboxColumn(ON, width="small", pinned=True),
            FRAUD_ALONE: number(FRAUD_ALONE, format="%.1f"),
            LOW: number(LOW, format="%.1f"),
            HIGH: number(HIGH, format="%.1f"),
        },
        on_change=_keep,
        args=(known, key, [one.name for one in found], [one.is_active for one in found]),
        alt="Sources of alerts in priority order, with true and false positives of each.",
    )


def _row(place: int, one: SourceCounts, switch: Interval, *, undecided: bool) -> dict[str, object]:
    waiting = {WAITING_FIRST: one.undecided} if undecided else {}
    return {
        ORDER: place,
        SOURCE: shortened(score_name(one.name)),
        ON: one.is_active,
        CAUGHT_FIRST: one.incremental.tp,
        FALSE_FIRST: one.incremental.fp,
        **waiting,
        RAISED: one.raised.alerts,
        ALONE: one.unique.alerts,
        FRAUD_ALONE: 100 * switch.estimate,
        LOW: 100 * switch.low,
        HIGH: 100 * switch.high,
        NOTE: _note(one),
    }


def _note(one: SourceCounts) -> str:
    if not one.is_known:
        return "raised nothing that was rated: nothing is known"
    if one.is_shadowed:
        return "never first"
    return "no fraud among its alerts" if one.raised.tp == 0 else ""


def _keep(known: SourceTable, key: str, names: list[str], active: list[bool]) -> None:
    """Keep an edit of the order or of a switch, and start the table anew."""
    for row, edit in chosen(key).get("edited_rows", {}).items():
        name = names[int(row)]
        if isinstance(place := edit.get(ORDER), int):
            names = [other for other in names if other != name]
            names.insert(min(max(place, 1), len(names) + 1) - 1, name)
            known.order = names
        if isinstance(on := edit.get(ON), bool) and on != active[int(row)]:
            known.switches = {other: state for other, state in known.switches.items() if other != name} | {name: on}
    known.version += 1


def _switched(analysis: Analysis, thresholds: Floats, known: SourceTable) -> Floats:
    """Apply the switches to thresholds (k,); a score without a threshold stays off."""
    result = thresholds.copy()
    for name, on in list(known.switches.items()):
        place = analysis.names.index(name)
        if on and name in analysis.alert_rules:
            result[place] = 1.0
        elif not on:
            result[place] = np.inf
        if result[place] == thresholds[place]:
            # The point itself now has this choice.
            del known.switches[name]
    return result


def _show_effect(analysis: Analysis, before: Floats, after: Floats) -> None:
    known = session().point.sources[analysis.dataset.key]
    sides = [_counts(analysis, thresholds) for thresholds in (before, after)]
    parts = [
        f"**{plural(now, words)}** ({'+' if now >= then else '−'}{count(abs(now - then))})"
        for words, then, now in zip(("alert", "catch", "false alert"), *sides, strict=True)
    ]
    st.markdown(f"With these switches: {', '.join(parts)}.")
    with st.container(horizontal=True):
        st.button(
            "Use them",
            key="sources_use",
            icon=":material/check:",
            on_click=_use,
            args=(known, [None if np.isinf(value) else float(value) for value in after]),
            help="Sets these rules and the thresholds of the point by hand.",
        )
        st.button("Undo", key="sources_undo", icon=":material/undo:", on_click=_forget, args=(known,))


def _counts(analysis: Analysis, thresholds: Floats) -> tuple[float, float, float]:
    found = analysis.rated.source.counts_at(thresholds, analysis.settings.rule)
    return found.alerts + analysis.undecided_at([thresholds])[0], found.tp, found.fp


def _use(known: SourceTable, thresholds: list[float | None]) -> None:
    set_manual_thresholds(thresholds)
    _forget(known)


def _forget(known: SourceTable) -> None:
    known.switches = {}
    known.version += 1
