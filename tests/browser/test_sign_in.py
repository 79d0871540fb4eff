"""Test sign-in at an OpenID provider: pages, names in the log, rejections."""

import asyncio
import hashlib
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from benchmarks.client import Client
from decision_log import DecisionLog
from tests.app_server import app_server, free_port
from tests.browser.steps import PAGES, follow, open_page, open_part, settle
from tests.decisions.samples import sample_decision
from tests.sign_in.openid_provider import CLIENT, PASSWORD, SECRET, metadata_of, openid_provider

COOKIE, COOKIE_SECRET = "_streamlit_user", "a secret of more than 32 characters"
CONTACT = "fraud-tools@bank.example"
PEOPLE = {
    "ann": {"name": "Ann Lee", "email": "ann@bank.example", "teams": ["analysts", "operations"]},
    "ben": {"name": "Ben Roe", "email": "ben@bank.example", "teams": "operations"},
    "lea": {"name": "Lea *Ito*", "email": "lea@bank.example", "email_verified": False, "teams": ["leads"]},
    "rita": {"name": "Rita Sol", "teams": ["audit", "everybody"]},
    "eve": {"name": "Eve", "teams": ["everybody"]},
}
SETTINGS = """
[auth]
redirect_uri = "{application}/oauth2callback"
cookie_secret = "{cookie_secret}"
client_id = "{client}"
client_secret = "{secret}"
server_metadata_url = "{metadata}"

[multiloss]
roles_claim = "teams"
second_person = true
contact = "{contact}"

[multiloss.roles]
read = ["audit"]
decide = ["analysts"]
deploy = ["operations"]
administer = ["leads"]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An application with sign-in: its address, its provider's, and its log with one decision."""
    folder, port = tmp_path_factory.mktemp("signing_in"), free_port()
    application, log = f"http://127.0.0.1:{port}", f"sqlite:///{folder / 'decisions.db'}"
    record = sample_decision("Login alerts")
    with DecisionLog(log) as opened:
        opened.add(replace(record, author="Typed Before"))
    provider_folder = folder / "provider"
    provider_folder.mkdir()
    with openid_provider(provider_folder, application, PEOPLE) as provider:
        secrets = folder / "secrets.toml"
        secrets.write_text(
            SETTINGS.format(
                application=application,
                cookie_secret=COOKIE_SECRET,
                client=CLIENT,
                secret=SECRET,
                metadata=metadata_of(provider),
                contact=CONTACT,
            )
        )
        with app_server(folder, port, secrets) as address:
            yield SimpleNamespace(address=address, provider=provider, log=log)


def entries(place):
    with DecisionLog(place.log) as log:
        return {entry.id: entry for entry in log.entries()}


def identity(place, account):
    """Return the identity in the log; the number at the provider is the place in PEOPLE."""
    number, claims = list(PEOPLE).index(account) + 1, PEOPLE[account]
    digits = hashlib.sha256(f"{place.provider}\n{number}".encode()).hexdigest()[:16]
    address = claims["email"] if "email" in claims and "email_verified" not in claims else number
    return f"{claims['name']} <{address}> [{digits}]"


def sign_in(page, place, account, at=""):
    """Ask for a page, and sign in at the provider."""
    page.goto(f"{place.address}/{at}")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Username").fill(account)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{place.address}/**")


def expect_outside(page, words):
    """Nothing but the sign-in page is there."""
    expect(page.get_by_test_id("stMain")).to_contain_text(words)
    settle(page)
    expect(page.get_by_role("heading")).to_have_text(["Multiloss"])
    expect(page.locator("a[href]:not([data-testid=stSkipToContent])")).to_have_count(0)
    assert "Typed Before" not in page.content()
    assert "Login alerts" not in page.get_by_test_id("stApp").inner_text()


def cookie(place, secret, hours_ago):
    """Make the cookie of a browser, signed with `secret`."""
    claims = {"iss": place.provider, "sub": "9", "name": "Mallory", "iat": time.time() - 3600 * hours_ago}
    about = {"origin": place.address, "is_logged_in": True, "provider": "default", "teams": ["analysts", "leads"]}
    value = create_signed_value(secret, COOKIE, json.dumps(claims | about)).decode()
    return {"name": COOKIE, "value": value, "url": place.address}


