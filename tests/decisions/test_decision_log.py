import json
import multiprocessing
import sqlite3
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from uuid import UUID

import pytest
from hypothesis import given, settings

from decision_log import DecisionLog
from multiloss_core import DataError, DecisionRecord
from tests.decisions.logs import about, altered
from tests.decisions.records import make_record, records

THREADS, RECORDS = 2, 6
# Both writing processes wait here before they begin.
START = []
MOMENT = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def log(address):
    with DecisionLog(address) as opened:
        yield opened


class TestEntries:
    def test_a_record_is_kept_as_it_is(self, log):
        before = datetime.now(UTC)
        record = make_record()
        entry = log.get(log.add(record))
        assert entry.record == record
        assert before <= entry.added <= datetime.now(UTC)
        assert entry.deployments == ()
        assert not entry.deployed

    def test_the_newest_come_first(self, log):
        numbers = [log.add(about(name)) for name in "abcab"]
        assert all(first < second for first, second in pairwise(numbers))
        assert [entry.id for entry in log.entries()] == numbers[::-1]
        assert [entry.id for entry in log.entries(limit=2)] == numbers[:2:-1]
        assert [entry.id for entry in log.entries(data_name="a")] == [numbers[3], numbers[0]]
        assert log.entries(data_name="other") == ()

    def test_another_record_under_the_same_id_is_refused(self, log):
        record = make_record()
        number = log.add(record)
        with pytest.raises(DataError, match=f"Entry {number} of the decision log has the same record_id"):
            log.add(replace(record, reason="another"))
        assert log.get(number).record == record

    @pytest.mark.slow
    def test_any_record_is_kept_as_it_is(self, log):
        number = count(1)

        @given(records())
        @settings(max_examples=20)
        def kept(made):
            record = replace(made, record_id=str(UUID(int=next(number))))
            assert log.get(log.add(record)).record == record

        kept()

    def test_unreadable_row_is_named_and_hides_no_other(self, log, address):
        kept, broken = log.add(make_record()), log.add(make_record())
        altered(address, f"UPDATE decision_log_entries SET record = '{{}}' WHERE id = {broken}")
        sentence = f"Entry {broken} of the decision log cannot be read: Field 'schema_version'"
        with pytest.raises(DataError, match=sentence):
            log.get(broken)
        listing = log.listing()
        assert [entry.id for entry in listing.entries] == [kept]
        assert listing.unreadable[broken].startswith(sentence)
        assert len(listing) == 2
        lines = [json.loads(line) for line in log.export().splitlines()]
        assert [line["id"] for line in lines] == [kept, broken]
        assert lines[1]["unreadable"] == "{}"


class TestRemarks:
    def test_remarks_change_nothing_else(self, log):
        number = log.add(make_record())
        before = log.get(number)
        log.remark(number, "Ann", "Works as expected.")
        entry = log.remark(number, "Bob", "The model is gone.", withdraws=True)
        assert [(remark.author, remark.words, remark.withdraws) for remark in entry.remarks] == [
            ("Ann", "Works as expected.", False),
            ("Bob", "The model is gone.", True),
        ]
        assert entry.withdrawn.author == "Bob"
        assert replace(entry, remarks=()) == before
        assert log.listing().entries == (entry,)
        assert json.loads(log.export())["remarks"][1]["words"] == "The model is gone."

    def test_withdrawn_decision_cannot_be_deployed(self, log):
        number = log.add(make_record())
        log.remark(number, "Bob", "Wrong data.", withdraws=True)
        with pytest.raises(DataError, match="withdrawn already; add a remark"):
            log.remark(number, "Ann", "Again.", withdraws=True)
        with pytest.raises(DataError, match="is withdrawn; decide anew"):
            log.mark_deployed(number, "Ann")
        assert len(log.remark(number, "Ann", "I agree.").remarks) == 2

    @pytest.mark.parametrize(("by", "words"), [("", "x"), (" ", "x"), ("Ann", ""), ("Ann", "x" * 301)])
    def test_empty_remarks_are_rejected(self, log, by, words):
        number = log.add(make_record())
        with pytest.raises(DataError):
            log.remark(number, by, words)
        with pytest.raises(DataError, match="has no entry 99"):
            log.remark(99, "Ann", "x")


