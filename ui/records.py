"""Decision records on screen, and the decision log with the permissions of the user."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import streamlit as st

from decision_log import Audit, DecisionLog, Event, Listing, LogEntry, log_address
from decision_log.store import MAX_ENTRIES
from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import (
    MAX_NAME,
    RecordFile,
    dbt_model,
    markdown_summary,
    python_function,
    record_files,
    spark_expression,
    sql_where,
)
from multiloss_core.figures import weeks_drawing
from multiloss_core.formatting import count, money, reached, rules_named, score_name, share, shortened
from multiloss_core.thresholds import Rule
from ui.shared.formatting import LONG_NAME, as_text, vocabulary, without_links
from ui.shared.session import session
from ui.sign_in.person import Person, Role, is_identity, is_same_name, is_same_person
from ui.sign_in.user import current_user, settings

T = TypeVar("T")


class GuardedLog:
    """The decision log with the permissions of a `person`.

    With `second_person` the author must not deploy. With sign-in entries carry the identity of the person. Every method
    raises DataError without permission, or for an error of the log.
    """

    def __init__(self, log: DecisionLog, person: Person, *, second_person: bool) -> None:
        self._log, self._person, self._second_person = log, person, second_person

    def listing(self, *, limit: int) -> Listing:
        """List the newest entries and the unreadable ones."""
        return self._for(Role.READ).listing(limit=limit)

    def entries(self, *, limit: int = MAX_ENTRIES, data_name: str | None = None) -> tuple[LogEntry, ...]:
        """List the newest readable entries, optionally of one data name."""
        return self._for(Role.READ).entries(limit=limit, data_name=data_name)

    def get(self, entry_id: int) -> LogEntry:
        """Get one entry."""
        return self._for(Role.READ).get(entry_id)

    def deployed_entries(self) -> tuple[LogEntry, ...]:
        """List the deployed entries."""
        return self._for(Role.READ).deployed_entries()

    def export(self) -> str:
        """Return all entries as JSON lines."""
        return self._for(Role.READ).export()

    def trail(self) -> tuple[Event, ...]:
        """List all events with author and time."""
        return self._for(Role.ADMINISTER).trail()

    def audit(self) -> Audit:
        """Check every seal."""
        return self._for(Role.ADMINISTER).audit()

    def add(self, record: DecisionRecord) -> int:
        """Add a record of this person and return the number of its entry."""
        log = self._for(Role.DECIDE)
        if not self._person.may_sign(record.author):
            raise DataError("You are not the author of this record; only the author can add it to the log.")
        return log.add(record)

    def remark(self, entry_id: int, by: str, words: str, *, withdraws: bool = False) -> LogEntry:
        """Add a remark on an entry, or withdraw it as its author or an administrator."""
        log = self._for(Role.DECIDE, Role.ADMINISTER)
        if withdraws and not may_withdraw(self._person, log.get(entry_id)):
            raise DataError("Only the author or an administrator can withdraw a decision; add a remark instead.")
        return log.remark(entry_id, self._own(by), words, withdraws=withdraws)

    def mark_deployed(self, entry_id: int, by: str, when: datetime | None = None) -> LogEntry:
        """Mark an entry as deployed."""
        log, by = self._for(Role.DEPLOY), self._own(by)
        if self._second_person and (complaint := why_another_deploys(self._person, log.get(entry_id), by)):
            raise DataError(complaint)
        return log.mark_deployed(entry_id, by, when)

    def _for(self, *roles: Role) -> DecisionLog:
        self._person.require(*roles)
        return self._log

    def _own(self, name: str) -> str:
        if not self._person.may_sign(name):
            raise DataError("With sign-in you can write only under your own name; sign in as the other person.")
        return name


def may_withdraw(person: Person, entry: LogEntry) -> bool:
    """Return whether a person may withdraw an entry: its author or an administrator."""
    is_own = not person.identity or is_same_person(entry.record.author, person.identity)
    return person.may(Role.ADMINISTER) or (is_own and person.may(Role.DECIDE))


def why_another_deploys(person: Person, entry: LogEntry, by: str) -> str:
    """Explain why a person named `by` cannot deploy as the second person; empty if allowed."""
    author = entry.record.author
    if person.identity and not is_identity(author):
        return (
            f"Decision {entry.id} has a typed author, so the program cannot check for a second person; save a new "
            "decision to deploy it."
        )
    is_own = is_same_person(author, by) if person.identity else is_same_name(author, by)
    return f"Decision {entry.id} was made by the same person; a second person must deploy it." if is_own else ""


def decision_log() -> GuardedLog:
    """Open the log at MULTILOSS_DECISION_LOG, or in a local file, for the current user.

    Raises
    ------
    DataError : a log that cannot be opened, or a user without access.
    """
    return GuardedLog(opened_log(log_address()), current_user(), second_person=settings().roles.second_person)


def ask_name(label: str, *, key: str, help: str | None = None) -> str:
    """Ask for the author's name, or show the identity of the signed-in user."""
    identity = current_user().identity
    if identity:
        st.markdown(f"{label}: {as_text(identity)}", help=help)
        return identity
    typed: str = st.text_input(label, key=key, persist_state="session", max_chars=MAX_NAME, help=help)
    return typed.strip()


