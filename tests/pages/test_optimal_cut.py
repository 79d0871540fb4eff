import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import LOSSES, F, expected_losses, optimal_top_k
from multiloss_core.datasets import SCORED_SAMPLES as SAMPLES
from multiloss_core.losses import cross_fitted, fit_platt, random_half, tuned_threshold
from tests.pages.steps import APP, run, state
from ui.data.scored import scored_sample
from ui.optimal_cut.comparison import LOSS_CHOICES
from ui.shared.session import Source, UploadedFile


@pytest.fixture
def app():
    return run(AppTest.from_file(APP, default_timeout=60).switch_page("pages/optimal_cut.py"))


def upload(app, data, name, mime="text/csv"):
    app.file_uploader(key="scored_upload").upload(name, data, mime)
    return run(app)


def paste(app, text):
    app.text_area(key="scored_paste").set_value(text)
    return run(app.button(key="scored_use").click())


def box(app, name):
    """The selectbox of the columns expander whose key starts with `name`."""
    (found,) = [element for element in app.selectbox if (element.key or "").startswith(f"{name}_")]
    return found


def headline(app):
    return app.subheader[0].value


def cuts(app):
    """The table of the cuts; empty without an answer."""
    tables = [element.value for element in app.dataframe if "Cut" in element.value]
    return tables[0] if tables else pd.DataFrame({"Items": [], "Expected loss": []})


def flagged(app):
    """k of each way to cut, the optimum first."""
    return cuts(app)["Items"].astype(int).tolist()


def losses(app):
    return cuts(app)["Expected loss"].round(4).tolist()


def show(app, view):
    """Open a view under *More*."""
    return run(app.get_by_key("cut_more").set_value(view))


def cost(app):
    """The large number: the cost of a threshold of 0.5."""
    return app.metric[0].value


def texts(app):
    return [
        element.value for kind in ("markdown", "caption", "info", "warning", "success") for element in app.get(kind)
    ]


DIGEST = "0123456789ab" + 52 * "0"


def links(app):
    return [(link.proto.label, link.proto.query_string) for link in app.get("page_link")]


def charts(app):
    return {json.loads(chart.proto.spec)["layout"]["title"]["text"]: chart.proto for chart in app.get("plotly_chart")}


def items_csv(n=300, seed=1, **more):
    generator = np.random.default_rng(seed)
    probabilities = generator.beta(0.6, 3, n)
    frame = pd.DataFrame({"item": np.arange(n) + 1000, "p": probabilities})
    frame["verdict"] = np.where(generator.random(n) < probabilities, "fraud", "ok")
    return frame.assign(**more).to_csv(index=False).encode()


def table(app):
    """The comparison of all losses, by loss."""
    (found,) = [element.value for element in app.dataframe if "Loss" in element.value]
    return found.set_index("Loss")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_shown_with_its_three_ways_to_cut(app, name):
    run(app.selectbox(key="scored_data").select(name))
    frame = scored_sample(name).frame
    probabilities = frame["probability"].to_numpy()
    best = optimal_top_k(probabilities, F())
    expected_loss = expected_losses(probabilities, F()).values
    half = random_half(len(frame), np.random.default_rng(0))
    fraud = (frame["outcome"] == "fraud").to_numpy()
    tuned = tuned_threshold(probabilities[half], fraud[half], F()).threshold
    expected = [best.k, int((probabilities >= 0.5).sum()), int((probabilities >= tuned).sum())]
    assert flagged(app) == expected
    assert losses(app) == [round(expected_loss[k], 4) for k in expected]
    printed = float(re.search(r"those with a probability of ([\d.]+) or more", headline(app))[1])
    assert f"flag the **{best.k:,}** most probable of 2,000 items" in headline(app)
    assert (probabilities >= printed).sum() == best.k
    at_half = expected_loss[expected[1]] / best.expected_loss - 1
    assert cost(app) == f"{100 * at_half:.3g}\N{NO-BREAK SPACE}% more"
    assert not app.error


