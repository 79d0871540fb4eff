"""Test the meanings of columns: guessed, corrected, rejected."""

import numpy as np
import pytest

from multiloss_core import RatedDocuments
from tests.pages.rated_data.steps import (
    GOOD,
    as_read,
    back_to_rated_data,
    box,
    charts,
    count_frame,
    csv_of,
    funnel,
    go_to_operating_point,
    infos,
    metrics,
    only_error,
    pick,
    rated_frame,
    say_no_other_alerts,
    upload,
)
from tests.pages.steps import run
from ui.rated_data.column_roles import GROUP


def test_unusual_rating_words_are_asked_about(app_with_upload):
    app = app_with_upload
    frame = rated_frame()
    fraud = frame["rating"] == "fraud"
    frame["rating"] = np.where(fraud, "red", "green")
    upload(app, csv_of(frame), "colours.csv")
    error = only_error(app)
    for words in ("'rating'", "'green'"):
        assert words in error
    mean(app, green="negative", red="positive")
    assert not app.error
    assert funnel(app)[4] == fraud.sum()
    mean(app, green="positive", red="negative")
    assert funnel(app)[4] == (~fraud).sum()


def mean(app, **meanings):
    """Say what ratings mean."""
    for rating, meaning in meanings.items():
        box(app, f"meaning_rating_{rating}").set_value(meaning)
    return run(app)


def test_weights_are_found_and_counted(app):
    frame = rated_frame()
    frame["sampling weight"] = np.where(frame["rating"] == "ok", 2.5, 1.0)
    upload(app, csv_of(frame), "weights.csv")
    assert not app.error
    assert box(app, "weight").value == "sampling weight"
    fraud = int((frame["rating"] == "fraud").sum())
    negatives = 2.5 * int((frame["rating"] == "ok").sum())
    words = f"{negatives:,.0f}" if negatives == round(negatives) else f"{negatives:,.1f}"
    assert any(f"stand for {fraud:,} positive and {words} negative" in caption.value for caption in app.caption)


def test_no_group_is_chosen_unless_a_column_is_clearly_named_so(app):
    frame = rated_frame()
    frame["branch"] = np.resize(["north", "south", "east"], len(frame))
    upload(app, csv_of(frame), "branches.csv")
    assert box(app, "group").value == GROUP.none
    assert "held-out numbers and intervals respect it" in box(app, "group").help
    assert not any("groups by" in caption.value for caption in app.caption)
    run(box(app, "group").set_value("branch"))
    assert not app.error
    (told,) = [caption.value for caption in app.caption if "groups by" in caption.value]
    assert told.startswith(f"These {len(frame):,} rows form 3 groups by 'branch'")
    go_to_operating_point(app)
    assert not app.error
    back_to_rated_data(app)
    assert box(app, "group").value == "branch"
    run(box(app, "group").set_value(GROUP.none))
    assert not any("groups by" in caption.value for caption in app.caption)


def test_a_group_named_so_is_found_and_its_blanks_are_counted(app):
    frame = rated_frame()
    frame["customer_id"] = [f"c{row // 4}" for row in range(len(frame))]
    frame.loc[[1, 6], "customer_id"] = None
    upload(app, csv_of(frame), "customers.csv")
    assert not app.error
    assert box(app, "group").value == "customer_id"
    assert "2 rows without a value in 'customer_id' stand alone, each as a group of its own." in infos(app)
    groups = frame["customer_id"].nunique() + 2
    assert any(f"form {groups:,} groups by 'customer_id'" in as_read(caption.value) for caption in app.caption)


def test_given_floors_are_kept_and_documents_below_counted(app_with_upload):
    app = app_with_upload
    frame = rated_frame()
    floors = {"model A": 0.6, "model B": 0.65}
    for name, floor in floors.items():
        box(app, f"floor_{name}").set_value(f"{floor:.10g}")
    run(app)
    assert not app.error
    below = (frame["model A"] < 0.6) & (frame["model B"] < 0.65)
    assert below.any()
    assert funnel(app)[3] == (~below).sum()
    assert funnel(app)[4] == ((frame["rating"] == "fraud") & ~below).sum()
    (note,) = infos(app)
    assert note.startswith(f"{below.sum():,} rated documents lie below all floors and were left out (first: row ")
    assert f"row {below.to_numpy().argmax() + 1:,})" in note
    assert [
        f"rating floor at {floor:.6g}" in chart.alt for chart, floor in zip(charts(app), floors.values(), strict=True)
    ]


