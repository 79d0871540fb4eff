"""Sections of the page Decisions."""

import hashlib
import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from decision_log import LogEntry
from multiloss_core import DataError, DecisionRecord, Unit
from multiloss_core.decisions import (
    MAX_BYTES,
    MAX_NAME,
    SET_MANUALLY,
    first_page,
    recall_sentences,
    segment_rows,
    undecided_of,
)
from multiloss_core.formatting import count, shortened
from multiloss_core.numerics import ratio
from ui.decisions.log_comparison import show_comparison
from ui.decisions.log_history import offer_remark, show_remarks
from ui.decisions.new_scores import show_new_scores
from ui.decisions.reopening_panel import offer_opening, show_reopening
from ui.records import (
    ask_name,
    author_of,
    decided_words,
    decision_log,
    deployment_words,
    from_log,
    label_of,
    moment,
    offer_files,
    recorded_words,
    summary_on_page,
    why_another_deploys,
)
from ui.shared.choices import ask_choice, choose, chosen
from ui.shared.formatting import LONG_NAME, as_label, as_text, show_table, vocabulary
from ui.shared.page_setup import write_style
from ui.shared.session import UploadedRecord, session
from ui.shared.widgets import shown_when_open
from ui.sign_in.person import Role
from ui.sign_in.user import current_user, settings

UPLOADER, CHOSEN, ROWS = "record_file", "decision", "decision_rows"
EVERY_DATA, NOTHING = "all data", "(none)"
# Digits of the SHA-256 that identify data names in the URL.
DIGEST_LENGTH = 12
PAGE = 100
COUNTED = "Counted"
FORMATS = {
    "Target": st.column_config.NumberColumn(format="%.4g %%"),
    "TP": st.column_config.NumberColumn(format="localized"),
    "FP": st.column_config.NumberColumn(format="localized"),
    "Precision": st.column_config.NumberColumn(format="%.1f %%"),
}
# Pixels reserved for widgets that load late: the uploader and a row of the list.
ROW_HEIGHT, MAX_ROWS = 35, 10
TILE_WIDTH = 152


def ask_record() -> None:
    """Ask for a record file and show its record."""
    with st.container(key=f"{UPLOADER}_room"):
        st.file_uploader(
            "A decision record (JSON) from a file",
            type=["json"],
            key=UPLOADER,
            max_upload_size=math.ceil(MAX_BYTES / 2**20),
            on_change=_read_record,
            help="See a decision, open it again, or try its thresholds on newer data. The record is not added to the "
            "log automatically.",
        )
    uploaded = session().decisions.uploaded
    if uploaded is None:
        return
    if uploaded.record is None:
        st.error(as_text(f"'{shortened(uploaded.file, LONG_NAME)}': {uploaded.complaint}"), icon=":material/error:")
        return
    with st.container(border=True):
        st.subheader(f"From the file {as_text(shortened(uploaded.file, LONG_NAME))}", anchor=False)
        is_own = current_user().may_sign(uploaded.record.author)
        _show_answer(uploaded.record)
        with st.container(horizontal=True, vertical_alignment="center"):
            offer_opening(uploaded.record, "uploaded")
            if current_user().may(Role.DECIDE) and is_own:
                st.button("Add to the log", on_click=_add_to_log, args=(uploaded, uploaded.record))
            st.button("Close", icon=":material/close:", on_click=_close)
        if uploaded.complaint:
            st.error(as_text(uploaded.complaint), icon=":material/error:")
        if not is_own:
            st.caption("Only the author of a record can add it to the log.")
        _show_rest(uploaded.record, "uploaded")


def _read_record() -> None:
    """Keep the uploaded record, which the uploader drops when the page changes."""
    file = chosen(UPLOADER)
    if file is None:
        _close()
        return
    try:
        record = DecisionRecord.from_json(file.getvalue())
        # A record without a valid summary would break the page of all users once in the log.
        summary_on_page(record)
        uploaded = UploadedRecord(file.name, record=record)
    except DataError as error:
        uploaded = UploadedRecord(file.name, complaint=str(error))
    except (ArithmeticError, ValueError):
        uploaded = UploadedRecord(file.name, complaint="The record is invalid; save it again from the program.")
    session().decisions.uploaded = uploaded


def _add_to_log(uploaded: UploadedRecord, record: DecisionRecord) -> None:
    """Add a record before the run that shows the log, and choose it there."""
    try:
        number = decision_log().add(record)
    except DataError as error:
        session().decisions.uploaded = replace(uploaded, complaint=str(error))
        return
    choose(CHOSEN, str(number))
    session().decisions.note = f"Added to the log as number {number}."
    _close()


