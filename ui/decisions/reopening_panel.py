"""Offer to reopen a record and compare its thresholds on newer data."""

import math
from collections.abc import Callable

import pandas as pd
import streamlit as st

from multiloss_core import DataError, DecisionRecord, Unit
from multiloss_core.datasets import RatedSource
from multiloss_core.decisions import (
    AS_DECIDED,
    DECIDE_ANEW,
    LOOK_AT_IT,
    MARGINAL_PRECISION,
    PER_DAY,
    Change,
    Observed,
    RecordedTarget,
    Sizes,
    advice_of,
    changes_of,
    compared_sizes,
    comparison_notes,
    recorded_thresholds,
    verdict,
)
from multiloss_core.formatting import count, percent, plural, points, rate, shortened, signed
from multiloss_core.thresholds import Point
from ui.data.rated import rated_uploads
from ui.decisions.reopening import observed, other_data, reopen, same_data
from ui.operating_point.active_goal import is_known, is_restorable
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import WORDS
from ui.records import author_of, counted_words, decided_words, moment
from ui.shared.choices import choose
from ui.shared.formatting import LONG_NAME, as_text, vocabulary
from ui.shared.session import session

LEVEL_WORDS = "95 %"
LIGHTS = {
    AS_DECIDED: (st.success, ":material/check_circle:"),
    LOOK_AT_IT: (st.warning, ":material/visibility:"),
    DECIDE_ANEW: (st.error, ":material/error:"),
}


def offer_opening(record: DecisionRecord, tag: str) -> None:
    """Offer to open a record on its data, or to load the data; `tag` for widget keys."""
    source = same_data(record)
    if source is not None:
        _offer_opening(record, source, tag, "Open on the operating point", same=True)
        return
    key = rated_uploads().tied(record.data.fingerprint)
    if key is None:
        st.page_link("pages/rated_data.py", label="Upload the data", icon=":material/upload_file:")
    elif st.button("Load its data", key=f"load_{tag}", icon=":material/download:"):
        rated_uploads().load(key)
        st.rerun()


def show_reopening(record: DecisionRecord, tag: str, *, takes_files: bool = False) -> None:
    """Show whether a record's data is loaded, and its thresholds on other data."""
    label = "Is it still good? Give newer rated alerts, such as next month's"
    new = rated_uploads().ask_upload(label) if takes_files else None
    source, others = same_data(record), other_data(record)
    if new in others:
        choose(f"try_on_{tag}", new)
    if source is not None:
        st.caption(f"Its data, {_named(source.name)}, is loaded and the same.")
        others.pop(source.name, None)
    elif record.data.name in others:
        st.warning(
            f"{_named(record.data.name)} is loaded, but it is not the data of this decision: the file or the roles of "
            "its columns have changed.",
            icon=":material/difference:",
        )
    else:
        _show_missing(record)
    if others:
        picked = st.selectbox("Newer data", list(others), key=f"try_on_{tag}")
        _show_on_other_data(record, others[picked if picked in others else next(iter(others))], tag)
    elif source is not None and not takes_files:
        st.page_link("pages/rated_data.py", label="Upload newer data", icon=":material/upload_file:")


def _show_missing(record: DecisionRecord) -> None:
    is_kept = rated_uploads().tied(record.data.fingerprint) is not None
    state = "kept on this server: load it" if is_kept else "not loaded in this session. Upload it"
    newer = "upload newer data with the same score columns to try the thresholds there."
    st.info(f"{_named(record.data.name)} is {state} to open the decision, or {newer}", icon=":material/upload_file:")


def show_reopened(analysis: Analysis, point: Point) -> None:
    """Show the reopened decision, and whether data and thresholds are unchanged."""
    opened = session().point.reopened
    if opened is None or opened.data_name != analysis.dataset.name:
        return
    record = opened.record
    which = f"Decision of {moment(record.created)} UTC by {as_text(author_of(record))}."
    unchanged = (
        recorded_thresholds(analysis.deployable(point)) == record.thresholds
        and analysis.settings.rule == record.settings.rule
    )
    decided = as_text(decided_words(record))
    same = "Data and thresholds are the same."
    if record.segments is not None:
        tp, fp = (counted_words(record, value) for value in (record.expected.tp, record.expected.fp))
        same = "Data and common thresholds are the same. "
        same += as_text(f"With other thresholds for {record.segments.listed_words}, it had {tp} TP and {fp} FP.")
    words, button = st.columns([5, 1], vertical_alignment="center")
    if opened.same_data and unchanged:
        words.success(f"{which} {same}", icon=":material/check_circle:")
    elif opened.same_data:
        words.info(f"{which} The data is the same; its thresholds are {decided}.", icon=":material/history:")
    else:
        words.warning(f"{which} The data differs; its thresholds are {decided}.", icon=":material/difference:")
    button.button("Close", key="close_reopened", icon=":material/close:", on_click=_close)
    _show_replaced_goal(record.target, opened.same_data)


