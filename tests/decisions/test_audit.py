"""Test that the audit finds every change made past the program."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, text

from decision_log import DecisionLog
from decision_log.chain import seal_of_event, seal_of_row
from decision_log.tables import FIRST
from tests.decisions.logs import add_rows, altered, check_output, executed, is_sqlite, moment
from tests.decisions.records import make_record

NOW = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
# Changes by the owner of the database, and the fault that the audit reports.
CHANGES = [
    ("UPDATE decision_log_entries SET record = REPLACE(record, '0.', '1.') WHERE id = 2", "Entry 2 was changed after"),
    ("UPDATE decision_log_entries SET author = 'Mallory' WHERE id = 1", "Entry 1 was changed after"),
    ("UPDATE decision_log_entries SET added = '2020-01-01 00:00:00.000000' WHERE id = 1", "Entry 1 was changed"),
    ("UPDATE decision_log_deployments SET deployed_by = 'Mallory' WHERE id = 2", "Deployment 2 of entry 2 was changed"),
    ("DELETE FROM decision_log_deployments WHERE id = 1", "Deployment 1 of entry 1 was taken out after"),
    ("UPDATE decision_log_remarks SET words = 'all is well'", "Remark 1 on entry 1 was changed after"),
    ("DELETE FROM decision_log_remarks", "Remark 1 on entry 1 was taken out after"),
    (
        "INSERT INTO decision_log_deployments (entry_id, data_name, deployed_by, deployed_at) "
        "VALUES (1, 'alerts.csv', 'Mallory', '2026-02-01 12:00:00.000000')",
        "Deployment 3 of entry 1 was put in past the program",
    ),
    ("UPDATE decision_log_events SET actor = 'Mallory' WHERE number = 3", "Event 3 was changed"),
    ("DELETE FROM decision_log_events WHERE number = 3", "Events 3 to 3 are missing"),
]


@pytest.fixture
def written(address):
    """Write a log with two entries, two deployments and a remark; return its address."""
    with DecisionLog(address) as log:
        first, second = log.add(make_record()), log.add(make_record())
        log.mark_deployed(first, "Ann")
        log.mark_deployed(second, "Bob")
        log.remark(first, "Ann", "too many alerts", withdraws=True)
    return address


@pytest.fixture
def remarked(address):
    """Write a log with two entries of different data and a remark; return its address."""
    with DecisionLog(address) as log:
        log.add(make_record())
        other = make_record()
        log.add(replace(other, data=replace(other.data, fingerprint="ef" * 32)))
        log.remark(1, "Ann", "seen")
    return address


def next_event(address, row, table="remarks", **changes):
    """Make the event that seals a row and follows the last one, except for the changes."""
    last = executed(address, "SELECT number, digest FROM decision_log_events ORDER BY number DESC LIMIT 1")
    number, digest = last[0] if last else (0, FIRST)
    (fingerprint,) = executed(address, f"SELECT fingerprint FROM decision_log_entries WHERE id = {row['entry_id']}")[0]
    event = {
        "number": number + 1,
        "made": row["made"],
        "actor": row["author"],
        "action": "remarked",
        "entry_id": row["entry_id"],
        "row_id": row["id"],
        "fingerprint": fingerprint,
        "content": seal_of_row(f"decision_log_{table}", row),
        "previous": digest,
    } | changes
    return event | {"digest": seal_of_event(event)}


def remark(author="Ann", entry_id=1, number=2):
    return {"id": number, "entry_id": entry_id, "author": author, "made": NOW, "words": "fine", "withdraws": False}


def test_untouched_log_has_no_faults(written):
    with DecisionLog(written) as log:
        found = log.audit()
        events = log.trail()
        prints = {entry.id: entry.record.data.fingerprint for entry in log.entries()}
    assert (found.events, found.entries, found.faults, found.notices) == (5, 2, (), ())
    assert [(event.number, event.actor, event.action, event.entry_id) for event in events] == [
        (1, make_record().author, "recorded", 1),
        (2, make_record().author, "recorded", 2),
        (3, "Ann", "deployed", 1),
        (4, "Bob", "deployed", 2),
        (5, "Ann", "withdrawn", 1),
    ]
    assert all(event.fingerprint == prints[event.entry_id] for event in events)
    assert found.head == events[-1].digest


@pytest.mark.parametrize("statement", [statement for statement, _ in CHANGES if not statement.startswith("INSERT")])
def test_database_rejects_updates_and_deletions(written, statement):
    with pytest.raises(Exception, match="the decision log is append-only"):
        executed(written, statement)
    with DecisionLog(written) as log:
        assert not log.audit().faults


@pytest.mark.parametrize(("statement", "fault"), CHANGES)
def test_change_past_the_program_is_found(written, statement, fault):
    altered(written, statement)
    with DecisionLog(written) as log:
        assert any(sentence.startswith(fault) for sentence in log.audit().faults)


def test_event_sealed_anew_breaks_the_chain(written):
    columns = "number, made, actor, action, entry_id, row_id, fingerprint, content, previous"
    (row,) = executed(written, f"SELECT {columns} FROM decision_log_events WHERE number = 3")
    event = dict(row._mapping) | {"actor": "Mallory"}
    made = event["made"]
    event["made"] = datetime.fromisoformat(made).replace(tzinfo=UTC) if isinstance(made, str) else made
    digest = seal_of_event(event)
    altered(written, f"UPDATE decision_log_events SET actor = 'Mallory', digest = '{digest}' WHERE number = 3")
    with DecisionLog(written) as log:
        assert log.audit().faults == (
            "Event 4 does not follow on the one before.",
            "Deployment 1 of entry 1 has another actor than event 3.",
        )


def test_cut_off_end_is_found_by_the_noted_head(written):
    with DecisionLog(written) as log:
        head = log.audit().head
        assert not log.audit(head).faults
    altered(written, "DELETE FROM decision_log_events WHERE number = 5")
    altered(written, "DELETE FROM decision_log_remarks")
    if written.startswith("sqlite"):
        executed(written, "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'decision_log_remarks'")
    with DecisionLog(written) as log:
        assert not log.audit().faults
        (fault,) = log.audit(head).faults
    assert fault.startswith(f"No event has the hash {head}")


def test_command_reports_a_changed_row(written):
    whole = check_output(written, "check")
    assert whole.startswith("2 entries and 5 events are as the program wrote them.")
    head = whole.split()[-1]
    assert check_output(written, "check", "--head", head) == whole
    altered(written, "UPDATE decision_log_entries SET author = 'Mallory' WHERE id = 2")
    faults = check_output(written, "check", code=1)
    assert faults.startswith("Entry 2 was changed after 20")
    assert "NOT as the program wrote it: 1 " in faults
    events = [json.loads(line) for line in check_output(written, "trail").splitlines()]
    assert [event["action"] for event in events] == ["recorded", "recorded", "deployed", "deployed", "withdrawn"]
    assert {"record", "content"}.isdisjoint(events[0])


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, None),
        ({"actor": "Bob"}, "Remark 2 on entry 1 has another actor than event 4"),
        ({"action": "withdrawn"}, "Remark 2 on entry 1 has another action than event 4"),
        ({"entry_id": 2}, "Remark 2 on entry 1 has another entry_id than event 4"),
        ({"fingerprint": "0" * 64}, "Remark 2 on entry 1 has another fingerprint than event 4"),
        ({"made": NOW - timedelta(days=9)}, "Remark 2 on entry 1 has another time than event 4"),
    ],
)
def test_event_that_contradicts_its_row_is_found(remarked, changes, fault):
    row = remark()
    add_rows(remarked, ("remarks", row), ("events", next_event(remarked, row, **changes)))
    with DecisionLog(remarked) as log:
        assert log.audit().faults == (() if fault is None else (f"{fault}.",))


def test_deployment_of_other_data_than_its_entry_is_found(remarked):
    row = {"id": 1, "entry_id": 2, "data_name": "others.csv", "deployed_by": "Ann", "deployed_at": NOW}
    about = row | {"author": "Ann", "made": NOW}
    event = next_event(remarked, about, "deployments", action="deployed")
    add_rows(remarked, ("deployments", row), ("events", event))
    with DecisionLog(remarked) as log:
        assert log.audit().faults == ("Deployment 1 of entry 2 has another data name than its entry.",)


def test_failed_write_leaves_no_gap_in_the_numbers(remarked):
    values = {name: value for name, value in remark().items() if name != "id"}
    engine = create_engine(remarked)
    with engine.connect() as opened:
        statement = (
            "INSERT INTO decision_log_remarks (entry_id, author, made, words, withdraws) "
            "VALUES (:entry_id, :author, :made, :words, :withdraws)"
        )
        opened.execute(text(statement), values | {"made": moment(NOW, remarked)})
        opened.rollback()
    engine.dispose()
    with DecisionLog(remarked) as log:
        log.remark(1, "Ann", "next")
        assert log.audit().faults == ()


def test_missing_trigger_is_found(remarked):
    if is_sqlite(remarked):
        executed(remarked, "DROP TRIGGER decision_log_remarks_no_delete")
        name = "decision_log_remarks_no_delete"
    else:
        executed(remarked, "ALTER TABLE decision_log_remarks DISABLE TRIGGER decision_log_remarks_append_only")
        name = "decision_log_remarks_append_only"
    with DecisionLog(remarked) as log:
        assert log.audit().faults == (f"The trigger {name} is missing, switched off or changed.",)
    assert name in check_output(remarked, "check", code=1)


def test_cut_off_rows_are_found_by_the_counter(tmp_path):
    address = f"sqlite:///{tmp_path / 'decisions.db'}"
    with DecisionLog(address) as log:
        log.add(make_record())
        log.add(make_record())
    altered(
        address, "DELETE FROM decision_log_events WHERE number = 2", "DELETE FROM decision_log_entries WHERE id = 2"
    )
    with DecisionLog(address) as log:
        (fault,) = log.audit().faults
    assert fault.startswith("decision_log_entries gave numbers up to 2")