def show_log() -> None:
    """Show the list of decisions, the selected one, and its comparison."""
    limit = PAGE + session().decisions.more
    listing = from_log(lambda log: log.listing(limit=limit))
    if listing is None:
        return
    entries = listing.entries
    note, session().decisions.note = session().decisions.note, None
    if note:
        st.success(note, icon=":material/check_circle:")
    for complaint in listing.unreadable.values():
        st.warning(f"{as_text(complaint)} Other entries are unaffected.", icon=":material/broken_image:")
    if not entries:
        st.info(
            "**The log contains no decisions yet.** Save one with *Save this decision* on the decision sheet or the "
            "operating point, or open its record below. Then drop next month's file here: the page answers whether the "
            "decision still holds.",
            icon=":material/history:",
        )
        st.page_link("pages/operating_point.py", label="Choose the operating point", icon=":material/arrow_forward:")
        return
    answer = st.container()
    st.subheader("All decisions", anchor=False)
    shown = _ask_data(entries)
    if shown:
        with answer:
            entry = _show_chosen(shown)
        _show_list(shown)
        _offer_more(limit, len(listing))
        _offer_comparison(entry, shown)


def _ask_data(entries: tuple[LogEntry, ...]) -> tuple[LogEntry, ...]:
    """Ask for the data name of the entries to list."""
    names = list(dict.fromkeys(entry.record.data.name for entry in entries))
    if len(names) == 1:
        return entries
    # The URL must not contain names.
    known = {hashlib.sha256(name.encode()).hexdigest()[:DIGEST_LENGTH]: name for name in names}
    labels = {EVERY_DATA: EVERY_DATA} | {value: shortened(name, LONG_NAME) for value, name in known.items()}
    picked = ask_choice(st.selectbox, "Decisions for", labels, key="decisions_for")
    if picked not in known:
        return entries
    return from_log(lambda log: log.entries(limit=len(entries), data_name=known[picked])) or ()


def _show_list(entries: tuple[LogEntry, ...]) -> None:
    table = pd.DataFrame([_listed(entry) for entry in entries])
    if not table[COUNTED].eq(Unit.MONEY).any():
        table = table.drop(columns=COUNTED)
    numbers = [str(entry.id) for entry in entries]
    write_style(f".st-key-{ROWS}_room {{ min-height: {ROW_HEIGHT * (1 + min(len(table), MAX_ROWS)) + 2}px; }}")
    with st.container(key=f"{ROWS}_room"):
        show_table(
            table,
            hide_index=True,
            column_config=FORMATS,
            key=ROWS,
            on_select=lambda: _choose_row(numbers),
            selection_mode="single-row",
            alt="The decisions of the log, the newest first; a selected row is shown below.",
        )


def _choose_row(numbers: list[str]) -> None:
    """Choose the decision of the selected row."""
    rows = chosen(ROWS)["selection"]["rows"]
    if rows and rows[0] < len(numbers):
        choose(CHOSEN, numbers[rows[0]])


def _listed(entry: LogEntry) -> dict[str, str | float | None]:
    """Convert an entry to a table row with sortable numbers."""
    record = entry.record
    expected, target, by_hand = record.expected, record.target, record.target.by_hand
    return {
        "No.": entry.id,
        "Data": record.data.name,
        "Decided (UTC)": moment(record.created),
        "By": record.author,
        "Method": SET_MANUALLY if by_hand else record.settings.method,
        "Target": None if by_hand or target.marginal_precision is None else 100 * target.marginal_precision,
        "Thresholds": decided_words(record),
        COUNTED: vocabulary().counted(Unit.DOCUMENTS if record.settings.amount is None else Unit.MONEY),
        "TP": expected.tp,
        "FP": expected.fp,
        "Precision": None if expected.precision is None else 100 * expected.precision,
        "Deployed": deployment_words(entry),
    }


