import csv
import io
import json
import re

import pandas as pd
from playwright.sync_api import expect

from tests.browser.steps import (
    choose_method,
    counts,
    expect_point,
    expected_point,
    expected_sample_point,
    flag_by_every_score,
    losses,
    number,
    open_page,
    opened_popover,
    percent_box,
    press,
    rated_csv,
    selected,
    settle_target,
    shown_point,
    slider,
    to_operating_point,
    upload,
)
from ui.data.rated import sample


def test_from_a_rated_file_to_thresholds_that_were_taken_away(server, page):
    name, data, scores, rating, positive = "alerts.csv", rated_csv(), ["card score", "device score"], "verdict", "fraud"
    frame = pd.read_csv(io.BytesIO(data))

    open_page(page, f"{server}/rated_data", "Rated data")
    expect(page).to_have_url(re.compile("/rated_data$"))
    expect(losses(page)).to_contain_text(f"{len(sample('Card alerts').frame):,} rows: ")
    upload(page, name, data)
    expect(losses(page)).to_contain_text(f"{len(frame):,} rows: ")
    expect(losses(page)).to_contain_text(f"{(frame[rating] == positive).sum():,} of them fraud")
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


def taken_away(page, button, name):
    with opened_popover(page, "Download"), page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=button).click()
    assert download.value.suggested_filename == name
    return download.value.path().read_text(encoding="utf-8")


def test_move_made_while_page_is_still_running_is_not_taken_back(server, page):
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