def from_log(ask: Callable[[GuardedLog], T]) -> T | None:
    """Query the log; after an error, show it with a retry button and return None.

    The error is kept until the retry: a database that does not respond costs seconds at each query.
    """
    state = session().decisions
    complaint = state.log_complaint
    if complaint is None:
        try:
            return ask(decision_log())
        except DataError as error:
            state.log_complaint = complaint = str(error)
    st.error(as_text(complaint), icon=":material/database_off:")
    st.button("Try again", icon=":material/refresh:", on_click=lambda: setattr(state, "log_complaint", None))
    return None


@st.cache_resource(max_entries=4, on_release=DecisionLog.close, show_spinner="Opening the decision log …")
def opened_log(address: str) -> DecisionLog:
    """Open the log at an address, once for all sessions."""
    return DecisionLog(address)


def moment(time: datetime) -> str:
    """Format a time in UTC, to the minute."""
    return f"{time:%Y-%m-%d %H:%M}"


def author_of(record: DecisionRecord) -> str:
    """Return the author's name, shortened, or "no author"."""
    return shortened(record.author, LONG_NAME) or "no author"


def label_of(entry: LogEntry) -> str:
    """Format an entry of the log in one line."""
    record = entry.record
    return f"{entry.id} · {shortened(record.data.name, LONG_NAME)} · {moment(record.created)} · {author_of(record)}"


def target_words(record: DecisionRecord) -> str:
    """Format the target marginal precision, "set manually" or "none"."""
    target = record.target
    if target.by_hand or target.marginal_precision is None:
        return "set manually" if target.by_hand else "none"
    return f"{100 * target.marginal_precision:.4g}\N{NO-BREAK SPACE}%"


def thresholds_words(names: Sequence[str], thresholds: Sequence[float | None], alert_rules: Sequence[str] = ()) -> str:
    """Format thresholds with the names of their classifiers, alert rules as on or off."""
    words = {name: reached(name, value, alert_rules) for name, value in zip(names, thresholds, strict=True)}
    parts = [f"{score_name(name)} {word}" for name, word in words.items() if name not in alert_rules]
    for state in ("on", "off"):
        same = [name for name, word in words.items() if name in alert_rules and word == state]
        parts += [f"{rules} {state}" for rules in rules_named(same)]
    return ", ".join(parts)


def decided_words(record: DecisionRecord) -> str:
    """Format the thresholds of a record; name the values of a column that have other ones."""
    common = recorded_words(record, record.thresholds)
    return common if record.segments is None else f"{common}, other thresholds for {record.segments.listed_words}"


def recorded_words(record: DecisionRecord, thresholds: Sequence[float | None]) -> str:
    """Format thresholds of a record that may be those of a segment."""
    return thresholds_words(record.columns.scores, thresholds, record.columns.alert_rule_names)


def precision_words(record: DecisionRecord) -> str:
    """Format the precision on the data of the record."""
    return share_words(record, record.expected.precision, record.expected.alerts)