def _offer_more(limit: int, listed: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if listed == limit:
            st.button("Show older", on_click=_show_more)
        # Deferred to the click: a long log takes seconds.
        export = from_log(lambda log: log.export)
        if export is not None:
            st.download_button(
                "Export the whole log (JSON lines)",
                export,
                "decisions.jsonl",
                "application/jsonl",
                icon=":material/download:",
                on_click="ignore",
            )


def _show_chosen(entries: tuple[LogEntry, ...]) -> LogEntry:
    """Ask for a decision of the list, show and return it."""
    known = {str(entry.id): entry for entry in entries}
    labels = {number: label_of(entry) for number, entry in known.items()}
    entry = known[ask_choice(st.selectbox, "Decision", labels, key=CHOSEN)]
    complaint = _why_not_to_deploy(entry)
    with st.container(border=True):
        st.subheader(f"Decision {entry.id}", anchor=False)
        _show_answer(entry.record)
        with st.container(horizontal=True, vertical_alignment="center"):
            offer_opening(entry.record, "entry")
            if complaint == "":
                _ask_deployment(entry)
            offer_remark(entry)
        if entry.deployed:
            st.success(f"Deployed {as_text(deployment_words(entry))}.", icon=":material/rocket_launch:")
        elif entry.deployments:
            st.caption(f"Deployed {as_text(deployment_words(entry))}.")
        if complaint:
            st.caption(as_text(complaint))
        show_remarks(entry)
        _show_rest(entry.record, "entry")
    return entry


def _show_answer(record: DecisionRecord) -> None:
    """Show a decision as one sentence and four numbers with their intervals."""
    first = first_page(record, vocabulary())
    st.markdown(f"**{as_text(first.headline)}.**")
    st.caption(as_text(f"{author_of(record)}, {moment(record.created)} UTC: {shortened(record.reason, MAX_NAME)}"))
    with st.container(horizontal=True, gap="small"):
        for tile in first.tiles:
            st.metric(as_label(tile.name), tile.number, help=tile.interval, border=True, width=TILE_WIDTH)
    if waiting := undecided_of(record)[0]:
        st.caption(f"{count(waiting)} of these alerts are undecided.")
    if record.audit is not None:
        st.caption(as_text(" ".join(recall_sentences(record, vocabulary()))))
    _show_segments(record)


def _show_segments(record: DecisionRecord) -> None:
    """List the thresholds of each segment with their counts, if there are any."""
    if record.segments is None:
        return
    rows = [
        (values, recorded_words(record, thresholds), tp, fp, 100 * ratio(tp, tp + fp))
        for values, thresholds, tp, fp in segment_rows(record)
    ]
    show_table(
        pd.DataFrame(rows, columns=["Values", "Thresholds", "TP", "FP", "Precision"]),
        hide_index=True,
        column_config={**FORMATS, "Values": shortened(record.segments.column)},
        alt="The thresholds of each segment with TP, FP and precision, all other values last.",
    )


def _show_rest(record: DecisionRecord, tag: str) -> None:
    """Show a decision on loaded data; offer its report, which opens on request."""
    # One uploader on the page.
    show_reopening(record, tag, takes_files=tag == "entry")
    show_new_scores(record, tag)
    report = shown_when_open("Report, files and code", key=f"report_{tag}", icon=":material/description:")
    report(_show_report)(record, tag)


def _show_report(record: DecisionRecord, tag: str) -> None:
    summary, files = st.columns(2, gap="large")
    with summary, st.container(key=f"summary_{tag}"):
        st.markdown(summary_on_page(record))
    with files:
        st.markdown("#### Downloads")
        offer_files(record, tag)


def _offer_comparison(entry: LogEntry, entries: tuple[LogEntry, ...]) -> None:
    """Ask for another decision, and show both side by side."""
    others = {str(other.id): other for other in entries if other.id != entry.id}
    labels = {NOTHING: NOTHING} | {number: label_of(other) for number, other in others.items()}
    beside = ask_choice(st.selectbox, f"Compare decision {entry.id} with", labels, key="compared_with")
    if beside in others:
        show_comparison(entry.record, others[beside].record)


def _why_not_to_deploy(entry: LogEntry) -> str | None:
    """Explain why another person must deploy; None if it is not possible, empty if the user can."""
    person = current_user()
    if entry.deployed or entry.withdrawn is not None or not person.may(Role.DEPLOY):
        return None
    is_strict = person.identity and settings().roles.second_person
    return why_another_deploys(person, entry, person.identity) if is_strict else ""


def _ask_deployment(entry: LogEntry) -> None:
    """Offer a form to mark an entry as deployed."""
    with st.popover("Deploy", icon=":material/rocket_launch:"), st.form("deployment", border=False):
        by = ask_name(
            "Deployed by", key="deployed_by", help="This retires the deployed decision of the same data name."
        )
        marked = st.form_submit_button("Mark as deployed", icon=":material/rocket_launch:")
    if not marked:
        return
    if not by:
        st.error("Enter the name of the person who deployed it.", icon=":material/error:")
        return
    try:
        decision_log().mark_deployed(entry.id, by)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    session().decisions.note = f"Decision {entry.id} is marked as deployed."
    st.rerun()


def _close() -> None:
    session().decisions.uploaded = None


def _show_more() -> None:
    session().decisions.more += PAGE
