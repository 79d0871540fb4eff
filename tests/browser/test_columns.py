"""A file that also tells amounts, times and countries: money, weeks and segments as pandas counts them."""

import io

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from multiloss_core import RatedDocuments, operating_point, smooth_path
from tests.browser.steps import (
    PAGES,
    cells,
    choose,
    expect_point,
    expected_point,
    follow,
    metric,
    open_columns,
    open_page,
    open_part,
    rated_csv,
    selected,
    settle,
    to_operating_point,
    upload,
)

SCORES = ["card score", "device score"]
MONEY_CAUGHT, MONEY_IN_FALSE = "Money caught (TP)", "Money in false alerts (FP)"


@pytest.fixture(scope="module")
def frame():
    """Rated transactions of six weeks; a few are not rated."""
    frame = pd.read_csv(io.BytesIO(rated_csv(6)))
    generator = np.random.default_rng(6)
    fraud, n = frame["verdict"] == "fraud", len(frame)
    frame["amount"] = generator.lognormal(np.where(fraud, 5.0, 4.0), 1.0).round(2)
    seconds = np.sort(generator.integers(0, 42 * 86_400, n))
    frame["timestamp"] = pd.Timestamp("2026-03-04") + pd.to_timedelta(seconds, unit="s")
    usual, in_fraud = (generator.choice(["PL", "DE", "FR"], n, p=p) for p in ([0.6, 0.3, 0.1], [0.2, 0.3, 0.5]))
    frame["country"] = np.where(fraud, in_fraud, usual)
    frame.loc[generator.random(n) < 0.03, "verdict"] = None
    return frame


def flagged(frame, thresholds):
    """The rows that some score flags, rated or not."""
    return frame[(frame[SCORES] >= list(thresholds)).any(axis=1)]


def expect_number(place, value):
    """A count or a sum of money on the screen, which is rounded to whole ones from 100 on."""
    assert value >= 100 or value == int(value)
    expect(place).to_have_text(f"{value:,.0f}")


def rate(page, label):
    """The value of a line of the explorer's table of rates."""
    return page.locator(f'.explorer .rates tr:has(th[data-label="{label}"]) td > span')


def money(alerts):
    """Money caught and money in false alerts."""
    return [alerts.loc[alerts["verdict"] == verdict, "amount"].sum() for verdict in ("fraud", "ok")]


def expect_days(page, frame, alerts):
    """The caption on alerts per day, at the thresholds of the screen."""
    days = frame["timestamp"].dt.normalize()
    days = pd.date_range(days.min(), days.max())
    caption = page.get_by_test_id("stCaptionContainer").filter(has_text="Alerts per day:")
    expect(caption).to_contain_text(f"{len(days)} days in the data")
    mean = f"{len(alerts) / len(days):,.1f}".removesuffix(".0")
    expect(caption).to_contain_text(f"Alerts per day: {mean} on average")


def expect_counts(page, table, groups):
    """A table of alerts, TP, FP and what is not yet decided of each group, in the order of the groups."""
    fraud, false = (
        groups["verdict"].agg(lambda verdicts, kind=kind: (verdicts == kind).sum()) for kind in ("fraud", "ok")
    )
    for title, values in (
        ("Alerts", groups.size()),
        ("Caught (TP)", fraud),
        ("False alerts (FP)", false),
        ("Not yet decided", groups.size() - fraud - false),
    ):
        expect(cells(page, table, title)).to_have_text([f"{value:,}" for value in values])


