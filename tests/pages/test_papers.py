"""Compare the page on both papers with the stored results."""

import json
import re
from collections import Counter

import pandas as pd
import pytest

from experiments import files
from experiments.printed import natarajan_losses, robles_rows
from experiments.robles.stored import rated_documents
from tests.pages.steps import opened, run, state

PRINTED = {(one.data_set, one.least, one.loss, one.method): one.value for one in natarajan_losses()}


@pytest.fixture
def app():
    return opened("papers")


@pytest.fixture(scope="module")
def cells():
    return json.loads((files.RESULTS / "natarajan.json").read_text(encoding="utf-8"))["cells"]


def table(app, column):
    """The first table that has a column of this name."""
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def texts(app):
    return " ".join(element.value for kind in ("markdown", "caption", "info") for element in app.get(kind))


@pytest.mark.parametrize("loss", ["F1", "G-TP/PR"])
def test_every_printed_loss_stands_beside_the_one_found(cells, loss):
    shown = table(opened("papers", paper_loss=loss), "Floor")
    expected = [cell for cell in cells if cell["loss"] == loss]
    assert len(shown) == len(expected) == 70
    for (_, row), cell in zip(shown.iterrows(), expected, strict=True):
        assert (row["Set"], row["Method"], row["Here"]) == (cell["row"], cell["method"], cell["ours"])
        assert row["95 % from"] <= row["Here"] <= row["95 % to"]
        if cell["printed"] is None:
            assert pd.isna(row["Printed"])
            assert row["Mark"] == "not in the paper"
            continue
        name = cell["row"].split(",")[0]
        assert row["Printed"] == PRINTED[name, cell["least"], loss, cell["method"]]
        assert row["Here less printed"] == pytest.approx(cell["ours"] - cell["printed"])
        assert row["Mark"] in ("agrees", "differs", "cannot be")
        assert row["Why"]


def test_losses_at_a_strength_of_l2_are_those_stored():
    curves = json.loads((files.RESULTS / "natarajan_l2_strength.json").read_text(encoding="utf-8"))["curves"]
    app = opened("papers", natarajan_part="strength")
    slider = app.select_slider(key="strength_c")
    run(slider.set_value(1e-3))
    shown = table(app, "At this C").set_index("At this C")["Loss"]
    for curve in curves:
        if (curve["key"], curve["loss"]) == ("scene", "F1"):
            at = curve["strengths"].index(1e-3)
            assert shown[curve["method"]] == pytest.approx(curve["losses"][at], abs=5e-4)


@pytest.mark.parametrize("measure", ["precision", "F1"])
def test_robles_rows_stand_beside_what_was_found(measure):
    shown = table(opened("papers", paper="robles", robles_set="Bank", robles_measure=measure), "Status here")
    printed = [row for row in robles_rows() if row.data_set == "Bank"]
    assert len(shown) == len(printed)
    values = [getattr(row, measure.lower()) for row in printed]
    assert list(shown["Printed"]) == ["nothing flagged" if value is None else f"{value:.4f}" for value in values]


def test_tallies_count_the_stored_marks(app, cells):
    marks = Counter(cell["mark"] for cell in cells if cell["printed"] is not None)
    compared = json.loads((files.RESULTS / "robles.json").read_text(encoding="utf-8"))["compared"]
    others = Counter(cell["mark"] for cell in compared if cell["mode"] == "apart")
    assert [
        list(map(int, re.findall(r"\d+", f"{metric.value} {line.value}")))
        for metric, line in zip(app.metric, app.caption, strict=False)
    ] == [
        [marks["agrees"], len(PRINTED), marks["differs"], marks["cannot be"]],
        [others["agrees"], others["agrees"] + others["differs"], others["differs"]],
    ]


@pytest.mark.parametrize(("part", "charts"), [("graph", 2), ("ensembles", 1), ("points", 2), ("search", 1)])
def test_figures_of_robles_are_drawn(part, charts):
    app = opened("papers", paper="robles", robles_part=part)
    assert len(app.get("plotly_chart")) == charts
    assert not app.exception


def test_operating_points_are_counted_in_the_stored_rows():
    app = opened("papers", paper="robles", robles_part="points")
    shown = table(app, "TP").set_index("Method")
    held = json.loads((files.RESULTS / "robles.json").read_text(encoding="utf-8"))
    documents = rated_documents(held)
    for method in ("graph", "analytic power", "benchmark"):
        thresholds = [shown.loc[method, f"Threshold of {name}"] for name in documents.names]
        counts = documents.counts_at(thresholds, "any")
        assert (shown.loc[method, "TP"], shown.loc[method, "FP"]) == (counts.tp, counts.fp)
    run(app.get_by_key("paper_view").set_value("fp"))
    assert len(app.get("plotly_chart")) == 1


def test_stored_scores_open_on_the_page_of_optimal_cuts(app):
    scores = json.loads((files.RESULTS / "natarajan_scores_breast.json").read_text(encoding="utf-8"))
    (button,) = [one for one in app.button if one.key == f"open_{scores['set']}"]
    run(button.click())
    assert not app.error
    source = state(app).scored.sources[state(app).scored.picked]
    assert len(source.frame) == len(scores["labels"])
    assert source.frame["outcome"].sum() == sum(scores["labels"])
    assert any("flag" in heading.value for heading in app.subheader)


def test_stored_rated_rows_open_at_their_operating_point():
    app = opened("papers", paper="robles")
    (button,) = [one for one in app.button if one.label.startswith("Open bank marketing")]
    run(button.click())
    assert not app.error
    source = state(app).rated.sources[state(app).rated.picked]
    rated = pd.read_csv(files.RESULTS / "robles_bank_rated.csv")
    assert len(source.frame) == len(rated)
    assert any(f"{rated['deposit'].sum():,} positive" in caption.value for caption in app.caption)


def test_causes_come_first_and_consistency_has_its_part():
    app = opened("papers", paper="audit")
    assert "Reruns differ for three reasons" in app.markdown[0].value
    assert not app.get("plotly_chart")
    assert "####" in app.markdown[-1].value