def test_samples_show_calibrated_and_overconfident_scores(app):
    show(app, "reliability")
    assert any("Chance alone explains" in text for text in texts(app))
    assert not app.warning
    run(app.selectbox(key="scored_data").select("Overconfident alerts"))
    assert any("outcomes contradict these probabilities" in warning.value for warning in app.warning)
    (conclusion,) = [text for text in texts(app) if "more often than chance explains" in text]
    frame = scored_sample("Overconfident alerts").frame
    found = (frame["outcome"] == "fraud").sum()
    assert f"add up to {frame['probability'].sum():,.1f} expected positives; {found:,} were found" in conclusion


def test_every_loss_can_be_chosen(app):
    show(app, "formula")
    probabilities = scored_sample("Calibrated alerts").frame["probability"].to_numpy()
    for choice in LOSS_CHOICES:
        run(app.selectbox(key="cut_loss").select(choice))
        loss = LOSSES["F1" if choice == "F" else choice]
        tolerance = 1e-6 if choice in ("G-Mean", "H-Mean") else 1e-9
        assert flagged(app)[0] == optimal_top_k(probabilities, loss, tolerance=tolerance).k
        assert f"Expected {loss.name} loss of every cut" in charts(app)
        assert any("proven to within" in text for text in texts(app))
        if choice == "AUC":
            assert "flagging **nothing** is best" in headline(app)
            assert any("cannot choose a cut" in info.value for info in app.info)
            assert not app.get("download_button")


def test_the_formula_holds_the_mean_counts_of_the_optimum(app):
    probabilities = scored_sample("Calibrated alerts").frame["probability"].to_numpy()
    best = optimal_top_k(probabilities, F())
    tp = probabilities[best.selected].sum()
    show(app, "formula")
    *_, filled = [element.value.strip("$\n") for element in app.get("latex")]
    assert f"2 \\cdot {tp:.1f}" in filled
    assert filled.endswith(f"= {1 - 2 * tp / (best.k + probabilities.sum()):.4f}")
    assert any("harmonic mean of precision" in text for text in texts(app))


def test_all_losses_are_compared_when_asked_for(app):
    assert not any("Loss" in element.value for element in app.dataframe)
    show(app, "losses")
    shown = table(app)
    probabilities = scored_sample("Calibrated alerts").frame["probability"].to_numpy()
    assert list(shown.index) == [*("F1", "Jaccard"), *(name for name in LOSSES if name not in ("F1", "Jaccard"))]
    for name, row in shown.iterrows():
        best = optimal_top_k(probabilities, LOSSES[name], tolerance=1e-6)
        assert row["k*: items flagged"] == best.k
        assert row["Expected loss"] == pytest.approx(best.expected_loss, abs=1e-6)
        assert row["± at most"] <= 1e-6
    assert shown["Note"][shown["Note"] != ""].to_dict() == {"AUC": "chooses no cut"}
    assert any("AUC cannot choose a cut" in text for text in texts(app))


def test_losses_limited_to_fewer_items_are_named(app):
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({"p": generator.beta(0.3, 6, 20_001).round(6)})
    upload(app, frame.to_csv(index=False).encode(), "many.csv")
    show(app, "losses")
    shown = table(app)
    assert shown["k*: items flagged"].isna().to_dict() == {name: name in ("G-Mean", "H-Mean") for name in shown.index}
    assert shown.loc[["G-Mean", "H-Mean"], "Note"].tolist() == ["takes at most 20,000 items"] * 2
    assert shown.loc["F1", "k*: items flagged"] == optimal_top_k(frame["p"], F()).k
    assert any("G-Mean and H-Mean take at most 20,000 items" in text for text in texts(app))
    show(app, "formula")
    run(app.selectbox(key="cut_loss").select("G-Mean"))
    assert any("G-Mean takes at most 20,000 items, and these are 20,001" in warning.value for warning in app.warning)
    assert table(app)["k*: items flagged"]["F1"] == shown.loc["F1", "k*: items flagged"]
    assert len(app.get("latex")) == 2


