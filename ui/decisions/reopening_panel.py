"""Where a record can be opened again: whether its data is here, and what its thresholds do on data that came since."""

import math
from collections.abc import Callable

import pandas as pd
import streamlit as st

from multiloss_core import DataError, DecisionRecord, Unit
from multiloss_core.datasets import RatedSource
from multiloss_core.decisions import (
    MARGINAL_PRECISION,
    PER_DAY,
    Change,
    Observed,
    RecordedTarget,
    Sizes,
    changes_of,
    compared_sizes,
    recorded_thresholds,
    verdict,
)
from multiloss_core.formatting import count, percent, points, rate, shortened, signed
from multiloss_core.thresholds import Point
from ui.data.rated import rated_uploads
from ui.decisions.reopening import observed, other_data, reopen, same_data
from ui.operating_point.active_goal import is_known, is_restorable
from ui.operating_point.analysis import Analysis
from ui.operating_point.point_text import WORDS
from ui.records import author_of, moment, thresholds_words
from ui.shared.formatting import LONG_NAME, as_text, vocabulary
from ui.shared.session import session

LEVEL_WORDS = "95 %"


def show_reopening(record: DecisionRecord, tag: str) -> None:
    """Say whether the data of a record is here, and open it; try its thresholds on other data; `tag` is for keys."""
    source, others = same_data(record), other_data(record)
    if source is not None:
        st.success(f"Its data, {_named(source.name)}, is loaded and the same.", icon=":material/check_circle:")
        _offer_opening(record, source, tag, "Open on the operating point", same=True)
        others.pop(source.name, None)
    elif record.data.name in others:
        st.warning(
            f"{_named(record.data.name)} is loaded, but it is not the data of this decision: the file has changed, or "
            "its columns mean something else.",
            icon=":material/difference:",
        )
    else:
        _say_missing(record.data.name)
    if others:
        picked = st.selectbox("Try the thresholds on", list(others), key=f"try_on_{tag}")
        _show_on_other_data(record, others[picked if picked in others else next(iter(others))], tag)
    elif source is not None:
        st.caption("To see how the thresholds do on newer data, upload them with the same score columns.")
        st.page_link("pages/rated_data.py", label="Upload newer data", icon=":material/upload_file:")


def _say_missing(name: str) -> None:
    newer = "upload newer data with the same score columns to see how the thresholds do there."
    icon = ":material/upload_file:"
    if rated_uploads().is_kept(name):
        st.info(
            f"{_named(name)} is kept in this browser: bring it back to open the decision as it was, or {newer}",
            icon=icon,
        )
        label, asked = "Bring it back", rated_uploads().in_address(name)
    else:
        st.info(
            f"{_named(name)} is not loaded in this session. Upload it to open the decision as it was; {newer}",
            icon=icon,
        )
        label, asked = "Upload the data", {}
    st.page_link("pages/rated_data.py", label=label, icon=icon, query_params=asked)


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
    if not same_data:
        why = "what it asked for was asked of other data"
    elif not is_known(target):
        why = "it is not known to this version of the program"
    else:
        why = "this version finds thresholds of its own for it"
    came_to = (
        "its thresholds are set as they are"
        if target.marginal_precision is None
        else "the slider stands at the marginal precision that it came to"
    )
    st.caption(f"The decision was driven by {driver}; {why}, so {came_to}.")


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
    scale = "" if sizes is None else f", {sizes.scale(vocabulary())}"
    st.markdown(f"**Then expected, now observed{scale}, at the thresholds of the decision**")
    st.dataframe(
        _then_and_now(record, changes),
        hide_index=True,
        alt="Counts on one scale and precision, expected then and observed now, with the difference.",
    )
    st.caption(f"{_words_of_sizes(record, now, sizes)} {verdict(changes)}{_words_of_filters(record)}")
    _offer_opening(record, source, tag, "Open with this data", same=False)


def _then_and_now(record: DecisionRecord, changes: dict[str, Change]) -> pd.DataFrame:
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
    columns = ["", "Then", f"then, {LEVEL_WORDS}", "Now", f"now, {LEVEL_WORDS}", "Difference", f"of it, {LEVEL_WORDS}"]
    table = pd.DataFrame(rows, columns=columns)
    # A record without intervals knows no bounds of then.
    return table.loc[:, [not column.endswith(LEVEL_WORDS) or bool((table[column] != "").any()) for column in columns]]


def _words_of_sizes(record: DecisionRecord, now: Observed, sizes: Sizes | None) -> str:
    """Say what the numbers are of, in counts."""
    if sizes is None:
        return "How much was rated then is not known, so only the precision is compared."
    number, then = _unit(record).number, record.expected
    size_then, size_now = (
        f"in {count(size)} days" if sizes.unit == PER_DAY else f"of {count(1_000 * size)} rated"
        for size in (sizes.then, sizes.now)
    )
    alerts_then, alerts_now = number(then.alerts + sizes.undecided[0]), number(now.alerts + sizes.undecided[1])
    return (
        f"Counted then: {number(then.tp)} caught among {alerts_then} flagged {size_then}; now {number(now.tp)} among "
        f"{alerts_now} {size_now}."
    )


def _words_of_filters(record: DecisionRecord) -> str:
    """Say which rows were compared, where not all were."""
    return "".join(
        f" Then and now only rows where {_named(entry.column)} is {as_text(entry.words)}."
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
