"""What drives the point: each wish in turn, scenarios of costs side by side, and the finger on a phone."""

import math
import re

import pytest
from playwright.sync_api import expect

from multiloss_core import RatedDocuments, operating_point, smooth_path
from tests.browser.steps import (
    cells,
    choose,
    counts,
    expect_point,
    expected_sample_point,
    open_page,
    percent_box,
    selected,
    settle,
    settle_target,
    slider,
    without_webgl,
)
from ui.data.samples import sample
from ui.shared.url_params import OLD_VALUES

NAME = "Card alerts"
SCORES = sample(NAME).first_choice.scores
NEVER = math.inf


def rated():
    frame = sample(NAME).frame
    return frame[frame["rating"].notna()]


@pytest.fixture(scope="module")
def documents():
    source, choice = sample(NAME), sample(NAME).first_choice
    return RatedDocuments.from_frame(source.frame, choice.scores, choice.rating, floors=choice.floors)


@pytest.fixture(scope="module")
def path(documents):
    return smooth_path(documents)


@pytest.fixture(scope="module")
def corners(documents, path):
    """The points that the path can offer, strictest first: thresholds, TP, FP."""
    found = path.majorant.vertices
    return [(documents.round_thresholds(path.thresholds[i]), path.tp[i], path.fp[i]) for i in found if path.tp[i]]


def counted(*thresholds):
    """Thresholds with TP and FP by pandas alone."""
    return thresholds, *counts(rated(), dict(zip(SCORES, thresholds, strict=True)), "rating", "fraud", "any")


def wish(page, label, value):
    box = page.get_by_role("spinbutton", name=label)
    box.fill(f"{value}")
    box.press("Enter")


def said(page):
    """What the screen says of what drives."""
    return page.locator(".explorer .driver")


def expect_driven(page, path, by, point, percent=None):
    """The point on the screen is the wanted one; pandas counts the same, as the core does at the slider's target."""
    thresholds, tp, fp = point
    assert counted(*map(float, thresholds))[1:] == (tp, fp)
    expect_point(page, SCORES, point)
    expect(said(page)).to_contain_text(f"Optimised for {by}.")
    if percent is not None:
        expect(percent_box(page)).to_have_value(f"{round(percent, 6):.10g}")
    shown = float(percent_box(page).input_value())
    at_target = operating_point(path, shown / 100)
    assert (at_target.tp, at_target.fp) == (tp, fp)
    label = by.partition(",")[0]
    driver = OLD_VALUES["driver"].get(label, label)
    expect(page).to_have_url(re.compile(f"[?&]driver={driver}(&|$)"))
    settle(page)


def refusal(page, words):
    return page.get_by_test_id("stAlert").filter(has_text=words).filter(visible=True)


def expect_refused(page, words, point):
    expect(refusal(page, words)).to_have_count(1)
    expect(refusal(page, words)).to_contain_text("The point stays where it was.")
    settle(page)
    expect_point(page, SCORES, point)


def at_price(documents, path, marginal_precision):
    point = operating_point(path, marginal_precision)
    return documents.round_thresholds(point.thresholds), point.tp, point.fp


def euros(value):
    return f"{value:,.2f}".removesuffix(".00").replace("-", "\N{MINUS SIGN}") + "\N{NO-BREAK SPACE}EUR"


def keep(page, name):
    page.get_by_role("textbox", name="Name of this scenario").fill(name)
    page.get_by_role("button", name="Keep this scenario").click()
    expect(page.get_by_text(f"Kept '{name}'.")).to_be_visible()