class TestDeployments:
    def test_deploying_another_retires_the_one_before(self, log):
        first, second = log.add(make_record()), log.add(make_record())
        entry = log.mark_deployed(first, "Ann", MOMENT)
        assert entry.deployed
        assert log.deployed_entries() == (entry,)
        later = MOMENT + timedelta(days=1, microseconds=1)
        log.mark_deployed(second, "Bob", later)
        assert [entry.id for entry in log.deployed_entries()] == [second]
        (old,) = log.get(first).deployments
        assert (old.deployed_by, old.deployed_at, old.retired_at) == ("Ann", MOMENT, later)
        (new,) = log.get(second).deployments
        assert (new.deployed_by, new.deployed_at, new.retired_at) == ("Bob", later, None)

    def test_going_back_keeps_the_history(self, log):
        first, second = log.add(make_record()), log.add(make_record())
        for hour, number in enumerate((first, second, first)):
            log.mark_deployed(number, "Ann", MOMENT + timedelta(hours=hour))
        again = log.get(first)
        assert [deployment.retired_at is None for deployment in again.deployments] == [False, True]
        assert not log.get(second).deployed

    def test_other_data_have_a_deployment_of_their_own(self, log):
        first, second = log.add(about("a")), log.add(about("b"))
        log.mark_deployed(first, "Ann")
        log.mark_deployed(second, "Ann")
        assert [entry.id for entry in log.deployed_entries()] == [second, first]

    def test_the_future_is_refused(self, log):
        number = log.add(make_record())
        with pytest.raises(DataError, match="lies in the future: it is 20"):
            log.mark_deployed(number, "Ann", datetime.now(UTC) + timedelta(hours=1))
        assert not log.get(number).deployments

    def test_deployment_dated_by_a_wrong_clock_can_be_replaced(self, log, address):
        first, second = log.add(make_record()), log.add(make_record())
        log.mark_deployed(first, "Ann")
        altered(address, "UPDATE decision_log_deployments SET deployed_at = '2099-01-01 00:00:00.000000'")
        before = datetime.now(UTC)
        entry = log.mark_deployed(second, "Bob")
        assert before <= entry.deployments[0].deployed_at <= datetime.now(UTC)
        assert log.deployed_entries() == (entry,)
        (notice,) = log.audit().notices
        assert notice.startswith(f"Deployment 2 of entry {second} begins at 20")
        assert "a clock was wrong" in notice

    @pytest.mark.parametrize(
        ("by", "when", "words"),
        [
            (" ", None, "'deployed_by' .* not blank"),
            ("x" * 301, None, "'deployed_by' .* at most 300"),
            ("a\0b", None, "'deployed_by' .* null characters"),
            ("Bob", datetime(2026, 2, 2, 12, 0), "needs a time zone"),
            ("Bob", MOMENT - timedelta(days=1), "current deployment began at 2026-02-01 12:00:00 UTC"),
        ],
    )
    def test_invalid_deployments_are_rejected(self, log, by, when, words):
        first, second = log.add(make_record()), log.add(make_record())
        log.mark_deployed(first, "Ann", MOMENT)
        with pytest.raises(DataError, match=words):
            log.mark_deployed(second, by, when)
        assert [entry.id for entry in log.deployed_entries()] == [first]
        assert log.get(second).deployments == ()


def test_the_export_holds_everything(log):
    first, second = log.add(make_record(reason="\u2028\n")), log.add(make_record())
    log.mark_deployed(first, "Ann", MOMENT)
    log.mark_deployed(second, "Bob", MOMENT)
    text = log.export()
    assert text.isascii()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["id"] for line in lines] == [first, second]
    moment = "2026-02-01T12:00:00+00:00"
    assert lines[0]["deployments"] == [{"deployed_by": "Ann", "deployed_at": moment, "retired_at": moment}]
    assert lines[1]["deployments"] == [{"deployed_by": "Bob", "deployed_at": moment, "retired_at": None}]
    for line, entry in zip(lines, log.entries()[::-1], strict=True):
        assert DecisionRecord.from_json(json.dumps(line["record"])) == entry.record
        assert datetime.fromisoformat(line["added"]) == entry.added


@pytest.fixture(scope="module")
def other_process():
    """Another process, which begins to write when this one does."""
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(2, timeout=120)
    remember_start(start)
    with ProcessPoolExecutor(1, context, remember_start, (start,)) as executor:
        yield executor


def remember_start(barrier):
    START[:] = [barrier]


def write_many(address, writer):
    """Open the log in this process, add records from several threads, deploy each."""
    START[0].wait()
    with DecisionLog(address) as log, ThreadPoolExecutor(THREADS) as threads:

        def write(thread):
            added = []
            for i in range(RECORDS):
                record = make_record(reason=f"{writer} {thread} {i}")
                number = log.add(record)
                log.mark_deployed(number, f"{writer}")
                added.append((number, record.record_id))
            return added

        return [pair for pairs in threads.map(write, range(THREADS)) for pair in pairs]


@pytest.mark.slow
def test_concurrent_writers_lose_nothing(address, other_process):
    # The database is empty: the writers also make its schema at once.
    other = other_process.submit(write_many, address, "other")
    added = write_many(address, "this") + other.result()
    assert len(added) == 2 * THREADS * RECORDS
    with DecisionLog(address) as log:
        kept = log.entries(limit=1000)
        assert {(entry.id, entry.record.record_id) for entry in kept} == set(added)
        times = sorted(
            (deployment.deployed_at, deployment.retired_at or datetime.max.replace(tzinfo=UTC))
            for entry in kept
            for deployment in entry.deployments
        )
        assert len(times) == len(added)
        assert sum(entry.deployed for entry in kept) == 1
        assert all(first[1] == second[0] for first, second in pairwise(times))


def test_readers_of_a_file_do_not_wait_for_a_writer(tmp_path):
    path = tmp_path / "decisions.db"
    with DecisionLog(f"sqlite:///{path}") as log:
        number = log.add(make_record())
        writer = sqlite3.connect(path, isolation_level=None)
        try:
            writer.execute("BEGIN EXCLUSIVE")
            assert [entry.id for entry in log.entries()] == [number]
            with DecisionLog(f"sqlite:///{path}") as other:
                assert other.get(number).record == log.get(number).record
        finally:
            writer.close()


def test_the_same_record_from_several_threads_is_kept_once(log):
    record = make_record()
    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(lambda _: log.add(record), range(8)))) == 1
    assert len(log.entries()) == 1