def test_amounts_times_and_countries_of_a_file(server, flat_page, frame):
    page = flat_page
    name, rows = "transactions.csv", f"{len(frame):,}"
    open_page(page, server, "Rated data")
    upload(page, name, frame.to_csv(index=False).encode())
    expect(metric(page, "Rows read")).to_have_text(rows)
    open_columns(page)
    expect(page.get_by_test_id("stMultiSelect").filter(has_text="".join(SCORES))).to_be_visible()
    for label, column in (
        ("Rating", "verdict"),
        ("Amount (optional)", "amount"),
        ("Time (optional)", "timestamp"),
        ("Segment (optional)", "country"),
    ):
        expect(selected(page, label)).to_have_value(column)

    to_operating_point(page)
    point = expected_point(frame, SCORES, "verdict", percent=20)
    expect_point(page, SCORES, point)
    alerts = flagged(frame, point[0])
    for label, value in zip(("Money caught", "Money in false alerts"), money(alerts), strict=True):
        expect_number(metric(page, label), value)
    expect_days(page, frame, alerts)

    page.get_by_role("radio", name="money").click()
    expect(metric(page, MONEY_CAUGHT)).to_have_count(1)
    documents = RatedDocuments.from_frame(frame, SCORES, "verdict", weight="amount")
    best = operating_point(smooth_path(documents), 0.2)
    thresholds = documents.round_thresholds(best.thresholds)
    assert not np.array_equal(thresholds, point[0])
    alerts = flagged(frame, thresholds)
    assert money(alerts) == pytest.approx([best.tp, best.fp])
    for score, threshold in zip(SCORES, thresholds, strict=True):
        expect(metric(page, f"Threshold of {score}")).to_have_text(f"≥ {float(threshold)!r}")
    for label, value in zip((MONEY_CAUGHT, MONEY_IN_FALSE), money(alerts), strict=True):
        expect_number(metric(page, label), value)
    for label, verdict in (("Caught", "fraud"), ("False alerts", "ok")):
        expect_number(metric(page, label), (alerts["verdict"] == verdict).sum())
    expect_number(rate(page, "Alerts"), len(alerts))
    expect_number(rate(page, "of them not yet decided"), alerts["verdict"].isna().sum())
    expect_days(page, frame, alerts)
    settle(page)

    open_part(page, "Over time: does the point drift?")
    mondays = alerts["timestamp"].dt.to_period("W-SUN").dt.start_time.dt.date
    expect(cells(page, "Week of", "Week of")).to_have_text(
        [f"{monday}{' (incomplete)' * (i in (0, 6))}" for i, monday in enumerate(sorted(set(mondays)))]
    )
    expect_counts(page, "Week of", alerts.groupby(mondays))
    open_part(page, "The point in each segment")
    countries = alerts.loc[alerts["verdict"].notna(), "country"].value_counts().index
    expect(cells(page, "Segment", "Segment")).to_have_text(list(countries))
    by_country = alerts["country"].astype(pd.CategoricalDtype(countries, ordered=True))
    expect_counts(page, "Segment", alerts.groupby(by_country, observed=True))

    open_part(page, "Save this decision")
    page.get_by_role("textbox", name="Decided by").fill("C. Ashier")
    page.get_by_role("textbox", name="Why").fill("Large sums first.")
    page.get_by_role("button", name="Save to the log").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="Saved in the decision log")).to_be_visible()
    follow(page, "See all decisions", PAGES["decisions"])
    expect(page.get_by_text("Large sums first.").first).to_be_visible()
    flagged_money = f"Of the money in rated documents, {sum(money(alerts)):,.0f} would be flagged"
    expect(page.get_by_text(flagged_money).first).to_be_visible()
    expect(page.get_by_text("money: sums of 'amount'").first).to_be_visible()

    follow(page, "Rated data", PAGES["rated_data"])
    bad = frame.head(1_000).rename(columns={"amount": "paid"}).astype({"paid": object})
    bad.loc[6, "paid"] = "unknown"
    upload(page, "second.csv", bad.to_csv(index=False).encode())
    expect(metric(page, "Rows read")).to_have_text("1,000")
    open_columns(page)
    expect(selected(page, "Amount (optional)")).to_have_value("(none: money is not counted)")
    settle(page)
    choose(page, "Amount (optional)", "paid")
    complaint = page.get_by_test_id("stAlert").filter(has_text="'paid'")
    expect(complaint).to_have_count(1)
    expect(complaint).to_contain_text("row 7, 'unknown'")
    expect(complaint).to_contain_text("correct these amounts or choose no amount column")
    choose(page, "Data", name)
    expect(metric(page, "Rows read")).to_have_text(rows)
    expect(complaint).to_have_count(0)
    open_columns(page)
    expect(selected(page, "Amount (optional)")).to_have_value("amount")
    expect(page.get_by_test_id("stException")).to_have_count(0)
