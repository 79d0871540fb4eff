"""Test the funnel, histograms and cautions of rated data."""

import json

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments
from tests.pages.rated_data.steps import (
    UNUSABLE,
    back_to_rated_data,
    box,
    charts,
    counts_at_floors,
    csv_of,
    funnel,
    go_to_operating_point,
    infos,
    only_error,
    pick,
    rated_frame,
    say_no_other_alerts,
    steps,
    upload,
)
from tests.pages.steps import run
from ui.data.rated import sample


def layout(chart):
    return json.loads(chart.spec)["layout"]


def test_first_sample_is_shown_with_its_funnel_and_histograms(app):
    assert app.title[0].value == "Rated data"
    assert app.selectbox(key="data").value == "Card alerts"
    source = sample("Card alerts")
    choice = source.first_choice
    documents = RatedDocuments.from_frame(
        source.frame, choice.scores, "rating", "fraud", floors=dict(zip(choice.scores, choice.floors, strict=True))
    )
    assert funnel(app) == steps(documents)
    rated = source.frame["rating"].notna()
    assert funnel(app)[:2] == [len(source.frame), rated.sum()]
    assert funnel(app)[4] == (source.frame["rating"] == "fraud").sum()
    assert infos(app) == []
    assert len(app.dataframe[0].value) == 10
    assert not app.error
    assert not app.warning


@pytest.mark.parametrize("name", ["Login alerts", "Insurance claims"])
def test_charts_have_keys_titles_and_descriptions(app, name):
    pick(app, name)
    choice = sample(name).first_choice
    shown = sorted(charts(app), key=lambda chart: chart.id[-1])
    assert len(shown) == len(choice.scores)
    assert len({chart.id for chart in shown}) == len(shown)
    for chart, score, floor in zip(shown, choice.scores, choice.floors, strict=True):
        assert score in chart.alt
        assert f"{floor:.6g}" in chart.alt
        assert layout(chart)["title"]["text"] == f"Scores of {score}, by rating"
        assert layout(chart)["xaxis"]["title"]["text"].startswith("score (")
        assert "documents" in layout(chart)["yaxis"]["title"]["text"]


def test_the_histograms_hold_every_document(app):
    for chart in charts(app):
        negatives, positives = (np.asarray(decoded(trace["y"])) for trace in json.loads(chart.spec)["data"])
        assert positives.sum() == funnel(app)[4]
        assert (negatives.sum() + positives.sum()) == funnel(app)[3]


def decoded(values):
    if isinstance(values, dict):
        import base64

        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=np.dtype(values["dtype"]))
    return values


@pytest.mark.parametrize("name", ["Marketplace listings", "Count table", "Alert queue"])
def test_samples_work_on_both_pages(app, name):
    pick(app, name)
    assert not app.error
    choice = sample(name).first_choice
    if choice.is_counts:
        frame = sample(name).frame
        first, second, *totals = counts_at_floors(app)
        assert first * second == len(frame)
        assert totals == [frame["TP"].max(), frame["FP"].max()]
    else:
        assert funnel(app)[0] == len(sample(name).frame)
    go_to_operating_point(app)
    assert not app.error
    assert app.selectbox(key="data").value == name
    thresholds = [metric for metric in app.metric if metric.label.startswith("Threshold of ")]
    assert len(thresholds) == (2 if choice.is_counts else len(choice.scores))


def test_rows_with_unusable_scores_can_be_left_out(app):
    frame, column = UNUSABLE["infinity"][0](rated_frame()), "model A"
    upload(app, csv_of(frame), "bad.csv")
    only_error(app)
    run(box(app, "leave").check())
    assert not app.error
    numbers = pd.to_numeric(frame[column], errors="coerce")
    unusable = ~np.isfinite(numbers)
    assert funnel(app)[:3] == [len(frame), len(frame), (~unusable).sum()]
    assert infos(app)[0] == (
        f"{unusable.sum()} rows with a score that is not a finite number were left out "
        f"(first: row {unusable.to_numpy().argmax() + 1}, column '{column}')."
    )
    go_to_operating_point(app)
    assert not app.error
    back_to_rated_data(app)
    assert not app.error
    assert box(app, "leave").value is True


def test_blank_scores_and_blank_ratings_are_counted(app):
    frame = rated_frame()
    frame.loc[[2, 5, 7], "model B"] = np.nan
    frame.loc[[1, 2], "rating"] = None
    upload(app, csv_of(frame), "blanks.csv")
    assert not app.error
    assert funnel(app)[:3] == [len(frame), len(frame) - 2, len(frame) - 2]
    kept, below, undecided = infos(app)[:3]
    assert kept == (
        "2 rows with a blank beside another score were kept; the blank reaches no threshold (first: row 6, column "
        "'model B')."
    )
    assert (
        below == "1 rated document lies below all floors and was left out (first: row 6); lower a floor to keep them."
    )
    assert undecided == (
        "2 rows are undecided in 'rating': neither true nor false positives; 1 of them count as "
        "alerts, the others have no usable score at or above a floor."
    )


def test_a_single_positive_works_with_a_caution(app):
    frame = rated_frame()
    frame["rating"] = "ok"
    frame.loc[frame["model A"].idxmax(), "rating"] = "fraud"
    upload(app, csv_of(frame), "single.csv")
    assert not app.error
    assert funnel(app)[4] == 1
    assert any("Only one document is positive" in info for info in infos(app))
    go_to_operating_point(app)
    assert not app.error
    assert app.metric


def test_huge_ties_work_with_a_caution(app):
    frame = rated_frame()
    frame.loc[frame["model A"] < frame["model A"].quantile(0.8), "model A"] = 0.5
    upload(app, csv_of(frame), "ties.csv")
    say_no_other_alerts(app)
    assert not app.error
    tied = int((frame["model A"] == 0.5).sum())
    (note,) = [info for info in infos(app) if "share the score" in info]
    assert note.startswith(f"{tied:,} of {len(frame):,} documents share the score 0.5 in 'model A'")
    go_to_operating_point(app)
    assert not app.error
    assert app.metric
