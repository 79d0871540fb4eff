"""How sign-in is configured: off without a word of it, closed at any mistake."""

import pytest

from multiloss_core import DataError
from ui.sign_in.settings import read_settings

SECRET = "0123456789abcdef0123456789abcdef"
AUTH = {
    "redirect_uri": "https://multiloss.bank.example/oauth2callback",
    "cookie_secret": SECRET,
    "client_id": "multiloss",
    "client_secret": "of the client",
    "server_metadata_url": "https://login.bank.example/.well-known/openid-configuration",
}
OWN = {"roles": {"decide": ["analysts"]}}


def auth(**changed):
    return {"auth": {name: value for name, value in (AUTH | changed).items() if value is not None}, "multiloss": OWN}


def own(**changed):
    return {"auth": AUTH, "multiloss": OWN | changed}


def test_empty_settings_have_no_sign_in():
    assert not read_settings({}).has_sign_in
    assert not read_settings({"connections": {"bank": {"type": "duckdb"}}}).has_sign_in
    alone = read_settings({"multiloss": {"second_person": True}})
    assert (alone.has_sign_in, alone.roles.second_person) == (False, True)


def test_what_is_configured_holds():
    found = read_settings(own(second_person=True, sign_in_hours=8, roles_claim="roles", contact="the fraud desk"))
    assert found.has_sign_in
    assert found.roles.given_by(["analysts"]) == {"decide"}
    assert (found.roles.second_person, found.roles.sign_in_hours) == (True, 8)
    read_settings(auth(redirect_uri="http://localhost:{port}/oauth2callback", client_kwargs={"scope": "openid groups"}))
    read_settings(auth(server_metadata_url="http://127.0.0.1:9000/.well-known/openid-configuration"))


@pytest.mark.parametrize(
    ("secrets", "sentence"),
    [
        *((auth(**{name: None}), f"'auth.{name}' in secrets.toml is invalid: field required.") for name in AUTH),
        *((auth(**{name: ""}), f"'auth.{name}'") for name in AUTH),
        (auth(cookie_secret="xxx"), "'auth.cookie_secret' in secrets.toml is invalid: .* at least 32 characters."),
        (auth(redirect_uri="https://multiloss.bank.example/"), "it must end with /oauth2callback."),
        (auth(redirect_uri="http://multiloss.bank.example/oauth2callback"), "it must begin with https://"),
        (auth(redirect_uri="http://localhost.evil.example/oauth2callback"), "it must begin with https://"),
        (auth(redirect_uri="https:///oauth2callback"), "it must begin with https://"),
        (auth(server_metadata_url="http://login.bank.example"), "'auth.server_metadata_url' .* https://"),
        (auth(google={"client_id": "x"}), "'auth.google'"),
        ({"auth": {}, "multiloss": OWN}, "'auth.redirect_uri'"),
        ({"auth": "yes", "multiloss": OWN}, "'auth'"),
        ({"auth": AUTH}, "but no roles"),
        ({"auth": AUTH, "multiloss": {"roles": {"read": []}}}, "but no roles"),
        ({"multiloss": OWN}, r"no \[auth\] for sign-in"),
        ({"multiloss": {"sign_in_hours": 8}}, r"no \[auth\] for sign-in"),
        ({"auth": AUTH, "multiloss": []}, "'multiloss'"),
        (own(second_persons=True), "'multiloss.second_persons'"),
        (own(second_person="yes"), "'multiloss.second_person'"),
        (own(second_person=1), "'multiloss.second_person'"),
        (own(sign_in_hours=0), "'multiloss.sign_in_hours'"),
        (own(sign_in_hours=721), "'multiloss.sign_in_hours'"),
        (own(sign_in_hours=float("nan")), "'multiloss.sign_in_hours'"),
        (own(sign_in_hours=True), "'multiloss.sign_in_hours'"),
        (own(roles_claim=""), "'multiloss.roles_claim'"),
        (own(roles={"decides": ["analysts"]}), "no role 'decides'; the roles are read, decide, deploy, administer"),
        (own(roles={"decide": "analysts"}), "'multiloss.roles.decide'"),
        (own(roles={"decide": [""]}), "'multiloss.roles.decide.0'"),
        (own(roles={"decide": [7]}), "'multiloss.roles.decide.0'"),
    ],
)
def test_a_mistake_closes_with_one_sentence_that_holds_no_secret(secrets, sentence):
    with pytest.raises(DataError, match=sentence) as refused:
        read_settings(secrets)
    said = str(refused.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert not any(secret in said for secret in (SECRET, "xxx", "of the client"))


def test_trusted_headers_are_rejected_with_sign_in():
    with pytest.raises(DataError, match="trustedUserHeaders"):
        read_settings(own(), {"X-User": "email"})
    assert not read_settings({}, {"X-User": "email"}).has_sign_in
