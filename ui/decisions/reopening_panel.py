"""Where a record can be opened again: whether its data is here, and what its thresholds do on data that came since."""

import math
from collections.abc import Callable

import pandas as pd
import streamlit as st

from multiloss_core import DataError, DecisionRecord, Unit
from multiloss_core.decisions import RecordedInterval, RecordedTarget, recorded_thresholds
from multiloss_core.formatting import UNDEFINED, count, percent, points, shortened, signed, whole
from multiloss_core.numerics import ratio
from multiloss_core.thresholds import Point
from ui.data.rated_datasets import RatedSource
from ui.decisions.reopening import Observed, observed, other_data, reopen, same_data
from ui.operating_point.analysis import Analysis
from ui.operating_point.controls.target_drivers import is_restorable
from ui.operating_point.decision_record import MARGINAL_PRECISION
from ui.operating_point.point_text import WORDS
from ui.records.record_text import author_of, moment, precision_words, share_words, thresholds_words
from ui.shared.formatting import LONG_NAME, as_text
from ui.shared.session import session


def show_reopening(record: DecisionRecord, tag: str) -> None:
    """Say whether the data of a record is here, and open it; else try its thresholds on other data; `tag` for keys."""
    source = same_data(record)
    if source is not None:
        st.success(f"Its data, {_named(source.name)}, is loaded and the same.", icon=":material/check_circle:")
        _offer_opening(record, source, tag, "Open on the operating point", same=True)
        return
    others = other_data(record)
    if record.data.name in others:
        st.warning(
            f"{_named(record.data.name)} is loaded, but it is not the data of this decision: the file has changed, or "
            "its columns mean something else.",
            icon=":material/difference:",
        )
    else:
        st.info(
            f"{_named(record.data.name)} is not loaded in this session. Upload it to open the decision as it was; "
            "upload newer data with the same score columns to see how the thresholds do there.",
            icon=":material/upload_file:",
        )
        st.page_link("pages/rated_data.py", label="Upload the data", icon=":material/upload_file:")
    if others:
        picked = st.selectbox("Try the thresholds on", list(others), key=f"try_on_{tag}")
        _show_on_other_data(record, others[picked if picked in others else next(iter(others))], tag)


def show_reopened(analysis: Analysis, point: Point) -> None:
    """On the operating point: which decision it was opened with, and whether the point is still there."""
    opened = session().point.reopened
    if opened is None or opened.data_name != analysis.dataset.name:
        return
    record = opened.record
    which = f"Opened: the decision of {moment(record.created)} UTC by {as_text(author_of(record))}."
    unchanged = (
        recorded_thresholds(analysis.deployable(point)) == record.thresholds
        and analysis.settings.rule == record.settings.rule
    )
    decided = as_text(thresholds_words(record.columns.scores, record.thresholds))
    words, button = st.columns([5, 1], vertical_alignment="center")
    if opened.same_data and unchanged:
        words.success(f"{which} The data is the same, and so are the thresholds.", icon=":material/check_circle:")
    elif opened.same_data:
        words.info(f"{which} The data is the same; the decision is for {decided}.", icon=":material/history:")
    else:
        words.warning(
            f"{which} The data is not that of the decision, which is for {decided}.", icon=":material/difference:"
        )
    button.button("Close", key="close_reopened", icon=":material/close:", on_click=_close)
    _say_who_drives(record.target, opened.same_data)


def _say_who_drives(target: RecordedTarget, same_data: bool) -> None:
    """Say where the slider took the place of what drove the decision."""
    if target.by_hand or target.driver == MARGINAL_PRECISION or is_restorable(target, same_data=same_data):
        return
    driver = as_text(shortened(target.driver, LONG_NAME))
    why = "it is not known to this version of the program" if same_data else "what it asked for was asked of other data"
    st.caption(
        f"The decision was driven by {driver}; {why}, so the slider stands at the marginal precision that it came to."
    )


def _close() -> None:
    session().point.reopened = None


def _offer_opening(record: DecisionRecord, source: RatedSource, tag: str, label: str, *, same: bool) -> None:
    if not st.button(label, key=f"open_{tag}", type="primary" if same else "secondary", icon=":material/open_in_new:"):
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
    st.markdown("**Then expected, now observed, at the thresholds of the decision**")
    st.dataframe(
        _then_and_now(record, now), hide_index=True, alt="Counts and precision expected then and observed now."
    )
    then = record.data.funnel
    rated = f"{count(now.rated)} rated documents now" + (f", {count(then.at_or_above_floor)} then" if then else "")
    st.caption(f"{rated}: counts grow with the data, the precision does not. {_verdict(record, now)}")
    _offer_opening(record, source, tag, "Open with this data", same=False)


def _then_and_now(record: DecisionRecord, now: Observed) -> pd.DataFrame:
    then, level = record.expected, record.expected.level
    unit = Unit.DOCUMENTS if record.settings.amount is None else Unit.MONEY
    words, number = WORDS[unit], unit.number
    rows = []
    for name, then_counted, interval, found in (
        (words.caught, then.tp, then.tp_interval, now.tp),
        (words.false, then.fp, then.fp_interval, now.fp),
        (words.alerts, then.alerts, then.alerts_interval, now.alerts),
    ):
        difference = signed(found - then_counted, number(found - then_counted))
        rows.append([name, number(then_counted), _between(interval, whole), number(found), "", difference])
    precision = ratio(now.tp, now.alerts)
    rows.append(
        [
            words.precision,
            precision_words(record),
            _between(then.precision_interval, percent),
            share_words(record, precision, now.alerts),
            "" if math.isnan(now.precision_low) else f"{percent(now.precision_low)} – {percent(now.precision_high)}",
            UNDEFINED if then.precision is None else points(precision - then.precision),
        ]
    )
    expected = "Expected then" if level is None else f"Expected then, {100 * level:.4g} %"
    columns = ["", "Counted then", expected, "Observed now", "95 %", "Difference"]
    table = pd.DataFrame(rows, columns=columns)
    return table.drop(columns=expected) if level is None else table


def _verdict(record: DecisionRecord, now: Observed) -> str:
    """Say whether the precision has changed by more than chance explains, where both intervals are known."""
    then = record.expected.precision_interval
    if then is None or math.isnan(now.precision_low):
        return ""
    if now.precision_high < then.low:
        return "The precision has fallen by more than chance explains: choose the point anew."
    if now.precision_low > then.high:
        return "The precision has risen by more than chance explains: looser thresholds may be worth it."
    return "The precision is within what was expected: the intervals overlap."


def _between(interval: RecordedInterval | None, words: Callable[[float], str]) -> str:
    return "" if interval is None else f"{words(interval.low)} – {words(interval.high)}"


def _named(name: str) -> str:
    return f"'{as_text(shortened(name, LONG_NAME))}'"
