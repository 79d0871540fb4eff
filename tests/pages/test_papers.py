"""Compare the page on both papers with the stored results."""

import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from experiments import files
from experiments.printed import natarajan_losses, robles_rows
from experiments.robles.stored import rated_documents
from tests.pages.steps import opened, run, state
from ui.papers import figures

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


def opened_at(app, label):
    run_key = {"L2": "paper_strength", "small": "paper_small_sets", "audit": "paper_audit"}[label]
    app.session_state[run_key] = True
    return run(app)


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


def test_losses_at_a_strength_of_l2_are_those_stored(app):
    curves = json.loads((files.RESULTS / "natarajan_l2_strength.json").read_text(encoding="utf-8"))["curves"]
    opened_at(app, "L2")
    slider = app.select_slider(key="strength_c")
    run(slider.set_value(1e-3))
    shown = table(app, "At this C").set_index("At this C")["Loss"]
    for curve in curves:
        if (curve["key"], curve["loss"]) == ("scene", "F1"):
            at = curve["strengths"].index(1e-3)
            assert shown[curve["method"]] == pytest.approx(curve["losses"][at], abs=5e-4)


@pytest.mark.parametrize("measure", ["precision", "F1"])
def test_robles_rows_stand_beside_what_was_found(measure):
    shown = table(opened("papers", robles_set="Bank", robles_measure=measure), "Status here")
    printed = [row for row in robles_rows() if row.data_set == "Bank"]
    assert len(shown) == len(printed)
    values = [getattr(row, measure.lower()) for row in printed]
    assert list(shown["Printed"]) == ["nothing flagged" if value is None else f"{value:.4f}" for value in values]


def test_tallies_count_the_stored_marks(app, cells):
    marks = Counter(cell["mark"] for cell in cells if cell["printed"] is not None)
    compared = json.loads((files.RESULTS / "robles.json").read_text(encoding="utf-8"))["compared"]
    others = Counter(cell["mark"] for cell in compared if cell["mode"] == "apart")
    assert [list(map(int, re.findall(r"\d+", line.value))) for line in app.subheader] == [
        [marks["agrees"], len(PRINTED), marks["differs"], marks["cannot be"]],
        [others["agrees"], others["agrees"] + others["differs"], others["differs"]],
    ]


def test_figures_of_robles_are_drawn_when_opened(app):
    closed = len(app.get("plotly_chart"))
    for key in ("paper_graph", "paper_ensembles", "paper_points"):
        app.session_state[key] = True
    run(app)
    assert len(app.get("plotly_chart")) == closed + 5
    shown = table(app, "TP").set_index("Method")
    held = json.loads((files.RESULTS / "robles.json").read_text(encoding="utf-8"))
    documents = rated_documents(held)
    for method in ("graph", "analytic power", "benchmark"):
        thresholds = [shown.loc[method, f"Threshold of {name}"] for name in documents.names]
        counts = documents.counts_at(thresholds, "any")
        assert (shown.loc[method, "TP"], shown.loc[method, "FP"]) == (counts.tp, counts.fp)
    run(app.get_by_key("paper_view").set_value("fp"))
    assert len(app.get("plotly_chart")) == closed + 4


def test_stored_scores_open_on_the_page_of_optimal_cuts(app):
    scores = json.loads((files.RESULTS / "natarajan_scores_breast.json").read_text(encoding="utf-8"))
    (button,) = [one for one in app.button if one.key == f"open_{scores['set']}"]
    run(button.click())
    assert not app.error
    source = state(app).scored.sources[state(app).scored.picked]
    assert len(source.frame) == len(scores["labels"])
    assert source.frame["outcome"].sum() == sum(scores["labels"])
    assert any("flag" in heading.value for heading in app.subheader)


def test_stored_rated_rows_open_at_their_operating_point(app):
    (button,) = [one for one in app.button if one.label.startswith("Open bank marketing")]
    run(button.click())
    assert not app.error
    source = state(app).rated.sources[state(app).rated.picked]
    rated = pd.read_csv(files.RESULTS / "robles_bank_rated.csv")
    assert len(source.frame) == len(rated)
    assert any(f"{rated['deposit'].sum():,} positive" in caption.value for caption in app.caption)


SECTIONS = re.compile(r'^@shown_when_open\(.*key="(\w+)"', re.MULTILINE)


@pytest.mark.parametrize("view", ["flat", "tp"])
def test_all_sections_open_together(app, view):
    for file in Path(figures.__file__).parent.glob("*.py"):
        for key in SECTIONS.findall(file.read_text(encoding="utf-8")):
            app.session_state[key] = True
    app.session_state["paper_view"] = view
    run(app)
    assert len(app.get("plotly_chart")) >= 6
