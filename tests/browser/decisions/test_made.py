"""Test the way from the point to a saved decision."""

import re

from playwright.sync_api import expect

from multiloss_core import DecisionRecord, RatedDocuments, flagged
from multiloss_core.thresholds import SMOOTH, PathSearch
from multiloss_core.thresholds.targets import point_for_alerts, threshold_choices
from tests.browser.steps import (
    PAGES,
    choose,
    expect_point,
    expected_sample_point,
    follow,
    metric,
    number,
    open_page,
    open_part,
    percent_box,
    settle,
    settle_target,
)
from ui.data.rated import sample

NAME = "Login alerts"


def rated():
    frame = sample(NAME).frame
    return frame[frame["rating"].notna()]


def test_a_point_is_compared_saved_and_found_again(server, page):
    open_page(page, f"{server}/operating_point?data=Login+alerts", "Operating point")
    ghost = page.locator(".explorer [data-chart=plane] .ghost")
    expect(ghost).to_have_attribute("visibility", "hidden")

    open_part(page, "Compare with the current thresholds")
    box = page.get_by_role("textbox", name="Current threshold of login model")
    box.fill("0.9")
    box.press("Enter")
    expect(ghost).to_have_attribute("visibility", "visible")
    ((threshold,), _, _) = expected_sample_point(NAME, 20)
    frame = rated()
    band = frame[(frame["login model"] >= threshold) & (frame["login model"] < 0.9)]
    fraud = (band["rating"] == "fraud").sum()
    expect(page.get_by_text(re.compile(rf"Added.*{len(band):,}.*{fraud:,}", re.DOTALL)).first).to_be_visible()

    choose(page, "Set the point by", "a cap on alerts")
    cap = page.get_by_role("spinbutton", name="Alerts per day, at most")
    # The sample has no times.
    page.get_by_role("spinbutton", name="Days in the data").fill("10")
    page.get_by_role("spinbutton", name="Days in the data").press("Enter")
    expect(page).to_have_url(re.compile("goal_days=10"))
    cap.fill("30")
    cap.press("Enter")
    expect(page.locator(".explorer .goal")).to_contain_text("Optimised for a cap on alerts")
    source, choice = sample(NAME), sample(NAME).first_choice
    documents = RatedDocuments.from_frame(source.frame, choice.scores, choice.rating, floors=choice.floors)
    search = PathSearch(documents)
    path = SMOOTH.find(search)
    expected = point_for_alerts(path, threshold_choices(path, documents, fit=search.fit), 300)
    expect(metric(page, "Caught (TP)")).to_have_text(f"{expected.tp:,.0f}")
    settle(page)
    flagged_now = sum(number(metric(page, label).inner_text()) for label in ("Caught (TP)", "False alerts (FP)"))
    assert 0 < flagged_now == expected.alerts <= 300

    open_part(page, "Rules and scores")
    open_part(page, "Alerts near the thresholds")
    expect(page.get_by_test_id("stException")).to_have_count(0)

    open_part(page, "Save this decision")
    page.get_by_role("textbox", name="Decided by").fill("A. Nalyst")
    page.get_by_role("textbox", name="Why").fill("No more than 30 a day.")
    page.get_by_role("button", name="Save to the log").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="number")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=re.compile("record", re.IGNORECASE)).click()
    record = DecisionRecord.from_json(download.value.path().read_text(encoding="utf-8"))
    assert (record.author, record.reason) == ("A. Nalyst", "No more than 30 a day.")
    assert record.target.goal == "a cap on alerts"
    assert [(goal.name, goal.value) for goal in record.target.goal_values] == [
        ("alerts per day", 30),
        ("days in the data", 10),
    ]
    assert record.current.thresholds == (0.9,)
    caught = flagged(frame[["login model"]].to_numpy(), record.threshold_array, "any")
    assert caught.sum() == flagged_now

    follow(page, "Decisions", PAGES["decisions"])
    expect(page.get_by_text("No more than 30 a day.").first).to_be_visible()


def test_the_explanation_of_a_number_follows_the_slider(server, page):
    open_page(page, f"{server}/operating_point?data=Login+alerts", "Operating point")
    page.get_by_role("button", name="Explain Precision").click()
    told = page.locator(".explorer .explanation")
    for percent in (20, 60):
        percent_box(page).fill(str(percent))
        percent_box(page).press("Enter")
        point = expected_sample_point(NAME, percent)
        expect_point(page, ["login model"], point)
        _, tp, fp = point
        expect(told).to_contain_text(f"{tp:,.0f} / ({tp:,.0f} + {fp:,.0f}) =")
    settle_target(page, 60)
    page.get_by_role("button", name="Explain Precision").click()
    expect(told).to_be_hidden()


def test_presentation_hides_the_controls(server, page):
    page.goto(f"{server}/operating_point?data=Login+alerts&present=true&m=35")
    expect_point(page, ["login model"], expected_sample_point(NAME, 35))
    settle(page)
    expect(page.get_by_role("heading", name="Operating point")).to_be_hidden()
    page.get_by_role("button", name="Leave the presentation").click()
    expect(page.get_by_role("heading", name="Operating point")).to_be_visible()
