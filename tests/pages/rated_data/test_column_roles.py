"""Test the meanings of columns: guessed, corrected, rejected."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments
from tests.pages.rated_data.steps import (
    GOOD,
    as_read,
    back_to_rated_data,
    box,
    charts,
    confirm,
    count_frame,
    counts_at_floors,
    csv_of,
    funnel,
    go_to_operating_point,
    infos,
    menu,
    only_error,
    pick,
    rated_frame,
    say_no_other_alerts,
    upload,
    use,
    used_as,
)
from tests.pages.steps import run


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
    assert menu(app, "sampling weight").value == "weight"
    fraud = int((frame["rating"] == "fraud").sum())
    negatives = 2.5 * int((frame["rating"] == "ok").sum())
    words = f"{negatives:,.0f}" if negatives == round(negatives) else f"{negatives:,.1f}"
    assert any(f"stand for {fraud:,} positive and {words} negative" in caption.value for caption in app.caption)


def test_no_group_is_chosen_unless_a_column_is_clearly_named_so(app):
    frame = rated_frame()
    frame["branch"] = np.resize(["north", "south", "east"], len(frame))
    upload(app, csv_of(frame), "branches.csv")
    assert not used_as(app, "group")
    assert not any("groups by" in caption.value for caption in app.caption)
    use(app, "branch", "group")
    assert not app.error
    (cause,) = [caption.value for caption in app.caption if "groups by" in caption.value]
    assert cause.startswith(f"These {len(frame):,} rows form 3 groups by 'branch'")
    go_to_operating_point(app)
    assert not app.error
    back_to_rated_data(app)
    assert menu(app, "branch").value == "group"
    use(app, "branch", "unused")
    assert not any("groups by" in caption.value for caption in app.caption)


def test_a_group_named_so_is_found_and_its_blanks_are_counted(app):
    frame = rated_frame()
    frame["customer_id"] = [f"c{row // 4}" for row in range(len(frame))]
    frame.loc[[1, 6], "customer_id"] = None
    upload(app, csv_of(frame), "customers.csv")
    assert not app.error
    assert menu(app, "customer_id").value == "group"
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
    say_no_other_alerts(use(app, "model A", "unused"))
    assert not app.error
    assert len(charts(app)) == 1
    assert "model B" in charts(app)[0].alt
    go_to_operating_point(app)
    assert [metric.label for metric in app.metric if "Threshold" in metric.label] == ["Threshold of model B"]
    back_to_rated_data(app)
    assert app.selectbox(key="data").value == GOOD
    assert used_as(app, "score") == ["model B"]
    pick(app, "Login alerts")
    pick(app, GOOD)
    assert used_as(app, "score") == ["model B"]
    assert len(charts(app)) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda app: use(app, "model A", "rating"), ["different ratings", "'model A'"]),
        (lambda app: use(app, "model A", "alert_rule"), ["'model A'", "row"]),
        (lambda app: run(box(app, "floor_model A").set_value("2.0")), ["'model A'", "2", "largest score", "row"]),
    ],
)
def test_a_bad_choice_of_columns_keeps_the_last_good_one(app_with_upload, change, words):
    app = app_with_upload
    # Both floors are given, so that none is asked for.
    for name in ("model A", "model B"):
        box(app, f"floor_{name}").set_value("0.5")
    before = funnel(run(app))
    change(app)
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
    nodes = frame["T1"].nunique(), frame["T2"].nunique()
    assert counts_at_floors(app) == (*nodes, round(frame["TP"].max()), round(frame["FP"].max()))
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
    assert used_as(app, "score", "falling") == ["model A", "trust score"]
    say_no_other_alerts(app)
    assert menu(app, "trust score").value == "falling"
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
    say_no_other_alerts(use(app, "trust score", "score"))
    go_to_operating_point(app)
    back_to_rated_data(app)
    assert menu(app, "trust score").value == "score"


def test_new_score_that_falls_with_fraud_is_inverted(app):
    frame = rated_frame()
    frame["distance"] = (1000 - 1000 * frame.pop("model B")).round(3)
    upload(app, csv_of(frame), "distance.csv")
    use(app, "distance", "unused")
    assert menu(use(app, "distance", "score"), "distance").value == "falling"


def test_use_of_one_column_moves(app):
    frame = rated_frame()
    frame["branch"] = np.resize(["north", "south", "east"], len(frame))
    frame["customer_id"] = [f"c{row // 4}" for row in range(len(frame))]
    upload(app, csv_of(frame), "customers.csv")
    assert used_as(app, "group") == ["customer_id"]
    use(app, "branch", "group")
    assert used_as(app, "group") == ["branch"]
    assert menu(app, "customer_id").value == "unused"
    assert not app.error


def test_fifth_score_is_refused_in_a_sentence(app):
    frame = rated_frame(classifiers=4).assign(other=lambda table: table["model B"] / 2)
    upload(app, csv_of(frame), "five.csv")
    assert len(used_as(app, "score")) == 4
    use(app, "other", "score")
    assert "At most 4 scores" in only_error(app)
    assert menu(app, "other").value == "unused"
    assert not run(app).error
    use(app, "model A", "unused")
    assert menu(use(app, "other", "score"), "other").value == "score"


def test_words_of_a_column_are_alert_rules(app):
    frame = rated_frame()
    frame["cause"] = np.resize(["velocity", "model", ""], len(frame))
    upload(app, csv_of(frame), "words.csv")
    use(app, "cause", "alert_rule")
    assert box(app, "words_cause").value == []
    assert set(box(app, "words_cause").options) == {"velocity", "model"}
    say_no_other_alerts(run(box(app, "words_cause").set_value(["cause has velocity"])))
    assert not app.error
    assert any("1 alert rule beside them" in caption.value for caption in app.caption)


def test_unused_columns_are_drawn_when_they_are_opened(app):
    generator = np.random.default_rng(1)
    frame = rated_frame()
    for place in range(40):
        frame[f"note {place}"] = generator.choice(list("abcdefgh"), len(frame))
    upload(app, csv_of(frame), "wide.csv")
    assert not [one for one in used_as(app, "unused") if one.startswith("note")]
    (others,) = [one for one in app.expander if "not used" in one.label]
    assert others.label.startswith("40 ")
    menu(app, "note 7")
    assert len(used_as(app, "unused")) == 40


def test_uncertain_columns_come_first_until_confirmed(app):
    frame = rated_frame()
    frame["seen"] = pd.date_range("2026-01-01", periods=len(frame), freq="h").strftime("%Y-%m-%d %H:%M")
    frame["outcome"] = frame.pop("rating")
    upload(app, csv_of(frame.rename(columns={"model B": "level"})), "doubts.csv")
    marked = [text.value for text in app.markdown if "please check" in text.value]
    assert marked
    first = next(one for one in app.selectbox if one.key.startswith("used_as_"))
    assert first.key.removeprefix("used_as_").startswith(("level", "model A", "seen"))
    confirm(say_no_other_alerts(app))
    assert not [text.value for text in app.markdown if "please check" in text.value]
