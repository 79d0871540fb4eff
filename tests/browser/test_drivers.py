"""Test goals, scenarios of costs and touch on a phone."""

import math
import re

import pytest
from playwright.sync_api import expect

from multiloss_core import RatedDocuments, operating_point
from multiloss_core.thresholds import SMOOTH, PathSearch
from multiloss_core.thresholds.targets import point_for_alerts, threshold_choices
from tests.browser.steps import (
    cells,
    choose,
    counts,
    expect_point,
    expected_sample_point,
    open_page,
    open_part,
    percent_box,
    selected,
    settle,
    settle_target,
    slider,
)
from ui.data.rated import sample
from ui.operating_point.active_goal import GOALS

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
def search(documents):
    return PathSearch(documents)


@pytest.fixture(scope="module")
def path(search):
    return SMOOTH.find(search)


@pytest.fixture(scope="module")
def wished(documents, search, path):
    """Find the point of a goal with the core: thresholds, TP, FP."""
    choices = threshold_choices(path, documents, fit=search.fit)

    def find(point_for, value):
        point = point_for(path, choices, value)
        return documents.round_thresholds(point.thresholds), point.tp, point.fp

    return find


def counted(*thresholds):
    """Thresholds with TP and FP by pandas alone."""
    return thresholds, *counts(rated(), dict(zip(SCORES, thresholds, strict=True)), "rating", "fraud", "any")


def goal(page, label, value):
    box = page.get_by_role("spinbutton", name=label)
    box.fill(f"{value}")
    box.press("Enter")


def said(page):
    """Return the line on the active goal."""
    return page.locator(".explorer .goal")


def expect_driven(page, path, by, point, percent=None):
    """Compare the point on the screen with pandas, and with the core at the target."""
    thresholds, tp, fp = point
    assert counted(*map(float, thresholds))[1:] == (tp, fp)
    expect_point(page, SCORES, point)
    expect(said(page)).to_contain_text(f"Optimised for {by}.")
    if percent is not None:
        expect(percent_box(page)).to_have_value(f"{percent:.4g}")
    shown = float(percent_box(page).input_value())
    at_target = operating_point(path, shown / 100)
    assert (at_target.tp, at_target.fp) == (tp, fp)
    label = by.partition(",")[0]
    goal = next(key for key, goal in GOALS.items() if goal.label == label)
    expect(page).to_have_url(re.compile(f"[?&]goal={goal}(&|$)"))
    settle(page)


def expect_goal(page, by, point):
    """Compare the point of a goal beside the slider with pandas."""
    thresholds, tp, fp = point
    assert counted(*map(float, thresholds))[1:] == (tp, fp)
    expect_point(page, SCORES, point)
    expect(said(page)).to_contain_text(f"Optimised for {by}, between the slider's")
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


def money(value):
    """Return an amount in the form of a table's accessible text."""
    return f"{value:.10g}"


REVIEW, RECOVERED, CATCH = "One review costs", "Recovered, % of the amount", "Besides, a catch is worth"
COLUMNS = ("Name", REVIEW, RECOVERED, CATCH, "Friction", "Currency")


def editor(page):
    """The table that scenarios are typed into."""
    return page.get_by_role("region", name="Scenarios of costs, to be typed.")


def typed(page, row, column):
    """A cell of the editor, whose first row holds the titles."""
    return editor(page).locator(f"tr[aria-rowindex='{row + 2}'] td[aria-colindex='{COLUMNS.index(column) + 1}']")


NEXT_RUN = """() => {
    window.nextRun = new Promise(begun => new MutationObserver(begun).observe(
        document.querySelector('[data-testid=stApp]'), {attributeFilter: ['data-test-script-state']}))
}"""


def type_cell(page, row, column, value):
    """Type into a cell of the editor, reached by arrow keys from the first cell of its row."""
    editor(page).scroll_into_view_if_needed()
    settle(page)
    first, cell = typed(page, row, "Name"), typed(page, row, column)
    place = {"x": 80, "y": 35 * (row + 1) + 17}
    # A click on the cell that is selected would open it.
    chosen = first.get_attribute("aria-selected") == "true"
    while not chosen:
        editor(page).locator(".dvn-scroller").click(position=place)
        chosen = is_selected(first)
    editor(page).locator("canvas").first.focus()
    for _ in COLUMNS[: COLUMNS.index(column)]:
        page.keyboard.press("ArrowRight")
    expect(cell).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.locator(".gdg-input").fill(f"{value}")
    page.evaluate(NEXT_RUN)
    page.keyboard.press("Enter")
    expect(cell).to_have_text(f"{value}")
    # The script begins a moment after a changed cell; its end would take the keys of the next one.
    page.evaluate("window.nextRun")
    settle(page)