def test_every_driver_in_turn_scenarios_and_a_link_to_a_phone(server, page, new_page, documents, path, corners):
    open_page(page, f"{server}/operating_point", "Operating point")
    expect_point(page, SCORES, expected_sample_point(NAME, 20))
    expect(said(page)).to_be_hidden()

    choose(page, "Set the point by", "false alerts per extra catch")
    wish(page, "False alerts you would pay for one more catch", 9)
    expect_driven(page, path, "false alerts per extra catch", at_price(documents, path, 1 / (1 + 9)), 10)

    choose(page, "Set the point by", "a cap on alerts")
    days = rated()["time"].dt.normalize()
    days = (days.max() - days.min()).days + 1
    expect(page.get_by_text(f"over the {days} days from the first")).to_be_visible()
    wish(page, "Alerts per day, at most", 7)
    capped = [corner for corner in corners if corner[1] + corner[2] <= 7 * days][-1]
    expect_driven(page, path, "a cap on alerts", capped)
    wish(page, "Alerts per day, at most", 0.01)
    expect_refused(page, "The first step of this path already flags", capped)
    expect(said(page)).to_be_hidden()

    choose(page, "Set the point by", "a floor on precision")
    wish(page, "Precision of at least, in percent", 70)
    precise = [corner for corner in corners if corner[1] >= 0.7 * (corner[1] + corner[2])][-1]
    expect_driven(page, path, "a floor on precision", precise)
    expect(refusal(page, "The point stays")).to_have_count(0)

    choose(page, "Set the point by", "a share of positives to keep")
    wish(page, "Rated positives to keep, in percent", 60)
    positives = (rated()["rating"] == "fraud").sum()
    keeping = next(corner for corner in corners if corner[1] >= 0.6 * positives)
    expect_driven(page, path, "a share of positives to keep", keeping)

    choose(page, "Set the point by", "thresholds by hand")
    expect_point(page, SCORES, counted(*sample(NAME).first_choice.floors))
    for score, text, point in (
        (SCORES[0], "0.9", counted(0.9, sample(NAME).first_choice.floors[1])),
        (SCORES[1], "never", counted(0.9, NEVER)),
    ):
        box = page.get_by_role("textbox", name=f"{score} ≥")
        box.fill(text)
        box.press("Enter")
        expect_point(page, SCORES, point)
        expect(said(page)).to_contain_text("Set by hand, not optimised")
    expect(page).to_have_url(re.compile(r"[?&]hand=0\.9(,|%2C)never(&|$)"))
    settle(page)
    box = page.get_by_role("textbox", name=f"{SCORES[0]} ≥")
    box.fill("0.1")
    box.press("Enter")
    expect_refused(page, f"'{SCORES[0]}' must be at least its floor", counted(0.9, NEVER))

    percent_box(page).fill("30")
    percent_box(page).press("Enter")
    expect_point(page, SCORES, expected_sample_point(NAME, 30))
    settle_target(page, 30)
    expect(page).not_to_have_url(re.compile("driver=|hand=|wish_"))
    expect(said(page)).to_be_hidden()
    expect(selected(page, "Set the point by")).to_have_value("marginal precision")
    expect(refusal(page, "The point stays")).to_have_count(0)

    choose(page, "Set the point by", "costs")
    wish(page, "One review costs", 6)
    wish(page, "One catch is worth", 20)
    wish(page, "Annoyance", 4)
    usual = at_price(documents, path, (6 + 4) / (20 + 4))
    expect_driven(page, path, "costs", usual, 100 * 10 / 24)
    wish(page, "One review costs", 30)
    expect_refused(page, "no alert is worth its review", usual)
    expect(said(page)).to_be_hidden()
    wish(page, "One review costs", 6)
    expect_driven(page, path, "costs", usual, 100 * 10 / 24)

    page.get_by_text("Payoffs and scenarios", exact=True).click()
    keep(page, "usual")
    expect_driven(page, path, "costs, scenario 'usual'", usual)
    wish(page, "One catch is worth", 50)
    dear = at_price(documents, path, (6 + 4) / (50 + 4))
    expect_driven(page, path, "costs, scenario 'usual'", dear, 100 * 10 / 54)
    keep(page, "holidays")
    expect_driven(page, path, "costs, scenario 'holidays'", dear)
    names = cells(page, "Scenario", "Scenario")
    expect(names).to_have_text(["usual", "holidays"])
    expect(cells(page, "Scenario", "")).to_have_text(["", "drives"])
    expect(cells(page, "Scenario", "Payoff there")).to_have_text(
        [euros(point[1] * (catch - 6) - point[2] * (6 + 4)) for point, catch in ((usual, 20), (dear, 50))]
    )
    expect(cells(page, "Scenario", "Payoff of this point")).to_have_text(
        [euros(dear[1] * (catch - 6) - dear[2] * (6 + 4)) for catch in (20, 50)]
    )

    choose(page, "Kept scenario", "usual")
    page.get_by_role("button", name="Drive by it").click()
    expect_driven(page, path, "costs, scenario 'usual'", usual, 100 * 10 / 24)
    expect(page.get_by_role("spinbutton", name="One catch is worth")).to_have_value("20.00")
    expect(cells(page, "Scenario", "")).to_have_text(["drives", ""])
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Removed 'usual'.")).to_be_visible()
    expect(names).to_have_text(["holidays", "usual (not kept)"])
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Removed 'usual'.")).to_have_count(0)
    expect(names).to_have_text(["usual", "holidays"])
    settle(page)
    expect_driven(page, path, "costs, scenario 'usual'", usual)
    expect(page.get_by_test_id("stException")).to_have_count(0)

    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    # Surfaces drawn without a GPU would keep the finger waiting.
    without_webgl(phone)
    open_page(phone, page.url, "Operating point")
    expect_driven(phone, path, "costs, scenario 'usual'", usual, 100 * 10 / 24)
    expect(selected(phone, "Set the point by")).to_have_value("costs")
    for label, value in (("One review costs", "6.00"), ("One catch is worth", "20.00"), ("Annoyance", "4.00")):
        expect(phone.get_by_role("spinbutton", name=label)).to_have_value(value)

    slide = Finger(phone)
    slide.tap(0.6)
    expect(said(phone)).to_be_hidden()
    expect(phone).not_to_have_url(re.compile("driver="))
    at = shown_target(phone)
    assert 55 < at < 65
    expect_point(phone, SCORES, expected_sample_point(NAME, at))
    settle_target(phone, f"{at:g}")
    expect(phone.get_by_role("spinbutton", name="Annoyance")).to_have_count(0)

    address = phone.url
    slide.drag(0.6, 0.25)
    expect(slider(phone)).to_have_value(re.compile(r"^2\d"))
    at = shown_target(phone)
    expect_point(phone, SCORES, expected_sample_point(NAME, at))
    assert phone.url == address
    slide.lift()
    settle_target(phone, f"{at:g}")
    expect_point(phone, SCORES, expected_sample_point(NAME, at))


def shown_target(page):
    expect(percent_box(page)).to_have_value(slider(page).input_value())
    return float(slider(page).input_value())


class Finger:
    """A finger on the slider; places are shares of its track."""

    def __init__(self, page):
        self.page = page
        self.devtools = page.context.new_cdp_session(page)

    def place(self, share):
        box = slider(self.page).bounding_box()
        return {"x": box["x"] + share * box["width"], "y": box["y"] + box["height"] / 2}

    def show_slider(self):
        """Bring the slider to the middle of the screen: at its edges other parts of the page lie over it."""
        slider(self.page).evaluate("slider => slider.scrollIntoView({ block: 'center' })")

    def tap(self, share):
        self.show_slider()
        place = self.place(share)
        self.page.touchscreen.tap(place["x"], place["y"])

    def drag(self, start, end):
        self.show_slider()
        self.touch("touchStart", self.place(start))
        for step in range(1, 6):
            self.touch("touchMove", self.place(start + step / 5 * (end - start)))

    def lift(self):
        self.touch("touchEnd")

    def touch(self, kind, *places):
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(places)})
