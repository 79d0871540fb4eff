import csv
import io
import json
import re

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.steps import (
    choose,
    choose_method,
    counts,
    expect_method,
    expect_point,
    expected_point,
    expected_sample_point,
    flag_by_every_score,
    follow,
    metric,
    number,
    open_page,
    opened_popover,
    percent_box,
    press,
    rated_csv,
    say_no_other_alerts,
    selected,
    settle_target,
    shown_point,
    slider,
    to_operating_point,
    upload,
)
from ui.data.samples import sample


@pytest.fixture(params=["simulated", "real"])
def rated_file(request):
    """name, bytes, score columns, rating column, positive rating."""
    if request.param == "simulated":
        return "simulated.csv", rated_csv(), ["card score", "device score"], "verdict", "fraud"
    folder = request.getfixturevalue("rated_folder")
    name = "bssr1_two_scores_rated.csv"
    return name, (folder / name).read_bytes(), ["face_G", "finger_left"], "genuine", 1


def test_from_a_rated_file_to_thresholds_that_were_taken_away(server, page, rated_file):
    name, data, scores, rating, positive = rated_file
    frame = pd.read_csv(io.BytesIO(data))

    open_page(page, server, "Rated data")
    expect(page).to_have_url(re.compile("/rated_data$"))
    expect(metric(page, "Rows read")).to_have_text(f"{len(sample('Card alerts').frame):,}")
    upload(page, name, data)
    expect(metric(page, "Rows read")).to_have_text(f"{len(frame):,}")
    expect(metric(page, "Positives")).to_have_text(f"{(frame[rating] == positive).sum():,}")
    expect(selected(page, "Data")).to_have_value(name)

    to_operating_point(page)
    expect(selected(page, "Data")).to_have_value(name)
    expect_point(page, scores, expected_point(frame, scores, rating, positive, percent=20))

    for expected in ("20.5", "21", "21.5", "22"):
        press(page, "ArrowRight", expected)
    expect_point(page, scores, expected_point(frame, scores, rating, positive, percent=22))
    press(page, "ArrowLeft", "21.5")
    expect_point(page, scores, expected_point(frame, scores, rating, positive, percent=21.5))

    percent_box(page).fill("61.5")
    percent_box(page).press("Enter")
    expect(slider(page)).to_have_value("61.5")
    expect_point(page, scores, expected_point(frame, scores, rating, positive, percent=61.5))
    settle_target(page, "61.5")

    choose_method(page, "analytic power")
    expect_point(page, scores, expected_point(frame, scores, rating, positive, percent=61.5, method="analytic power"))
    flag_by_every_score(page)
    expected = expected_point(frame, scores, rating, positive, percent=61.5, method="analytic power", rule="all")
    expect_point(page, scores, expected)

    shown = shown_point(page)
    printed = number(shown["Caught (TP)"]), number(shown["False alerts (FP)"])
    taken = json.loads(taken_away(page, "JSON", "thresholds.json"))
    assert taken["rule"] == "all"
    assert taken["method"] == "analytic power"
    assert taken["target_marginal_precision"] == 0.615
    assert (taken["true_positives"], taken["false_positives"]) == printed
    assert taken["source"]["data"] == name
    assert counts(frame, taken["thresholds"], rating, positive, "all") == printed

    rows = list(csv.DictReader(io.StringIO(taken_away(page, "CSV", "thresholds.csv"))))
    assert {row["rule"] for row in rows} == {"all"}
    assert {row["comparison"] for row in rows} == {">="}
    thresholds = {row["classifier"]: float(row["threshold"]) for row in rows}
    assert thresholds == taken["thresholds"]
    assert counts(frame, thresholds, rating, positive, "all") == printed


def one_score_frame():
    return pd.read_csv(io.BytesIO(rated_csv(8)))[["card score", "verdict"]]


def taken_away(page, button, name):
    with opened_popover(page, "Download"), page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=button).click()
    assert download.value.suggested_filename == name
    return download.value.path().read_text(encoding="utf-8")


def test_keys_pressed_quickly_leave_slider_box_and_numbers_in_step(server, flat_page):
    page = flat_page
    open_page(page, f"{server}/operating_point", "Operating point")
    expect(metric(page, "Caught (TP)")).to_be_visible()
    slider(page).focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"m=30(&|$)"))
    expect_point(page, sample("Card alerts").first_choice.scores, expected_sample_point("Card alerts", 30))
    expect(percent_box(page)).to_have_value("30")
    expect(slider(page)).to_have_value("30")


def test_a_move_made_while_the_page_is_still_running_is_not_taken_back(server, flat_page):
    page = flat_page
    open_page(page, f"{server}/operating_point?data=Marketplace+listings", "Operating point")
    flag_by_every_score(page)
    percent_box(page).fill("44")
    percent_box(page).press("Enter")
    point = expected_sample_point("Marketplace listings", 44, rule="all")
    expect_point(page, sample("Marketplace listings").first_choice.scores, point)
    settle_target(page, 44)
    expect(percent_box(page)).to_have_value("44")
    expect(slider(page)).to_have_value("44")
    percent_box(page).fill("33.33")
    percent_box(page).press("Enter")
    settle_target(page, "33.33")
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile("^33.33 %"))