def test_decision_is_made_by_one_person_and_deployed_by_another(place, new_page):
    ann = new_page(viewport={"width": 1400, "height": 800})
    sign_in(ann, place, "ann", "operating_point?data=Login+alerts&m=35")
    # Where she wanted to go.
    expect(ann.get_by_role("heading", name="Operating point", exact=True)).to_be_visible()
    expect(ann).to_have_url(re.compile(r"/operating_point\?data=Login\+alerts&m=35"))
    settle(ann)
    open_part(ann, "Save this decision")
    expect(ann.get_by_role("textbox", name="Decided by")).to_have_count(0)
    ann.get_by_role("textbox", name="Why").fill("Fewer false alerts.")
    ann.get_by_role("button", name="Save to the log").click()
    expect(ann.get_by_text("Saved as number 2")).to_be_visible()
    assert entries(place)[2].record.author == identity(place, "ann") != ""

    follow(ann, "Decisions", "Decisions")
    expect(ann.get_by_text("made by the same person")).to_be_visible()
    expect(ann.get_by_role("button", name="Deploy", exact=True)).to_have_count(0)
    expect(ann.get_by_text("Audit trail", exact=True)).to_have_count(0)

    ben = new_page()
    sign_in(ben, place, "ben", "decisions")
    expect(ben.get_by_role("heading", name="Decisions", exact=True)).to_be_visible()
    settle(ben)
    expect(ben.get_by_role("button", name="Remark or withdraw")).to_have_count(0)
    ben.get_by_role("button", name="Deploy", exact=True).click()
    ben.get_by_role("button", name="Mark as deployed").click()
    expect(ben.get_by_text("Decision 2 is marked as deployed.")).to_be_visible()
    (deployment,) = entries(place)[2].deployments
    assert deployment.deployed_by == identity(place, "ben")

    lea = new_page()
    sign_in(lea, place, "lea", "decisions")
    expect(lea.get_by_role("heading", name="Decisions", exact=True)).to_be_visible()
    settle(lea)
    lea.get_by_role("button", name="Remark or withdraw").click()
    lea.get_by_role("textbox", name="Remark").fill("The data was wrong.")
    lea.get_by_role("button", name="Withdraw the decision").click()
    expect(lea.get_by_text("Decision 2 is withdrawn.")).to_be_visible()
    assert entries(place)[2].withdrawn.author == identity(place, "lea")
    open_part(lea, "Audit trail")
    expect(lea.get_by_text("2 decisions and 4 events are as the program wrote them.")).to_be_visible()


def test_who_may_read_reads_and_writes_nothing(place, new_page):
    page = new_page(viewport={"width": 1400, "height": 800})
    sign_in(page, place, "rita", "decisions")
    expect(page.get_by_role("heading", name="Decisions", exact=True)).to_be_visible()
    settle(page)
    expect(page.get_by_role("heading", name=re.compile("^Decision [0-9]"))).to_be_visible()
    for button in ("Deploy", "Remark or withdraw"):
        expect(page.get_by_role("button", name=button, exact=True)).to_have_count(0)
    follow(page, "Operating point", "Operating point")
    open_part(page, "Save this decision")
    expect(page.get_by_role("button", name="Files only")).to_be_visible()
    expect(page.get_by_role("button", name="Save to the log")).to_have_count(0)

    follow(page, "Rita Sol", "Your account")
    expect(page.get_by_role("listitem")).to_have_text(["Read: see the pages and the decision log"])
    with page.expect_response(re.compile("/auth/logout")):
        page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert COOKIE not in {one["name"] for one in page.context.cookies()}
    page.goto(f"{place.address}/decisions")
    expect_outside(page, "Sign in")
    # The provider has signed her out, too.
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("Password")).to_be_visible()
    assert urlsplit(page.url).netloc == urlsplit(place.provider).netloc


def test_who_has_no_role_sees_who_she_is_and_whom_to_ask(place, page):
    sign_in(page, place, "eve", "decisions")
    expect_outside(page, f"Signed in as {identity(place, 'eve')}")
    # An invisible sign keeps the address from becoming a link.
    expect(page.get_by_test_id("stAlert")).to_contain_text(re.compile(f"Ask {CONTACT.replace('@', '.?@')} for one"))
    expect(page.get_by_role("button", name="Sign in")).to_have_count(0)


def test_nothing_is_shown_without_cookie_that_this_server_signed(place, new_page):
    for given, words, paths in (
        (None, "Sign in", ("decisions", "rated_data", "your_account")),
        (cookie(place, f"not {COOKIE_SECRET}", 0), "Sign in", ("decisions",)),
        (cookie(place, COOKIE_SECRET, 13), "has ended; sign in again", ("decisions",)),
    ):
        page = new_page()
        if given is not None:
            page.context.add_cookies([given])
        for path in paths:
            page.goto(f"{place.address}/{path}")
            expect_outside(page, words)
    # What keeps it out is its age and its signature, nothing else.
    page = new_page()
    page.context.add_cookies([cookie(place, COOKIE_SECRET, 11)])
    open_page(page, f"{place.address}/decisions", PAGES["decisions"])


def test_nothing_is_uploaded_by_who_is_not_signed_in(place):
    async def bring():
        async with Client(place.address) as tab:
            await tab.go(page_name="rated_data")
            # Only then does the client know its session.
            await tab.until(lambda: tab.runs_finished and tab.is_at_rest, "the page that asks to sign in")
            found = await tab.place_for("any.csv")
            with pytest.raises(HTTPError) as refused:
                await tab.put(found.upload_url, "any.csv", b"score,rating")
            with refused.value as answered:
                return answered.code

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(asyncio.run, bring()).result() == 403


def test_settings_that_cannot_be_read_close_the_application(tmp_path, page):
    secrets = tmp_path / "secrets.toml"
    secrets.write_text('[auth]\nredirect_uri = "http://localhost')
    with app_server(tmp_path, secrets=secrets) as address:
        for path in ("", "decisions"):
            page.goto(f"{address}/{path}")
            expect_outside(
                page, "secrets.toml is missing or cannot be read as TOML; correct it. Then start the server again."
            )
        expect(page.get_by_role("button", name=re.compile("Sign"))).to_have_count(0)
