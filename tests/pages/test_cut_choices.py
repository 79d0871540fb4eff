"""The interval of k*, losses of the user and losses that decide each item by itself."""

import json

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import AUC, JACCARD, F, FractionalLinear, ScoredItems, exhaustive_search, expected_losses
from multiloss_core.losses import HAMMING, cut_interval
from tests.pages.steps import APP, run
from tests.pages.test_optimal_cut import charts, flagged, headline, losses, paste, show, texts, upload
from ui.data.scored import scored_sample
from ui.optimal_cut.choices import OWN_RATIO, about_ratio, ratio_of


def opened(**query):
    app = AppTest.from_file(APP, default_timeout=60).switch_page("pages/optimal_cut.py")
    for key, value in query.items():
        app.query_params[key] = value
    return run(app)


def sample_items(name="Calibrated alerts"):
    frame = scored_sample(name).frame
    return ScoredItems(frame["probability"].to_numpy(), (frame["outcome"] == "fraud").to_numpy())


def test_interval_is_a_band_and_a_sentence():
    app = opened()
    found = cut_interval(sample_items(), F(), np.random.default_rng(0))
    (band,) = json.loads(charts(app)["Expected F1 loss of every cut"].spec)["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (found.low - 0.5, found.high + 0.5)
    assert f"{found.low:,} to {found.high:,}" in band["name"]
    assert f"from {found.low:,} to {found.high:,}." in charts(app)["Expected F1 loss of every cut"].alt
    words = f"Between *k* = {found.low:,} and {found.high:,} nothing is known to differ: "
    assert any(words in text and "2,000 known outcomes" in text for text in texts(app))
    assert not app.warning


def test_groups_of_outcomes_widen_the_interval():
    sample = sample_items()
    customers = np.arange(300) // 5
    chances = sample.probabilities[:60][customers]
    outcomes = sample.labels[:60][customers]
    app = opened()
    rows = (f"{p!r},{int(y)},customer {c}" for p, y, c in zip(chances.tolist(), outcomes, customers, strict=True))
    paste(app, "\n".join(["p,y,customer", *rows]))
    (group,) = (box for box in app.selectbox if box.key.startswith("group_"))
    run(group.select("customer"))
    items = ScoredItems(chances, outcomes, groups=customers)
    found = cut_interval(items, F(), np.random.default_rng(0))
    assert any(f"Between *k* = {found.low:,} and {found.high:,} nothing" in text for text in texts(app))
    single = cut_interval(ScoredItems(chances, outcomes), F(), np.random.default_rng(0))
    assert found.high - found.low > single.high - single.low


def test_optimum_outside_the_interval_is_a_warning():
    app = opened(scored_data="Overconfident alerts", cut_loss="Hamming")
    found = cut_interval(sample_items("Overconfident alerts"), HAMMING, np.random.default_rng(0))
    assert not found.covers(flagged(app)[0])
    assert any("outcomes contradict *k" in warning.value for warning in app.warning)
    run(app.selectbox(key="cut_calibration").select("isotonic"))
    assert not any("outcomes contradict *k" in warning.value for warning in app.warning)


@pytest.mark.parametrize("text", ["0.9\n0.8\n0.2", "p,y\n0.9,1\n0.2,1\n0.4,1\n0.3,1"])
def test_without_enough_outcomes_there_is_no_interval(text):
    app = opened()
    paste(app, text)
    assert not any("nothing is known to differ" in one for one in texts(app))
    assert "shapes" not in json.loads(charts(app)["Expected F1 loss of every cut"].spec)["layout"]


def test_auc_has_no_interval():
    assert not any("nothing is known to differ" in text for text in texts(opened(cut_loss=AUC.name)))


def test_hamming_flags_probabilities_above_half():
    probabilities = sample_items().probabilities
    app = opened(cut_loss="Hamming")
    above = int((probabilities > 0.5).sum())
    assert flagged(app)[0] == above
    assert losses(app)[0] == round(np.minimum(probabilities, 1 - probabilities).mean(), 4)
    assert any(f"above 1/2. That holds for {above:,} items." in info.value for info in app.info)
    assert any("nothing is known to differ" in text for text in texts(app))
    assert not app.error


def test_own_ratio_starts_as_jaccard():
    app = opened(cut_loss=OWN_RATIO)
    values = expected_losses(sample_items().probabilities, JACCARD).values
    assert flagged(app)[0] == int(values.argmin())
    assert losses(app)[0] == round(values.min(), 4)
    assert any("by Theorem 1 the best of all predictions" in text for text in texts(app))
    assert any("meets the corrected condition" in text for text in texts(app))
    show(app, "formula")
    assert app.get("latex")
    assert not app.error


def test_ratio_that_is_not_monotone_is_a_warning():
    app = opened(cut_loss=OWN_RATIO, cut_ratio="0 1 0 0 / 2 2 0 0")
    (warning,) = [one.value for one in app.warning if "does not fall" in one.value]
    assert "(checked at every count of 60 items), although it meets *c₁ < d₁*" in warning
    assert "one that skips" not in warning
    assert "flagging **nothing** is best" in headline(app)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 -2 1 x / 1 0 0 0", "write four numbers, a slash and four numbers"),
        ("0 -2 1 / 1 0 0 0", "must be four finite numbers"),
    ],
)
def test_bad_coefficients_are_one_error(text, words):
    app = opened(cut_loss=OWN_RATIO, cut_ratio=text)
    (error,) = app.error
    assert words in error.value
    assert error.value.endswith(".")
    assert not flagged(app)
    run(app.text_input(key="cut_ratio").set_value("0, -2, 1, 1 / 1, 0, 0, 0"))
    assert not app.error
    assert flagged(app)[0] == int((sample_items().probabilities > 0.5).sum())