def is_selected(cell):
    """Whether a cell is selected, soon at the latest."""
    try:
        expect(cell).to_have_attribute("aria-selected", "true", timeout=1_000)
    except AssertionError:
        return False
    return True


def test_goals_scenarios_and_a_link_to_a_phone(server, page, new_page, documents, path, wished):
    open_page(page, f"{server}/operating_point", "Operating point")
    expect_point(page, SCORES, expected_sample_point(NAME, 20))
    expect(said(page)).to_be_hidden()

    choose(page, "Set the point by", "a cap on alerts")
    days = rated()["time"].dt.normalize()
    days = (days.max() - days.min()).days + 1
    goal(page, "Alerts per day, at most", 7)
    capped = wished(point_for_alerts, 7 * days)
    expect_goal(page, "a cap on alerts", capped)
    expect(page.get_by_text(f"a day on average of the {days} days of the data")).to_be_visible()
    goal(page, "Alerts per day, at most", 0.01)
    expect_refused(page, "All thresholds that flag anything flag more", capped)
    expect(said(page)).to_be_hidden()

    choose(page, "Set the point by", "thresholds by hand")
    expect_point(page, SCORES, capped)
    for score, text, point in (
        (SCORES[0], "0.9", counted(0.9, capped[0][1])),
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
    expect(page).not_to_have_url(re.compile("goal=|hand=|goal_"))
    expect(said(page)).to_be_hidden()
    expect(selected(page, "Set the point by")).to_have_value("marginal precision")
    expect(refusal(page, "The point stays")).to_have_count(0)

    choose(page, "Set the point by", "costs")
    box = page.get_by_label("A review costs", exact=True)
    box.fill("8")
    box.press("Enter")
    expect(percent_box(page)).not_to_have_value("30")
    open_part(page, "Compare scenarios")
    expect(typed(page, 0, REVIEW)).to_have_text("8")
    for column, value in ((RECOVERED, 0), (REVIEW, 6), (CATCH, 20)):
        type_cell(page, 0, column, value)
    usual = at_price(documents, path, 6 / 20)
    expect_driven(page, path, "costs", usual, 100 * 6 / 20)
    type_cell(page, 0, "Name", "usual")
    expect_driven(page, path, "costs, scenario 'usual'", usual)
    editor(page).hover()
    page.get_by_role("button", name=re.compile("^Add row")).click()
    for column, value in (
        ("Name", "holidays"),
        (RECOVERED, 0),
        (REVIEW, 6),
        (CATCH, 50),
    ):
        type_cell(page, 1, column, value)
    expect_driven(page, path, "costs, scenario 'usual'", usual, 100 * 6 / 20)
    choose(page, "Active scenario", "holidays")
    dear = at_price(documents, path, 6 / 50)
    expect_driven(page, path, "costs, scenario 'holidays'", dear, 100 * 6 / 50)
    names = cells(page, "Scenario", "Scenario")
    expect(names).to_have_text(["usual", "holidays"])
    expect(cells(page, "Scenario", "")).to_have_text(["", "active"])
    expect(cells(page, "Scenario", "Payoff there")).to_have_text(
        [money(point[1] * (catch - 6) - point[2] * 6) for point, catch in ((usual, 20), (dear, 50))]
    )
    expect(cells(page, "Scenario", "Payoff of this point")).to_have_text(
        [money(dear[1] * (catch - 6) - dear[2] * 6) for catch in (20, 50)]
    )

    choose(page, "Active scenario", "usual")
    expect_driven(page, path, "costs, scenario 'usual'", usual, 100 * 6 / 20)
    expect(typed(page, 0, CATCH)).to_have_text("20")
    expect(cells(page, "Scenario", "")).to_have_text(["active", ""])
    expect(page.get_by_test_id("stException")).to_have_count(0)

    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    # Surfaces drawn without a GPU would keep the finger waiting.
    open_page(phone, page.url, "Operating point")
    expect_driven(phone, path, "costs, scenario 'usual'", usual, 100 * 6 / 20)
    expect(selected(phone, "Set the point by")).to_have_value("costs")
    open_part(phone, "Compare scenarios")
    expect(phone.get_by_role("combobox", name="Active scenario").first).to_have_value("usual")
    for cell in ("goal_review=6.0", "goal_catch=20.0"):
        expect(phone).to_have_url(re.compile(f"[?&]{re.escape(cell)}(&|$)"))
    expect(typed(phone, 0, REVIEW)).to_have_text("6")

    slide = Finger(phone)
    slide.tap(0.6)
    expect(said(phone)).to_be_hidden()
    expect(phone).not_to_have_url(re.compile("goal="))
    at = shown_target(phone)
    assert 55 < at < 65
    expect_point(phone, SCORES, expected_sample_point(NAME, at))
    settle_target(phone, f"{at:g}")
    expect(editor(phone)).to_have_count(0)

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
        """Scroll the slider to the middle of the screen, where no other part covers it."""
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