def test_the_address_carries_every_choice_to_another_visitor(server, flat_page, new_page):
    page = flat_page
    open_page(page, f"{server}/operating_point?data=Login+alerts", "Operating point")
    choose_method(page, "analytic beta")
    choose(page, "Data", "Marketplace listings")
    expect_method(page, "analytic beta")
    percent_box(page).fill("44")
    percent_box(page).press("Enter")
    expect(page).to_have_url(re.compile("m=44"))
    flag_by_every_score(page)
    for part in ("data=Marketplace", "method=analytic", "rule=all", "m=44"):
        expect(page).to_have_url(re.compile(part))
    point = expected_sample_point("Marketplace listings", 44, method="analytic beta", rule="all")
    expect_point(page, sample("Marketplace listings").first_choice.scores, point)
    before = shown_point(page)
    frame = sample("Marketplace listings").frame
    rated = frame[frame["rating"].notna()]
    thresholds = {
        label.removeprefix("Threshold of "): float(value.removeprefix("≥ "))
        for label, value in before.items()
        if label.startswith("Threshold of ")
    }
    assert counts(rated, thresholds, "rating", "fraud", "all") == (
        number(before["Caught (TP)"]),
        number(before["False alerts (FP)"]),
    )

    other = new_page()
    open_page(other, page.url, "Operating point")
    expect(metric(other, "Caught (TP)")).to_have_text(before["Caught (TP)"])
    assert shown_point(other) == before
    expect(slider(other)).to_have_value("44")
    expect(percent_box(other)).to_have_value("44")
    expect(selected(other, "Data")).to_have_value("Marketplace listings")
    expect_method(other, "analytic beta")
    with opened_popover(other, "Settings"):
        expect(other.get_by_role("radio", name="every score")).to_be_checked()


def test_moving_between_the_pages_loses_nothing(server, page):
    open_page(page, server, "Rated data")
    frame = one_score_frame()
    rows = f"{len(frame):,}"
    upload(page, "mine.csv", frame.to_csv(index=False).encode())
    say_no_other_alerts(page)
    expect(metric(page, "Rows read")).to_have_text(rows)
    follow(page, "Operating point", "Operating point")
    expect(metric(page, "Threshold of card score")).to_be_visible()
    choose_method(page, "benchmark")
    percent_box(page).fill("33.5")
    percent_box(page).press("Enter")
    expect(page).to_have_url(re.compile("m=33.5"))
    before = shown_point(page)
    follow(page, "Top-k", "Top-k: sort, then cut")
    follow(page, "Rated data", "Rated data")
    expect(metric(page, "Rows read")).to_have_text(rows)
    expect(selected(page, "Data")).to_have_value("mine.csv")
    follow(page, "Operating point", "Operating point")
    expect(selected(page, "Data")).to_have_value("mine.csv")
    expect_method(page, "benchmark")
    expect(slider(page)).to_have_value("33.5")
    expect(percent_box(page)).to_have_value("33.5")
    assert shown_point(page) == before


def test_bad_uploads_say_why_and_what_was_loaded_stays(server, page):
    open_page(page, server, "Rated data")
    frame = one_score_frame()
    rows = f"{len(frame):,}"
    upload(page, "good.csv", frame.to_csv(index=False).encode())
    say_no_other_alerts(page)
    expect(metric(page, "Rows read")).to_have_text(rows)
    for name, data, words in (
        ("empty.csv", b"", "'empty.csv' is empty"),
        ("export.csv", b'[{"score": 0.5}]', "'export.csv' is not a table"),
        ("broken.csv", b"score,rating\n0.5,gepr\x81ft\n", "row 1"),
    ):
        upload(page, name, data)
        expect(page.get_by_test_id("stAlert").filter(has_text=words)).to_be_visible()
        expect(metric(page, "Rows read")).to_have_text(rows)
        expect(selected(page, "Data")).to_have_value("good.csv")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    follow(page, "Choose the operating point", "Operating point")
    expect(selected(page, "Data")).to_have_value("good.csv")
    expect_point(page, ["card score"], expected_point(frame, ["card score"], "verdict", percent=20))


def test_a_file_without_a_usable_rating_is_said_on_both_pages(server, page):
    open_page(page, server, "Rated data")
    upload(page, "one class.csv", b"score,rating\n0.5,fraud\n0.6,fraud\n0.7,fraud\n")
    words = "No value of column 'rating' ('fraud') means negative"
    expect(page.get_by_test_id("stAlert").filter(has_text=words)).to_be_visible()
    follow(page, "Operating point", "Operating point")
    # What is not certain has to be checked before anything is looked at.
    checked_first = page.get_by_test_id("stAlert").filter(has_text="check them on Rated data first")
    expect(page.get_by_test_id("stAlert").filter(has_text=words).or_(checked_first)).to_be_visible()
    follow(page, "Correct the columns of this file", "Rated data")
    choose(page, "Data", "Login alerts")
    expect(metric(page, "Rows read")).to_have_text(f"{len(sample('Login alerts').frame):,}")


def test_what_new_data_will_show_comes_while_the_slider_stays_free(server, page):
    open_page(page, f"{server}/operating_point?data=Login+alerts&new_data=true", "Operating point")
    press(page, "ArrowRight", "20.5")
    expect_point(page, ["login model"], expected_sample_point("Login alerts", 20.5))
    expect(page.get_by_text("At these thresholds on new data of the same size")).to_be_visible()
    expect(page.get_by_text("Every method on documents that did not choose its thresholds")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)

    page.get_by_text("Guarantee a precision").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="95 % confidence")).to_be_visible()
    page.get_by_role("spinbutton", name="Precision of at least").fill("99.5")
    page.get_by_role("spinbutton", name="Precision of at least").press("Enter")
    expect(page.get_by_test_id("stAlert").filter(has_text="No thresholds can be guaranteed")).to_be_visible()
    page.get_by_text("Would one rule do? And what to rate next").click()
    expect(page.get_by_text("What to rate next.")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