def test_ratio_that_divides_by_zero_is_a_warning():
    app = opened(cut_loss=OWN_RATIO, cut_ratio="1 0 0 0 / 0 0 1 0")
    assert any("divides by 0" in warning.value for warning in app.warning)
    assert not flagged(app)


def test_ratio_of_costs_has_an_answer_for_many_items():
    app = opened(cut_loss=OWN_RATIO, cut_ratio="0 -500 10 500 / 1 0 0 0")
    probabilities = np.random.default_rng(1).random(50_001).round(6)
    upload(app, "\n".join(["p", *map(str, probabilities)]).encode(), "many.csv")
    assert not app.warning
    assert flagged(app)[0] == np.count_nonzero(probabilities > 0.02)


def test_mean_counts_that_divide_by_zero_show_no_numbers():
    app = opened(cut_loss=OWN_RATIO, cut_ratio="0 -2 1 1 / -0.355 0 0 1")
    paste(app, "0.3\n0.4\n0.365")
    show(app, "formula")
    assert not app.exception
    assert len(app.get("latex")) == 2


def test_effect_that_divides_by_zero_is_an_info():
    app = opened(
        cut_loss=OWN_RATIO, cut_ratio="0 -2 1 1 / -0.355 0 0 1", cut_calibration="isotonic", cut_more="reliability"
    )
    rows = [f"{place / 201:.4f},{'' if place == 7 else place % 3 % 2}" for place in range(201)]
    paste(app, "\n".join(["p,y", *rows]))
    assert not app.exception
    assert any("cannot show the effect" in info.value for info in app.info)


def test_star_of_all_cuts_follows_the_minimum():
    app = opened(cut_part="all cuts")
    for least in (0, 1_500):
        run(app.number_input(key="cut_least").set_value(least))
        (star,) = [
            one
            for one in json.loads(charts(app)["Expected F1 loss of every cut"].spec)["data"]
            if one.get("marker", {}).get("symbol") == "star"
        ]
        assert star["x"] == flagged(app)[:1]


def test_consequence_agrees_with_all_predictions():
    for seed in range(30):
        generator = np.random.default_rng(seed)
        loss = FractionalLinear(generator.integers(-3, 4, 4), (8, *generator.integers(-2, 3, 3)))
        sentence, is_covered = about_ratio(loss)
        assert ("by Theorem 1" in sentence) == is_covered, seed
        if is_covered:
            assert exhaustive_search(generator.random(8), loss).is_top_k, seed


def test_ratio_reads_commas_and_decimals():
    assert ratio_of("0,-1,.5,.5 / 0,0,.5,.5")(0.2, 0.4, 0.3) == pytest.approx(float(F()(0.2, 0.4, 0.3)))
    assert pd.Series(ratio_of("1 2 3 4/5 6 7 8").d).tolist() == [5, 6, 7, 8]
