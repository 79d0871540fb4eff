"""Test the rights of each role on the log."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from decision_log import DecisionLog
from multiloss_core import DataError
from tests.decisions.records import make_record
from ui.records import GuardedLog
from ui.sign_in.person import ANYBODY, Person, Role, identity_of

ROOT = Path(__file__).parents[2]
READ = {
    "listing": lambda log: log.listing(limit=5),
    "entries": lambda log: log.entries(),
    "get": lambda log: log.get(1),
    "deployed_entries": lambda log: log.deployed_entries(),
    "export": lambda log: log.export(),
}
AUDIT = {"trail": lambda log: log.trail(), "audit": lambda log: log.audit()}


def person(name, *roles):
    return Person(frozenset(roles), name, identity_of(name, f"{name}@bank.example", "https://login", name))


ANN, BEN = person("ann", Role.DECIDE), person("ben", Role.DECIDE, Role.DEPLOY)
LEA, RITA, EVE = person("lea", Role.ADMINISTER), person("rita", Role.READ), person("eve")


def record_by(author):
    return replace(make_record(), record_id=str(uuid4()), author=author if isinstance(author, str) else author.identity)


@pytest.fixture
def plain(tmp_path):
    """The log itself, with one decision of Ann's."""
    with DecisionLog(f"sqlite:///{tmp_path / 'decisions.db'}") as log:
        log.add(record_by(ANN))
        yield log


@pytest.fixture
def log(plain):
    return lambda who, *, second_person=False: GuardedLog(plain, who, second_person=second_person)


def writes(who):
    return {
        "decide": lambda log: log.add(record_by(who)),
        "deploy": lambda log: log.mark_deployed(1, who.identity),
        "remark": lambda log: log.remark(1, who.identity, "Seen."),
        "withdraw": lambda log: log.remark(1, who.identity, "Wrong.", withdraws=True),
    }


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        (ANN, {"decide", "remark", "withdraw"}),
        (BEN, {"decide", "remark", "deploy"}),
        (LEA, {"remark", "withdraw"}),
        (RITA, set()),
        (EVE, set()),
        (person("dan", Role.DEPLOY), {"deploy"}),
        (person("all", *Role), {"decide", "deploy", "remark", "withdraw"}),
    ],
    ids=lambda value: value.name if isinstance(value, Person) else "",
)
def test_role_allows_its_own_actions_only(plain, log, who, allowed):
    before = plain.trail()
    for what, write in writes(who).items():
        if what not in allowed:
            with pytest.raises(DataError):
                write(log(who))
    assert plain.trail() == before
    for what in sorted(allowed):
        writes(who)[what](log(who))
    assert {event.actor for event in plain.trail()[len(before) :]} <= {who.identity}
    assert len(plain.trail()) == len(before) + len(allowed)


@pytest.mark.parametrize("what", [*READ, *AUDIT])
def test_reading_needs_a_role_and_audit_an_administrator(log, what):
    ask = (READ | AUDIT)[what]
    with pytest.raises(DataError, match=r"role '(read|administer)'"):
        ask(log(EVE))
    ask(log(LEA))
    if what in READ:
        ask(log(RITA))
    else:
        with pytest.raises(DataError, match="role 'administer'"):
            ask(log(BEN))


def test_nothing_is_written_under_another_name(plain, log):
    before = plain.trail()
    forged = f"Lea <lea@bank.example> {BEN.identity.rpartition(' ')[2]}"
    for author in (ANN.identity, "Ben", "", forged):
        if author:
            with pytest.raises(DataError, match="only the author can add it"):
                log(BEN).add(record_by(author))
        with pytest.raises(DataError, match="your own name"):
            log(BEN).mark_deployed(1, author)
        with pytest.raises(DataError, match="your own name"):
            log(BEN).remark(1, author, "Seen.")
    assert plain.trail() == before


def test_a_second_person_deploys_where_that_is_demanded(plain, log):
    own = log(BEN).add(record_by(BEN))
    # Her name and her address have changed since; she has not.
    renamed = replace(BEN, identity=identity_of("Benjamin", "b@bank.example", "https://login", "ben"))
    for author in (BEN, renamed):
        with pytest.raises(DataError, match=f"Decision {own} was made by the same person"):
            log(author, second_person=True).mark_deployed(own, author.identity)
    assert not plain.get(own).deployed
    assert log(BEN, second_person=True).mark_deployed(1, BEN.identity).deployed
    assert log(BEN).mark_deployed(own, BEN.identity).deployed


def test_typed_name_before_sign_in_proves_no_other_person(plain, log):
    typed = plain.add(record_by("Somebody"))
    with pytest.raises(DataError, match="typed author"):
        log(BEN, second_person=True).mark_deployed(typed, BEN.identity)
    with pytest.raises(DataError, match="Only the author"):
        log(BEN).remark(typed, BEN.identity, "Wrong.", withdraws=True)
    assert log(BEN).mark_deployed(typed, BEN.identity).deployed


def test_without_sign_in_every_action_is_allowed(log):
    anybody = log(ANYBODY)
    number = anybody.add(record_by("Ada"))
    assert anybody.mark_deployed(number, "Ada").deployed
    anybody.remark(number, "Grace", "Wrong.", withdraws=True)
    assert anybody.audit().faults == ()


def test_without_sign_in_a_second_person_is_another_name(log):
    anybody = log(ANYBODY, second_person=True)
    number = anybody.add(record_by("Ada Lovelace"))
    with pytest.raises(DataError, match="same person"):
        anybody.mark_deployed(number, " ada  LOVELACE ")
    assert anybody.mark_deployed(number, "Grace").deployed


def test_no_screen_holds_the_log_itself():
    files = [ROOT / "app.py", *(file for folder in ("ui", "pages") for file in (ROOT / folder).rglob("*.py"))]
    assert {str(file.relative_to(ROOT)) for file in files if "DecisionLog" in file.read_text(encoding="utf-8")} == {
        "ui/records.py",
    }
