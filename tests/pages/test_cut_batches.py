"""A cut for each batch on the page Optimal cut."""

import io

import numpy as np
import pandas as pd

from multiloss_core import F, ScoredItems, optimal_top_k
from multiloss_core.losses import batch_cuts
from tests.pages.steps import run
from tests.pages.test_cut_choices import opened
from tests.pages.test_optimal_cut import flagged, items_csv, show, texts, upload


def with_batches(app):
    """Upload items of six days, open the section and choose the column; return its table."""
    frame = pd.read_csv(io.BytesIO(items_csv()))
    frame["day"] = [f"day {place % 6}" for place in range(len(frame))]
    upload(app, frame.to_csv(index=False).encode(), "days.csv")
    show(app, "batches")
    (box,) = [one for one in app.selectbox if (one.key or "").startswith("cut_batch_")]
    run(box.select("day"))
    return frame


def shown(app, column):
    (found,) = [element.value for element in app.dataframe if column in element.value]
    return found


def test_batches_have_cuts_of_their_own():
    app = opened()
    frame = with_batches(app)
    items = ScoredItems(frame["p"].to_numpy(), (frame["verdict"] == "fraud").to_numpy())
    common = optimal_top_k(items.probabilities, F()).selected
    own, one = batch_cuts(items, frame["day"], F(), common)
    table = shown(app, "Batch")
    assert table["Batch"].tolist() == [f"day {place}" for place in range(6)]
    assert table["Flagged"].tolist() == own.k.tolist()
    np.testing.assert_allclose(table["Expected loss"], own.expected)
    np.testing.assert_allclose(table["Observed loss"], own.observed)
    figures = shown(app, "Macro: expected loss")
    assert figures["Items flagged"].tolist() == [own.k.sum(), flagged(app)[0]]
    np.testing.assert_allclose(figures["Macro: expected loss"], [own.macro_expected, one.macro_expected])
    np.testing.assert_allclose(figures["Micro: loss at mean counts"], [own.micro_expected, one.micro_expected])
    np.testing.assert_allclose(figures["Micro: observed loss"], [own.micro_observed, one.micro_observed])
    words = f"F1 loss is **{own.macro_expected:.4f}** with own cuts"
    assert any(words in text for text in texts(app))
    labels = [button.proto.label for button in app.get("download_button")]
    assert f"Download the {own.k.sum()} selected items (CSV)" in labels
    assert "Download the 6 cuts (CSV)" in labels
    assert not app.error


def test_calibration_minimum_and_loss_reach_the_batches():
    app = opened(cut_loss="Subset 0-1", cut_least="3")
    frame = with_batches(app)
    counts = (frame["p"] > 0.5).groupby(frame["day"], sort=False).sum().clip(lower=3)
    assert shown(app, "Batch")["Flagged"].tolist() == counts.tolist()
    assert any("At least 3 items are flagged in each batch" in text for text in texts(app))
    before = shown(app, "Batch")["Expected loss"].tolist()
    run(app.selectbox(key="cut_calibration").select("platt"))
    assert shown(app, "Batch")["Expected loss"].tolist() != before


def test_without_outcomes_no_observed_loss_is_shown():
    app = opened()
    upload(app, b"p,g\n0.9,a\n0.8,b\n0.2,a\n0.1,b\n", "plain.csv")
    show(app, "batches")
    (box,) = [one for one in app.selectbox if (one.key or "").startswith("cut_batch_")]
    run(box.select("g"))
    assert "Observed loss" not in shown(app, "Batch")
    assert "Macro: observed loss" not in shown(app, "Macro: expected loss")


def test_too_many_batches_are_one_error():
    app = opened()
    upload(app, items_csv(n=10_001), "many.csv")
    show(app, "batches")
    (box,) = [one for one in app.selectbox if (one.key or "").startswith("cut_batch_")]
    run(box.select("item"))
    (error,) = app.error
    assert "10,001 batches, more than the limit" in error.value