def test_a_file_is_read_its_columns_guessed_and_its_rows_offered(app):
    data = items_csv()
    upload(app, data, "mine.csv")
    frame = pd.read_csv(io.BytesIO(data))
    assert app.selectbox(key="scored_data").value == "mine.csv"
    assert (box(app, "probability").value, box(app, "label").value) == ("p", "verdict")
    assert flagged(app)[0] == optimal_top_k(frame["p"], F()).k
    assert [button.proto.label for button in app.get("download_button")] == [
        f"Download the {flagged(app)[0]} selected items (CSV)"
    ]


def test_columns_can_be_corrected(app):
    other = np.linspace(0.01, 0.99, 300)
    upload(app, items_csv(other=other, colour=["red", "blue"] * 150), "mine.csv")
    run(box(app, "probability").select("other"))
    assert flagged(app)[0] == optimal_top_k(other, F()).k
    run(box(app, "label").select("colour"))
    assert "say which of the two means positive" in app.error[0].value
    # What worked before is still there.
    assert flagged(app)[0] == optimal_top_k(other, F()).k
    run(box(app, "positive").select("blue"))
    assert not app.error
    run(box(app, "label").set_value("(none: no outcome is known)"))
    assert not app.error
    assert len(flagged(app)) == 2


def test_without_labels_tuning_and_checking_are_explained(app):
    upload(app, b"p\n0.9\n0.8\n0.2\n0.1\n", "plain.csv")
    assert len(flagged(app)) == 2
    assert any("needs items with known outcomes" in text for text in texts(app))
    show(app, "reliability")
    assert any("needs outcomes" in info.value for info in app.info)
    assert list(charts(app)) == ["Expected F1 loss of every cut"]


def test_ties_at_the_cut_are_counted(app):
    paste(app, "0.9\n" + "0.5\n" * 6)
    told = "exactly the probability of the last one flagged"
    assert not any(told in text for text in texts(app))
    run(app.selectbox(key="cut_loss").select("H-Mean"))
    k = optimal_top_k([0.9] + [0.5] * 6, LOSSES["H-Mean"], tolerance=1e-6).k
    assert 1 < k < 7
    assert headline(app) == f"Under H-Mean, flag the **{k}** most probable of 7 items: down to a probability of 0.5."
    assert any(text.startswith(f"{7 - k} more items have {told}") for text in texts(app))


BAD = {
    "outside.csv": (b"prob\n0.5\n0.25\n-0.1\n0.9\n0.4\n", "holds -0.1 in row 3"),
    "broken.parquet": (b"PAR1 nothing", "cannot be read"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file_is_one_error_and_keeps_the_items(app, name):
    upload(app, items_csv(), "mine.csv")
    before = flagged(app), headline(app)
    data, words = BAD[name]
    upload(app, data, name)
    (error,) = app.error
    assert words in error.value
    assert error.value.endswith(".")
    assert app.selectbox(key="scored_data").value == "mine.csv"
    assert (flagged(app), headline(app)) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "Nothing was pasted"), ("0.1\nabc", "Line 2 of the pasted text")],
)
def test_bad_pasted_text_is_one_error_and_keeps_the_items(app, text, words):
    before = flagged(app)
    paste(app, text)
    (error,) = app.error
    assert words in error.value
    assert flagged(app) == before
    paste(app, "p,y\n0.9,1\n0.2,0\n0.4,1\n0.3,0")
    assert not app.error
    assert app.selectbox(key="scored_data").value == "Pasted items"
    assert flagged(app)[0] == optimal_top_k([0.9, 0.2, 0.4, 0.3], F()).k


def as_rated_data_too(app, name):
    """The file of these items, loaded as rated data under the same name as well."""
    fingerprint = state(app).scored.sources[name].fingerprint
    state(app).rated.sources[name] = Source(name, fingerprint, pd.DataFrame(), None)
    state(app).rated.files[name] = UploadedFile(digest=DIGEST, memory=0)
    return run(app)


def test_cut_leads_to_operating_point_of_same_file_only(app):
    assert links(app) == []
    upload(app, items_csv(), "mine.csv")
    assert links(app) == []
    as_rated_data_too(app, "mine.csv")
    best = optimal_top_k(pd.read_csv(io.BytesIO(items_csv()))["p"], F())
    percent = round(200 * best.cut) / 2
    assert links(app)[0] == (f"Operating point at {percent:g} %", f"m={percent:g}&data_file=0123456789ab")
    assert links(app)[1] == ("Operating point at 50 %", "m=50&data_file=0123456789ab")
    assert len(links(app)) == 3
    run(app.selectbox(key="scored_data").select("Calibrated alerts"))
    assert links(app) == []