def test_corrections_of_the_columns_change_the_dataset_and_stay(app_with_upload):
    app = app_with_upload
    # The alerts of the score that is left out came from somewhere.
    say_no_other_alerts(run(box(app, "scores").set_value(["model B"])))
    assert not app.error
    assert len(charts(app)) == 1
    assert "model B" in charts(app)[0].alt
    go_to_operating_point(app)
    assert [metric.label for metric in app.metric if "Threshold" in metric.label] == ["Threshold of model B"]
    back_to_rated_data(app)
    assert app.selectbox(key="data").value == GOOD
    assert box(app, "scores").value == ["model B"]
    pick(app, "Login alerts")
    pick(app, GOOD)
    assert box(app, "scores").value == ["model B"]
    assert len(charts(app)) == 1


@pytest.mark.parametrize(
    ("widget", "value", "words"),
    [
        ("scores", [], ["at least one score"]),
        ("group", "model A", ["'model A'", "chosen twice"]),
        ("floor_model A", "2.0", ["'model A'", "2", "largest score", "row"]),
    ],
)
def test_a_bad_choice_of_columns_keeps_the_last_good_one(app_with_upload, widget, value, words):
    app = app_with_upload
    before = funnel(app)
    run(box(app, widget).set_value(value))
    error = only_error(app)
    for word in words:
        assert word in error
    assert funnel(app) == before
    assert any("last choice of columns that worked" in info for info in infos(app))
    go_to_operating_point(app)
    assert not app.error
    assert app.selectbox(key="data").value == GOOD
    assert app.metric


def test_a_table_of_counts_is_recognised(app):
    frame = count_frame()
    upload(app, csv_of(frame.sample(frac=1, random_state=3)), "counts.csv")
    assert not app.error
    assert box(app, "kind").value == "counts at a pair of thresholds"
    shown = metrics(app)
    assert shown["Nodes"] == f"{len(frame):,}"
    assert shown["Grid"] == f"{frame['T1'].nunique()} × {frame['T2'].nunique()}"
    assert shown["TP at the floors"] == f"{frame['TP'].max():,.0f}"
    assert shown["FP at the floors"] == f"{frame['FP'].max():,.0f}"
    assert any("rule 'any'" in caption.value for caption in app.caption)
    assert not charts(app)
    go_to_operating_point(app)
    assert not app.error
    assert app.selectbox(key="data").value == "counts.csv"


def test_score_that_falls_with_fraud_is_inverted_with_a_notice(app):
    frame = rated_frame()
    frame["trust score"] = (1000 - 1000 * frame.pop("model B")).round(3)
    upload(app, csv_of(frame), "trust.csv")
    assert not app.error
    # It may be another person's score, but goes with fraud: it is proposed and asked about.
    assert box(app, "scores").value == ["model A", "trust score"]
    say_no_other_alerts(run(box(app, "scores").set_value(["model A", "trust score"])))
    (turn,) = [toggle for toggle in app.toggle if "trust score" in toggle.label]
    assert turn.value
    assert not [toggle for toggle in app.toggle if "model A" in toggle.label]
    assert [caption for caption in app.caption if "trust score" in caption.value and "suspicious" in caption.value]
    assert not app.error
    turned = RatedDocuments.from_frame(
        frame.assign(turned=-frame["trust score"]), ["model A", "turned"], "rating", "fraud"
    )
    assert f"rating floor at {-turned.floors[1]:.6g}." in charts(app)[1].alt
    go_to_operating_point(app)
    assert not app.error
    words = {metric.label: metric.value for metric in app.metric if "Threshold" in metric.label}
    assert [*words] == ["Threshold of model A", "Threshold of trust score"]
    assert words["Threshold of trust score"].startswith("≤ ")
    assert 0 < float(words["Threshold of trust score"].removeprefix("≤ ")) < 1000
    back_to_rated_data(app)
    assert funnel(app)[4] == turned.funnel.positives
    # The user's choice stays.
    (turn,) = [toggle for toggle in app.toggle if "trust score" in toggle.label]
    say_no_other_alerts(run(turn.set_value(False)))
    go_to_operating_point(app)
    back_to_rated_data(app)
    assert not next(toggle for toggle in app.toggle if "trust score" in toggle.label).value