def share_words(record: DecisionRecord, precision: float | None, alerts: float) -> str:
    """Format a share of alerts, counted as in the record."""
    # Records of money do not know the number of documents: use one decimal.
    return share(precision, alerts if record.settings.amount is None else 1_000)


def counted_words(record: DecisionRecord, value: float) -> str:
    """Format a count of a record, marking money."""
    return count(value) if record.settings.amount is None else f"{money(value)} (money)"


def deployment_words(entry: LogEntry) -> str:
    """Describe the deployment of an entry; empty if it was never deployed nor withdrawn."""
    if not entry.deployments:
        return "" if entry.withdrawn is None else "withdrawn"
    last = entry.deployments[-1]
    if last.retired_at is None:
        return f"since {moment(last.deployed_at)} by {shortened(last.deployed_by, LONG_NAME)}"
    return f"until {moment(last.retired_at)}"


def summary_on_page(record: DecisionRecord) -> str:
    """Format the Markdown summary without its title, with headings below those of the page."""
    _, _, body = markdown_summary(record, vocabulary()).partition("\n\n")
    return without_links(f"\n\n{body}".replace("\n\n## ", "\n\n#### "))


def offer_files(record: DecisionRecord, tag: str, drawings: Mapping[str, str] | None = None) -> None:
    """Offer the downloads of a record and its code. `tag` makes widget keys unique.

    `drawings`: the charts of the report by title, by default the weeks of the record.
    """
    with st.container(horizontal=True, gap="small"):
        for file in record_files(record, vocabulary(), weeks_of(record) if drawings is None else drawings):
            download_button(file, tag)
    show_code(record)


def download_button(file: RecordFile, tag: str) -> None:
    """Offer one download without a rerun."""
    st.download_button(
        file.label,
        file.text,
        file.name,
        file.mime,
        key=f"take_{file.label}_{tag}",
        icon=":material/download:",
        on_click="ignore",
    )


def weeks_of(record: DecisionRecord) -> dict[str, str]:
    """Draw the weeks of a record, if it has any."""
    weeks = () if record.evidence is None else record.evidence.weeks
    return {"Alerts of each week": weeks_drawing(weeks, vocabulary())} if weeks else {}


def show_code(record: DecisionRecord) -> None:
    """Show the thresholds as SQL, dbt, Spark and Python code."""
    sql, dbt, spark, python = st.tabs(["SQL", "dbt", "Spark", "Python"])
    sql.code(sql_where(record), language="sql", wrap_lines=True)
    dbt.code(dbt_model(record), language="sql", wrap_lines=True)
    spark.code(spark_expression(record), language="sql", wrap_lines=True)
    python.code(python_function(record), language="python", wrap_lines=True)


def deployed_entry(names: Sequence[str], data_name: str, rule: Rule | None = None) -> LogEntry | None:
    """Find the deployed entry with these score columns, preferring the data name.

    `rule` restricts it. Returns None also for an unusable log, whose error the page Decisions shows.
    """
    if session().decisions.log_complaint is not None:
        return None
    try:
        found = decision_log().deployed_entries()
    except DataError:
        return None
    fitting = [
        entry
        for entry in found
        if entry.record.columns.scores == tuple(names) and rule in (None, entry.record.settings.rule)
    ]
    return next((entry for entry in fitting if entry.record.data.name == data_name), next(iter(fitting), None))


def show_deployed(names: Sequence[str], data_name: str) -> None:
    """Show the deployed thresholds of these scores in one line, with a link to the decision."""
    entry = deployed_entry(names, data_name)
    if entry is None:
        return
    record = entry.record
    of = "" if record.data.name == data_name else f", decided on {shortened(record.data.name, LONG_NAME)}"
    words = f"{decided_words(record)}{of}, {deployment_words(entry)} (UTC)"
    with st.container(horizontal=True, vertical_alignment="center", key="deployed_entries"):
        st.markdown(f":material/rocket_launch: **Deployed:** {as_text(words)}.", width="content")
        st.page_link("pages/decisions.py", label=f"Decision {entry.id}", query_params={"decision": f"{entry.id}"})