def test_a_cut_that_the_slider_cannot_show_has_no_link(app):
    paste(app, "\n".join(f"{value:.6f}" for value in np.linspace(0.0001, 0.003, 3000)))
    run(app.selectbox(key="cut_loss").select("AM"))
    assert flagged(app)[0] > 0
    as_rated_data_too(app, "Pasted items")
    assert links(app) == [("Operating point at 50 %", "m=50&data_file=0123456789ab")]
    assert any("0.5 % to 99.5 %" in text for text in texts(app))


RARE = "\n".join(["0.02"] * 3 + ["0.001"] * 20)


def infos(app):
    return " ".join(info.value for info in app.info)


def test_few_expected_positives_flag_nothing_unless_asked(app):
    paste(app, RARE)
    probabilities = np.array([0.02] * 3 + [0.001] * 20)
    values = expected_losses(probabilities, F()).values
    assert "flagging **nothing** is best" in headline(app)
    none = 100 * np.prod(1 - probabilities)
    assert f"With 0.08 expected positives there is none in {none:.3g}\N{NO-BREAK SPACE}% of the outcomes" in infos(app)
    assert "a rate over nothing (0/0) counts as 1" in infos(app)
    assert "set *Flag at least* to 1" in infos(app)

    run(app.number_input(key="cut_least").set_value(1))
    best = optimal_top_k(probabilities, F(), at_least=1)
    assert flagged(app)[0] == best.k >= 1
    assert f"Expected loss: {best.expected_loss:.4f}; of flagging nothing: {values[0]:.4f}." in infos(app)
    # The constant threshold 0.5 flags nothing, and that is better than the minimum.
    assert cost(app) == f"{best.expected_loss - values[0]:.4f} less"
    show(app, "losses")
    assert (table(app)["k*: items flagged"] >= 1).all()


def test_minimum_number_is_explained_only_where_it_binds(app):
    before = flagged(app), losses(app)
    run(app.number_input(key="cut_least").set_value(5))
    assert (flagged(app), losses(app)) == before
    assert "You asked" not in infos(app)
    run(app.number_input(key="cut_least").set_value(before[0][0] + 30))
    assert flagged(app)[0] == before[0][0] + 30
    assert f"{before[1][0]:.4f}, for {before[0][0]} items" in infos(app)
    run(app.number_input(key="cut_least").set_value(2001))
    assert app.error[0].value == "At least 2,001 of 2,000 items cannot be flagged; choose 0 to 2,000."


def effect(app):
    """Return the table of calibration effects, by the probabilities."""
    (found,) = [element.value for element in app.dataframe if "Probabilities" in element.value]
    return found.set_index("Probabilities")


def calibrate(app, kind):
    show(app, "reliability")
    return run(app.selectbox(key="cut_calibration").select(kind))


