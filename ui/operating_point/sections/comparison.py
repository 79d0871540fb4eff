"""Compare current with proposed thresholds, and list the documents between them."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError, Unit
from multiloss_core.datasets import RatedDataset
from multiloss_core.formatting import (
    between,
    count,
    direction,
    plural,
    points,
    reached,
    score_name,
    score_threshold,
    share,
    signed,
)
from multiloss_core.inspection import Comparison, CountedThresholds, DocumentSubset, compare
from multiloss_core.thresholds import Rule, UndecidedDocuments
from ui.data.document_table import no_documents, show_documents
from ui.operating_point.analysis import Analysis
from ui.operating_point.costs import with_currency
from ui.operating_point.current_thresholds import ask_compared_thresholds, compared_thresholds, comparison_of
from ui.operating_point.point_text import CAUGHT, FALSE_ALERTS, OF_THEM_UNDECIDED, PRECISION, WORDS, beside
from ui.operating_point.state import PointContext
from ui.shared.formatting import as_text, vocabulary
from ui.shared.widgets import shown_when_open

NOT_KNOWN = "not known"


@shown_when_open("Compare with the current thresholds", icon=":material/difference:", key="compare")
def show_comparison(context: PointContext) -> None:
    """Compare the point with current or pinned thresholds, listing changed documents."""
    # Documents are compared, whatever the paths were found on.
    analysis, point = context.analysis.in_documents, context.point
    ask_compared_thresholds(analysis, point)
    current = compared_thresholds(analysis)
    if current is None:
        _say_what_is_missing(analysis)
        return
    try:
        found = compare(analysis.dataset.source, current, analysis.deployable(point), analysis.settings.rule)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    _show_table(analysis, found, current.tolist(), analysis.deployable(point).tolist())
    _show_bands(analysis, found)


def _say_what_is_missing(analysis: Analysis) -> None:
    if any(value is not None for value in comparison_of(analysis).current):
        st.error("The current thresholds must be numbers of a usual size; correct them.", icon=":material/error:")
        return
    st.info(
        "Enter or load the current thresholds; an empty one means *never*. Or pin this point and choose another one.",
        icon=":material/edit:",
    )


def _show_table(analysis: Analysis, found: Comparison, current: list[float], proposed: list[float]) -> None:
    kept = comparison_of(analysis)
    if kept.with_pinned and kept.pinned is not None:
        st.caption(f"Current is the pinned point: {kept.pinned.origin}.")
    elif kept.origin:
        st.caption(f"Current is as loaded from {as_text(kept.origin)}.")
    rows: list[tuple[str, ...]] = [
        (
            f"Threshold of {score_name(name)}",
            reached(name, now, analysis.alert_rules),
            reached(name, then, analysis.alert_rules),
            "" if name in analysis.alert_rules else _threshold_difference(name, now, then),
        )
        for name, now, then in zip(analysis.names, current, proposed, strict=True)
    ]
    undecided = analysis.undecided_at([current, proposed])
    counts = [("Alerts", found.current.alerts + undecided[0], found.proposed.alerts + undecided[1])]
    if analysis.has_undecided:
        counts.append((OF_THEM_UNDECIDED, undecided[0], undecided[1]))
    counts += [(CAUGHT, found.current.tp, found.proposed.tp), (FALSE_ALERTS, found.current.fp, found.proposed.fp)]
    for words, before, after in counts:
        rows.append((words, *_counts(found, before, after, Unit.DOCUMENTS)))
    sides = found.current, found.proposed
    rows.append((PRECISION, *map(_precision, sides), _precision_difference(*sides)))
    rows += _money_rows(analysis, found, current, proposed)
    st.dataframe(
        pd.DataFrame(rows, columns=["", "Current", "Proposed", "Difference"]),
        hide_index=True,
        alt="Current and proposed thresholds with their counts, and the difference proposed less current.",
    )
    for title, thresholds, side in (("current", current, found.current), ("proposed", proposed, found.proposed)):
        _say_where_counted(analysis, title, thresholds, side)


def _money_rows(
    analysis: Analysis, found: Comparison, current: list[float], proposed: list[float]
) -> list[tuple[str, ...]]:
    """Money caught and money in false alerts, where documents have amounts."""
    words = WORDS[Unit.MONEY]
    if not analysis.rated.supports("money"):
        return []
    sums = analysis.rated.money_at(np.array([current, proposed]), found.rule)
    return [
        (with_currency(analysis, beside(label), Unit.MONEY), *_counts(found, before, after, Unit.MONEY))
        for label, (before, after) in ((words.caught, sums.tp), (words.false, sums.fp))
    ]


def _say_where_counted(analysis: Analysis, title: str, thresholds: list[float], side: CountedThresholds) -> None:
    """Explain inexact counts: missing ratings below a floor, or counts only at nodes."""
    source, are_documents = analysis.dataset.source, analysis.dataset.supports("documents")
    triples = zip(source.names, thresholds, source.floors if are_documents else side.thresholds, strict=True)
    if not are_documents:
        moved = [
            f"{score_name(name)} {score_threshold(name, node)}"
            for name, value, node in triples
            if value not in (node, math.inf)
        ]
        if moved:
            st.caption(
                f"The table has no counts at these {title} thresholds; counted at its node {as_text(', '.join(moved))}."
            )
    elif not side.complete:
        below = " and ".join(
            f"the {title} threshold of {score_name(name)}, {score_threshold(name, value)}, lies "
            f"{'below' if direction(name) > 0 else 'above'} its rating floor, {score_threshold(name, floor)}"
            for name, value, floor in triples
            if value < floor
        )
        st.warning(
            f"{as_text(below[0].upper() + below[1:])}: what is flagged down there was never rated and is not known. "
            f"Counts are of rated {vocabulary().documents}, so the true ones are at least as large.",
            icon=":material/warning:",
        )


def _show_bands(analysis: Analysis, found: Comparison) -> None:
    data = analysis.dataset
    undecided = data.documents.undecided if data.supports("documents") else None
    for title, only, band, side, other in (
        ("Added", "proposed", found.added, found.proposed, found.current),
        ("Dropped", "current", found.dropped, found.current, found.proposed),
    ):
        waiting = 0.0 if undecided is None else _only(undecided, found.rule, side, other)
        more = f" {plural(waiting, 'more alert')} that only these flag: undecided." if waiting else ""
        st.markdown(_band_words(title, only, band, side.complete, data) + more)
        if band.positions is not None and band.positions.size:
            show_documents(analysis.dataset, band.positions, what=f"{title.lower()} {vocabulary().documents}")
    if not data.supports("documents"):
        st.caption(no_documents(vocabulary()))


def _only(undecided: UndecidedDocuments, rule: Rule, side: CountedThresholds, other: CountedThresholds) -> float:
    """How many alerts without a decision only one side flags."""
    flagged = undecided.flagged(side.thresholds, rule) & ~undecided.flagged(other.thresholds, rule)
    return float(undecided.weights[flagged].sum())


def _band_words(title: str, only: str, band: DocumentSubset, complete: bool, data: RatedDataset) -> str:
    words = f"**{title}: {_at_least(complete)}{plural(band.alerts, 'alert')}**"
    if not band.alerts:
        return f"{words} that only the {only} thresholds flag."
    words += (
        f", {count(band.tp)} of {count(band.alerts)} rated are fraud (precision {share(band.precision, band.alerts)}, "
        f"95 % interval {between(band.interval)})."
    )
    if band.positions is not None and data.has_weights:
        words += f" {plural(band.positions.size, f'rated {vocabulary().document}')} stand for them."
    return f"{words} Only the {only} thresholds flag them."


def _at_least(complete: bool) -> str:
    return "" if complete else "at least "


def _threshold_difference(name: str, now: float, then: float) -> str:
    if math.isinf(now) or math.isinf(then):
        return "0" if now == then else "to never" if math.isinf(then) else "from never"
    change = direction(name) * (then - now)
    return signed(change, f"{change:.6g}")


def _counts(found: Comparison, now: float, then: float, unit: Unit) -> tuple[str, str, str]:
    """Two counts and their difference, as far as they are known."""
    first, second = _at_least(found.current.complete), _at_least(found.proposed.complete)
    if first and second:
        difference = NOT_KNOWN
    else:
        # As the user would find it from the two counts shown.
        more = round(unit.rounded(then) - unit.rounded(now), 2) + 0.0
        difference = ("at most " if first else second) + signed(more, unit.number(more))
    return first + unit.number(now), second + unit.number(then), difference


def _precision(side: CountedThresholds) -> str:
    return share(side.precision, side.alerts) if side.complete else NOT_KNOWN


def _precision_difference(current: CountedThresholds, proposed: CountedThresholds) -> str:
    """Format the difference of unrounded precisions in percentage points."""
    if not (current.complete and proposed.complete):
        return NOT_KNOWN
    return points(proposed.precision - current.precision)
