"""Block, review, pass on the operating point, against pandas."""

import numpy as np
import pandas as pd
import pytest

from tests.pages.operating_point.test_money import SCORES, rated
from tests.pages.steps import opened, reopen, run, saved_record, state
from ui.data.rated import sample


def parts(app):
    """The table of the three parts."""
    (found,) = [element.value for element in app.dataframe if "Share of fraud" in element.value]
    return found.set_index(found.columns[0])


def cuts(app):
    """Lower and upper thresholds, as they are shown."""
    shown = parts(app)[SCORES].map(
        lambda text: float(text.removeprefix("≥ ").replace("never", "inf").replace("below", "nan"))
    )
    return shown.loc["Review"].to_numpy(), shown.loc["Block"].to_numpy()


def reached(frame, thresholds, rule):
    above = frame[SCORES] >= thresholds
    return above.any(axis=1) if rule == "any" else above.all(axis=1)


def by_pandas(app, rule, frame):
    lower, upper = cuts(app)
    block, flag = (reached(frame, thresholds, rule) for thresholds in (upper, lower))
    return {"Block": frame[block], "Review": frame[flag & ~block], "Pass": frame[~flag]}


def said(app):
    kinds = (app.markdown, app.caption, app.warning, app.error)
    return " ".join(element.value.replace("\\", "") for kind in kinds for element in kind)


@pytest.mark.parametrize(
    ("count", "rule", "by"),
    [("documents", "all", {"block_by": "precision", "block_precision": "85"}), ("money", "any", {})],
)
def test_the_three_parts_hold_what_pandas_counts(count, rule, by):
    app = opened(band="true", count=count, rule=rule, **by)
    assert not app.error
    shown, waiting = parts(app), sample("Card alerts").frame.query("rating.isna()")
    undecided = by_pandas(app, rule, waiting)
    for name, rows in by_pandas(app, rule, rated()[0]).items():
        fraud = rows["rating"] == "fraud"
        row = shown.loc[name]
        assert (row["Rated documents"], row["Fraud"], row["Not fraud"]) == (len(rows), fraud.sum(), (~fraud).sum())
        assert row["Share of fraud"] == pytest.approx(fraud.mean(), abs=0.006, nan_ok=True)
        if len(rows):
            assert row["95 % from"] <= fraud.mean() + 0.005 <= row["95 % to"] + 0.01
        assert row["Money in fraud"] == pytest.approx(rows.loc[fraud, "amount"].sum(), abs=0.51)
        assert row["Undecided"] == len(undecided[name])
    if by:
        assert shown.loc["Block", "Share of fraud"] >= 0.85 or count == "money"


def test_reviews_a_day_and_the_capacity():
    app = opened(band="true", reviews="6")
    frame = sample("Card alerts").frame
    day = pd.to_datetime(frame["time"]).dt.floor("D")
    days = pd.date_range(day.min(), day.max())

    def reviewed(app):
        floors = sample("Card alerts").first_choice.floors
        seen = frame[(frame[SCORES] >= list(floors)).any(axis=1)]
        per_day = day[by_pandas(app, "any", seen)["Review"].index].value_counts().reindex(days, fill_value=0)
        return per_day.to_numpy()

    before = reviewed(app)
    assert f"{before.mean():,.1f} on average" in said(app)
    assert "6 a day is kept neither on average nor on nine days of ten" in said(app)
    run(next(button for button in app.button if "6 a day are enough" in button.label).click())
    after = reviewed(app)
    assert not app.warning
    assert "That keeps within 6" in said(app)
    assert np.sort(after)[::-1][int(0.1 * (len(days) + 1)) - 1] <= 6


def test_an_upper_cut_below_the_point_is_refused_in_a_sentence():
    app = opened(band="true", m="60", block_m="30")
    assert "The upper cut lies below the lower one" in said(app)
    assert state(app).point.band is None
    app = opened(band="true", block_by="precision", block_precision="99.5", method="graph", m="20")
    assert state(app).point.band is not None or "has a precision of 99.5 %; lower it" in said(app)


def test_costs_choose_the_upper_cut():
    app = opened(band="true", block_by="cost")
    assert "set the point by costs first" in said(app)
    app = opened(
        band="true",
        block_by="cost",
        block_cost="40",
        goal="costs",
        goal_review="6",
        goal_recovered="100",
        goal_catch="0",
    )
    counted = by_pandas(app, "any", rated()[0])
    block, review = (counted[name] for name in ("Block", "Review"))
    brought = [rows.loc[rows["rating"] == "fraud", "amount"].sum() for rows in (block, review)]
    brought[0] -= 40 * (block["rating"] == "ok").sum()
    brought[1] -= 6 * len(review)
    assert f"Together they bring {sum(brought):,.2f}" in said(app)
    assert f"{brought[0]:,.2f} by blocking" in said(app)


def test_every_kind_of_data_has_two_cuts():
    for name in ("Login alerts", "Count table", "Insurance claims"):
        app = opened(band="true", data=name, m="20")
        shown = state(app).point.band
        assert not app.error
        assert parts(app).loc["Block", "Fraud"] == shown.band.block.tp


def test_a_decision_keeps_both_cuts_and_reopens_with_them():
    app = opened(band="true", block_m="75", reviews="30")
    lower, upper = cuts(app)
    made = saved_record(app)
    assert (list(made.thresholds), list(made.block.thresholds)) == (lower.tolist(), upper.tolist())
    assert (made.block.tp, made.block.fp) == tuple(parts(app).loc["Block", ["Fraud", "Not fraud"]])
    assert made.block.reviews_per_day == 30
    run(app.toggle(key="band").set_value(False))
    assert state(app).point.band is None
    reopen(app)
    again = cuts(app)
    assert (again[0].tolist(), again[1].tolist()) == (lower.tolist(), upper.tolist())
    assert app.number_input(key="reviews").value == 30