@pytest.mark.parametrize(("kind", "name"), [("isotonic", "isotonic"), ("platt", "Platt")])
def test_calibration_shows_held_out_loss_before_and_after(app, kind, name):
    run(app.selectbox(key="scored_data").select("Overconfident alerts"))
    calibrate(app, kind)
    frame = scored_sample("Overconfident alerts").frame
    given, fraud = frame["probability"].to_numpy(), (frame["outcome"] == "fraud").to_numpy()
    calibrated = cross_fitted(given, fraud, 5, np.random.default_rng(0), kind)
    assert flagged(app)[0] == optimal_top_k(calibrated, F()).k
    assert "calibrated probability of" in headline(app)
    assert any(f"With calibrated probabilities ({name})" in text for text in texts(app))
    shown = effect(app)
    for row, probabilities in (("as given", given), (f"calibrated ({name})", calibrated)):
        best = optimal_top_k(probabilities, F())
        chosen = np.lexsort((-given, -probabilities))[: best.k]
        tp = fraud[chosen].sum()
        assert shown.loc[row, "Items flagged"] == best.k
        assert shown.loc[row, "Expected positives"] == pytest.approx(probabilities.sum())
        assert shown.loc[row, "Positives found"] == fraud.sum()
        assert shown.loc[row, "Expected F1 loss"] == pytest.approx(best.expected_loss, abs=1e-9)
        assert shown.loc[row, "Observed F1 loss"] == pytest.approx(1 - 2 * tp / (best.k + fraud.sum()))
    # The given ones are doubted, the calibrated ones are not, and both are drawn.
    for words in ("more often than chance explains", "Chance alone explains"):
        assert sum(words in text for text in texts(app)) == 1
    assert not any("outcomes contradict these" in warning.value for warning in app.warning)
    assert list(charts(app))[1:] == [
        "Expected and observed share of positives",
        f"Expected and observed share, {name}",
    ]
    (download,) = app.get("download_button")
    assert download.proto.label.startswith(f"Download the {flagged(app)[0]} ")
    show(app, "losses")
    assert table(app).loc["F1", "k*: items flagged"] == flagged(app)[0]
    calibrate(app, "none")
    assert flagged(app)[0] == optimal_top_k(given, F()).k
    assert not any("Probabilities" in element.value for element in app.dataframe)


def test_items_without_outcome_are_calibrated_by_the_others(app):
    frame = pd.read_csv(io.BytesIO(items_csv(n=400)))
    frame.loc[250:, "verdict"] = None
    upload(app, frame.to_csv(index=False).encode(), "part.csv")
    calibrate(app, "platt")
    given, fraud = frame["p"].to_numpy(), (frame["verdict"] == "fraud").to_numpy()
    known, unknown = slice(0, 250), slice(250, None)
    calibrated = np.empty(400)
    calibrated[known] = cross_fitted(given[known], fraud[known], 5, np.random.default_rng(0), "platt")
    calibrated[unknown] = fit_platt(given[known], fraud[known]).apply(given[unknown])
    assert flagged(app)[0] == optimal_top_k(calibrated, F()).k
    assert effect(app)["Positives found"].tolist() == [fraud.sum()] * 2
    assert effect(app)["Items flagged"].tolist() == [
        optimal_top_k(probabilities[known], F()).k for probabilities in (given, calibrated)
    ]


def test_calibration_is_disabled_without_labels(app):
    calibrate(app, "isotonic")
    upload(app, b"p\n0.9\n0.8\n0.2\n0.1\n", "plain.csv")
    control = app.selectbox(key="cut_calibration")
    assert control.disabled
    assert "needs known outcomes" in control.help
    assert flagged(app)[0] == optimal_top_k([0.9, 0.8, 0.2, 0.1], F()).k
    paste(app, "p,y\n0.9,1\n0.2,0\n0.4,1\n0.3,0")
    assert "5 known positives and 5 known negatives" in app.selectbox(key="cut_calibration").help
    assert not app.error


def test_a_link_restores_the_choices():
    app = AppTest.from_file(APP, default_timeout=60).switch_page("pages/optimal_cut.py")
    choices = {
        "scored_data": "Overconfident alerts",
        "cut_loss": "Jaccard",
        "cut_beta": "2.0",
        "cut_all": "true",
        "cut_axes": "linear",
        "cut_least": "900",
        "cut_calibration": "isotonic",
    }
    for key, value in choices.items():
        app.query_params[key] = value
    run(app)
    assert app.selectbox(key="scored_data").value == "Overconfident alerts"
    assert "Under Jaccard" in headline(app)
    assert table(app).index[0] == "F2"
    assert flagged(app)[0] >= 900
    assert any("With calibrated probabilities (isotonic)" in text for text in texts(app))


def test_link_out_of_range_shows_the_defaults():
    app = AppTest.from_file(APP, default_timeout=60).switch_page("pages/optimal_cut.py")
    wrong = {"cut_loss": "none", "cut_beta": "0", "cut_axes": "round", "cut_least": "-1", "cut_calibration": "Platt!"}
    for key, value in wrong.items():
        app.query_params[key] = value
    run(app)
    assert not app.error
    assert "Under F1" in headline(app)
