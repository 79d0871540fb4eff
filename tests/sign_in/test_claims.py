"""Test the person made of claims: roles, identity, expiry."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError
from multiloss_core.decisions import MAX_NAME, checked_name
from ui.sign_in.person import Role, identity_of, is_identity, is_same_person
from ui.sign_in.settings import RoleSettings
from ui.sign_in.user import person_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ISSUER = "https://login.bank.example"
SETTINGS = RoleSettings(
    roles={"read": ["audit"], "decide": ["analysts", "leads"], "deploy": ["operations"], "administer": ["leads"]}
)
GIVEN = {"audit": "read", "analysts": "decide", "operations": "deploy"}


def claims(**more):
    return {"iss": ISSUER, "sub": "0042", "iat": NOW.timestamp() - 60, "name": "Ann Lee"} | more


def roles(**more):
    return person_of(claims(**more), SETTINGS, NOW).roles


@given(st.sets(st.sampled_from([*GIVEN, "leads", "others", "Analysts", "analyst"])))
def test_roles_are_those_of_the_groups_and_no_others(groups):
    expected = {GIVEN[group] for group in groups if group in GIVEN}
    if "leads" in groups:
        expected |= {"decide", "administer"}
    assert roles(groups=sorted(groups)) == expected


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_a_claim_of_any_other_kind_gives_no_role(value):
    assert roles(groups=value) == frozenset()


def test_a_claim_is_a_list_or_one_text():
    assert roles(groups="operations") == {Role.DEPLOY}
    assert roles(groups="operations audit") == roles(groups="operations,audit") == frozenset()
    assert roles(groups=["operations", 7, None, ["leads"]]) == {Role.DEPLOY}
    assert roles(groups={"leads": True}) == roles(roles=["leads"]) == roles() == frozenset()


def test_every_role_includes_reading_and_nothing_else():
    for role in Role:
        (group,) = (name for name, given in (GIVEN | {"leads": "administer"}).items() if given == role)
        settings = RoleSettings(roles={str(role): [group]})
        person = person_of(claims(groups=[group]), settings, NOW)
        assert {other for other in Role if person.may(other)} == {role, Role.READ}


def test_identity_names_one_person_only():
    digits = hashlib.sha256(b"https://login.bank.example\n0042").hexdigest()[:16]
    person = person_of(claims(email="ann@bank.example", email_verified=True), SETTINGS, NOW)
    assert person.identity == f"Ann Lee <ann@bank.example> [{digits}]"
    renamed = person_of(claims(name="Ann Roe", email="roe@bank.example"), SETTINGS, NOW)
    assert renamed.identity == f"Ann Roe <roe@bank.example> [{digits}]"
    assert is_same_person(person.identity, renamed.identity)
    for other in ({"sub": "0043"}, {"iss": "https://elsewhere.example"}):
        namesake = person_of(claims(email="ann@bank.example", **other), SETTINGS, NOW)
        assert not is_same_person(person.identity, namesake.identity)


@pytest.mark.parametrize("unverified", [False, "false"])
def test_unverified_address_is_not_shown(unverified):
    person = person_of(claims(email="boss@bank.example", email_verified=unverified), SETTINGS, NOW)
    assert person.identity.startswith("Ann Lee <0042> [")


names = st.text() | st.text(alphabet="ab <>[]@0f\n\N{RIGHT-TO-LEFT OVERRIDE}", max_size=400)


@given(names, names, st.text(min_size=1), names)
def test_no_name_imitates_another_identity(name, address, subject, victim):
    own = identity_of(name, address, ISSUER, subject)
    assert checked_name("author", own) == own
    assert len(own) <= MAX_NAME
    assert own.isprintable()
    assert own.count("<") == own.count("[") == 1
    other = identity_of(victim, "", ISSUER, f"{subject} ")
    assert is_identity(own)
    assert not is_same_person(own, other)
    # An identity as a name gives no other identity.
    assert is_same_person(identity_of(other, other, ISSUER, subject), own)


@given(st.text())
def test_typed_names_are_nobodys_identity(typed):
    assert not is_identity(typed)
    assert not is_same_person(typed, typed)


def test_a_sign_in_ends_after_the_hours_that_are_set():
    settings = SETTINGS.model_copy(update={"sign_in_hours": 2})
    issued = NOW - timedelta(minutes=119)
    assert person_of(claims(iat=issued.timestamp()), settings, NOW).until == issued + timedelta(hours=2)
    with pytest.raises(DataError, match=r"Your sign-in of 2026-03-01 10:00 UTC has ended; sign in again\."):
        person_of(claims(iat=(NOW - timedelta(hours=2)).timestamp()), settings, NOW)
    with pytest.raises(DataError, match="has ended"):
        person_of(claims(iat=(NOW + timedelta(hours=1)).timestamp()), settings, NOW)


@pytest.mark.parametrize(
    "missing",
    [{"iss": None}, {"iss": ""}, {"sub": ""}, {"sub": 7}, {"iat": None}, {"iat": True}, {"iat": "0"}, {"iat": 1e300}],
)
def test_claims_without_identity_or_time_are_rejected(missing):
    with pytest.raises(DataError, match="no valid identity"):
        person_of(claims(**missing), SETTINGS, NOW)


def test_ended_sign_in_may_nothing_in_page_that_is_still_open():
    now = datetime.now(UTC)
    person = person_of(claims(groups=["leads"], iat=now.timestamp()), SETTINGS, now)
    person.require(Role.DECIDE)
    ended = type(person)(person.roles, person.name, person.identity, now - timedelta(seconds=1))
    with pytest.raises(DataError, match="sign in again"):
        ended.require(Role.READ)