def _show_replaced_goal(target: RecordedTarget, same_data: bool) -> None:
    """Explain why the slider replaces the goal of the decision."""
    if target.by_hand or target.goal == MARGINAL_PRECISION or is_restorable(target, same_data=same_data):
        return
    if not same_data:
        reason = "belongs to other data"
    elif not is_known(target):
        reason = "is unknown to this version of the program"
    else:
        reason = "gives other thresholds in this version"
    result = (
        "its thresholds are set manually"
        if target.marginal_precision is None
        else "the slider shows its marginal precision"
    )
    st.caption(f"The goal of the decision, {as_text(shortened(target.goal, LONG_NAME))}, {reason}, so {result}.")


def _close() -> None:
    session().point.reopened = None


def _offer_opening(record: DecisionRecord, source: RatedSource, tag: str, label: str, *, same: bool) -> None:
    key = f"open_{tag}" if same else f"open_other_{tag}"
    if not st.button(label, key=key, type="primary" if same else "secondary", icon=":material/open_in_new:"):
        return
    try:
        choices = reopen(record, source, same=same)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.switch_page("pages/operating_point.py", query_params=choices)


def _show_on_other_data(record: DecisionRecord, source: RatedSource, tag: str) -> None:
    try:
        now = observed(record, source)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    sizes = compared_sizes(record, rows=now.rows, documents=now.documents, days=now.days, undecided=now.undecided)
    changes = changes_of(record, now, sizes)
    scale, advice = "" if sizes is None else f", {sizes.scale(vocabulary())}", advice_of(changes)
    show, icon = LIGHTS[advice]
    show(f"**{advice}.** {verdict(changes)}{_words_of_filters(record)}", icon=icon)
    words = WORDS[_unit(record)]
    with st.container(horizontal=True):
        for name, label, number in (
            ("precision", words.precision, percent),
            ("alerts", words.alerts if sizes is None else f"{words.alerts} {sizes.scale(vocabulary())}", rate),
        ):
            if (change := changes.get(name)) is not None:
                between = _between(change.then_bounds, number)
                expected = f"expected {number(change.then)}{f' ({between})' if between else ''}"
                st.metric(
                    label.capitalize(), number(change.now), expected, delta_color="off", delta_arrow="off", border=True
                )
    with st.expander("More", icon=":material/more_horiz:"):
        st.markdown(f"**Expected and observed values{scale}, at the thresholds of the decision**")
        st.dataframe(
            _changes_table(record, changes),
            hide_index=True,
            alt="Expected and observed counts on one scale and precision, with the difference.",
        )
        st.caption(_words_of_sizes(record, now, sizes))
        for note in comparison_notes(record, now, changes):
            st.caption(as_text(note))
    _offer_opening(record, source, tag, "Open with this data", same=False)


def _changes_table(record: DecisionRecord, changes: dict[str, Change]) -> pd.DataFrame:
    words = WORDS[_unit(record)]
    names = {"tp": words.caught, "fp": words.false, "alerts": words.alerts, "precision": words.precision}
    rows = []
    for name, change in changes.items():
        number, difference = (percent, points) if name == "precision" else (rate, _signed_rate)
        rows.append(
            [
                names[name],
                number(change.then),
                _between(change.then_bounds, number),
                number(change.now),
                _between(change.now_bounds, number),
                difference(change.difference),
                _between(change.bounds, difference),
            ]
        )
    headings = (("Old value", "old"), ("New value", "new"), ("Difference", "difference"))
    columns = ["", *(column for long, short in headings for column in (long, f"{short}, {LEVEL_WORDS}"))]
    table = pd.DataFrame(rows, columns=columns)
    # Records without intervals have no bounds of old values.
    return table.loc[:, [not column.endswith(LEVEL_WORDS) or bool((table[column] != "").any()) for column in columns]]


def _words_of_sizes(record: DecisionRecord, now: Observed, sizes: Sizes | None) -> str:
    """Describe the compared counts and their bases."""
    if sizes is None:
        return "The number rated at the decision is unknown, so only the precision is compared."
    number, then = _unit(record).number, record.expected
    size_then, size_now = (
        f"in {plural(size, 'day')}" if sizes.unit == PER_DAY else f"of {count(1_000 * size)} rated"
        for size in (sizes.then, sizes.now)
    )
    alerts_then, alerts_now = number(then.alerts + sizes.undecided[0]), number(now.alerts + sizes.undecided[1])
    return (
        f"Old counts: {number(then.tp)} caught among {alerts_then} flagged {size_then}; new counts: {number(now.tp)} "
        f"among {alerts_now} {size_now}."
    )


def _words_of_filters(record: DecisionRecord) -> str:
    """Describe the filters of the compared rows."""
    return "".join(
        f" Both include only rows where {_named(entry.column)} is {as_text(entry.words)}."
        for entry in record.data.filters or ()
    )


def _unit(record: DecisionRecord) -> Unit:
    return Unit.DOCUMENTS if record.settings.amount is None else Unit.MONEY


def _between(bounds: tuple[float, float], words: Callable[[float], str]) -> str:
    return "" if math.isnan(bounds[0]) else f"{words(bounds[0])} to {words(bounds[1])}"


def _signed_rate(value: float) -> str:
    return signed(value, rate(value))


def _named(name: str) -> str:
    return f"'{as_text(shortened(name, LONG_NAME))}'"
