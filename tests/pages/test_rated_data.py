import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import (
    RatedDocuments,
    count_surfaces,
    guess_columns,
    is_count_table,
    read_frame,
    simulate_population,
)
from tests.pages.steps import APP, run
from ui.data.samples import SAMPLES, sample
from ui.rated_data.column_roles import GROUP, TEMPLATE, WEIGHT

GOOD = "good.csv"


@pytest.fixture
def app():
    return run(AppTest.from_file(APP, default_timeout=180))


@pytest.fixture
def app_with_upload(app):
    return upload(app, csv_of(rated_frame()), GOOD)


def rated_frame(seed=1, classifiers=2):
    population = simulate_population(
        np.random.default_rng(seed),
        documents=20_000,
        prevalence=0.02,
        rated_share=0.03,
        classifiers=classifiers,
        names=("model A", "model B", "model C", "model D")[:classifiers],
    )
    documents = population.rated()
    frame = pd.DataFrame(documents.scores, columns=list(documents.names))
    frame["rating"] = np.where(documents.labels, "fraud", "ok")
    return frame


def count_frame():
    documents = RatedDocuments.from_frame(rated_frame(), ["model A", "model B"], "rating")
    surfaces = count_surfaces(documents, resolution=12)
    first, second = np.meshgrid(*surfaces.axes, indexing="ij")
    return pd.DataFrame(
        {"T1": first.ravel(), "T2": second.ravel(), "TP": surfaces.tp.ravel(), "FP": surfaces.fp.ravel()}
    )


def csv_of(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def parquet_of(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def upload(app, data, name, mime="text/csv"):
    app.file_uploader(key="upload").upload(name, data, mime)
    return run(app)


def go_to_operating_point(app):
    # With plain widgets, whose numbers AppTest sees.
    app.session_state["plain"] = True
    return switch(app, "pages/operating_point.py")


def back_to_rated_data(app):
    return switch(app, "pages/rated_data.py")


def switch(app, page):
    # A browser keeps the data in the address and sends no widgets of the page it leaves; AppTest does neither, so the
    # address is written here and counts from the second run on.
    app.query_params["data"] = app.selectbox(key="data").value
    run(app.switch_page(page))
    return run(app)


def pick(app, name):
    return run(app.selectbox(key="data").select(name))


def box(app, name):
    """The widget of the columns expander whose key starts with `name`."""
    (found,) = [
        element
        for kind in ("selectbox", "multiselect", "number_input", "checkbox", "segmented_control")
        for element in app.get(kind)
        if (element.key or "").startswith(f"{name}_")
    ]
    return found


def funnel(app):
    return [int(metric.value.replace(",", "")) for metric in app.metric]


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def steps(documents):
    return [number for _, number in documents.funnel.steps]


def charts(app):
    return [chart.proto for chart in app.get("plotly_chart")]


def layout(chart):
    return json.loads(chart.spec)["layout"]


def infos(app):
    return [as_read(element.value) for element in app.info if "cannot tell" not in element.value]


def as_read(markdown):
    return re.sub(r"\\([^\w\s]|_)", r"\1", markdown)


def only_error(app):
    (error,) = app.error
    assert_readable(error.value)
    return error.value


def assert_readable(sentence):
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 330
    assert not re.search(r"Traceback|Error\b|Exception|dtype|ndarray|<class|float64|site-packages", sentence)


def test_the_first_sample_is_shown_with_its_funnel_and_histograms(app):
    assert app.title[0].value == "Rated data"
    assert app.selectbox(key="data").value == "Card alerts"
    source = sample("Card alerts")
    choice = source.first_choice
    documents = RatedDocuments.from_frame(
        source.frame, choice.scores, "rating", "fraud", floors=dict(zip(choice.scores, choice.floors, strict=True))
    )
    assert [metric.label for metric in app.metric] == [words.capitalize() for words, _ in documents.funnel.steps]
    assert funnel(app) == steps(documents)
    rated = source.frame["rating"].notna()
    assert funnel(app)[:2] == [len(source.frame), rated.sum()]
    assert funnel(app)[4] == (source.frame["rating"] == "fraud").sum()
    assert infos(app) == [f"{(~rated).sum():,} rows without a rating in 'rating' were left out."]
    assert len(app.dataframe[0].value) == 100
    assert not app.error
    assert not app.warning


@pytest.mark.parametrize("name", SAMPLES)
def test_every_chart_has_its_own_key_a_title_axis_titles_and_a_description(app, name):
    pick(app, name)
    choice = sample(name).first_choice
    shown = sorted(charts(app), key=lambda chart: chart.id[-1])
    assert len(shown) == len(choice.scores)
    assert len({chart.id for chart in shown}) == len(shown)
    for chart, score, floor in zip(shown, choice.scores, choice.floors, strict=True):
        assert score in chart.alt
        assert f"{floor:.6g}" in chart.alt
        assert layout(chart)["title"]["text"] == f"Scores of {score}, by rating"
        assert score in layout(chart)["xaxis"]["title"]["text"]
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


def test_what_cannot_be_known_is_said_once(app):
    texts = [
        element.value for kind in ("markdown", "caption", "info", "warning", "subheader") for element in app.get(kind)
    ]
    told = [text for text in texts if re.search(r"recall|false positive rate|\bFPR\b|\bF1\b", text, re.IGNORECASE)]
    assert len(told) == 1
    for words in ("recall", "false positive rate", "F1", "false negatives", "true negatives", "unknown"):
        assert words in told[0]
    assert not any(re.search(r"recall|FPR|F1", label, re.IGNORECASE) for label in metrics(app))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_works_on_both_pages(app, name):
    pick(app, name)
    assert not app.error
    choice = sample(name).first_choice
    if choice.is_counts:
        frame = sample(name).frame
        assert metrics(app)["Nodes"] == f"{len(frame):,}"
        assert metrics(app)["TP at the floors"] == f"{frame['TP'].max():,}"
        assert metrics(app)["FP at the floors"] == f"{frame['FP'].max():,}"
    else:
        assert funnel(app)[0] == len(sample(name).frame)
    go_to_operating_point(app)
    assert not app.error
    assert app.selectbox(key="data").value == name
    thresholds = [metric for metric in app.metric if metric.label.startswith("Threshold of ")]
    assert len(thresholds) == (2 if choice.is_counts else len(choice.scores))


@pytest.mark.parametrize(
    ("name", "encode"),
    [
        ("rated.csv", csv_of),
        ("rated.parquet", parquet_of),
        ("semicolons.csv", lambda frame: csv_of(frame, sep=";", decimal=",")),
        ("tabs.tsv", lambda frame: csv_of(frame, sep="\t")),
        ("utf16.txt", lambda frame: frame.to_csv(index=False).encode("utf-16")),
        ("mark.csv", lambda frame: b"\xef\xbb\xbf" + csv_of(frame)),
    ],
)
def test_a_good_upload_is_read_picked_and_shown(app, name, encode):
    frame = rated_frame()
    upload(app, encode(frame), name)
    assert not app.error
    assert app.selectbox(key="data").value == name
    assert app.selectbox(key="data").options == [*SAMPLES, name]
    documents = RatedDocuments.from_frame(frame, ["model A", "model B"], "rating", "fraud")
    assert funnel(app) == steps(documents)
    assert [box(app, key).value for key in ("scores", "rating", "positive", "weight")] == [
        ["model A", "model B"],
        "rating",
        "fraud",
        WEIGHT.none,
    ]
    assert [f"{floor:.6g}" in chart.alt for chart, floor in zip(charts(app), documents.floors, strict=True)] == [
        True
    ] * 2
    assert app.expander[0].proto.expanded
    go_to_operating_point(app)
    assert app.selectbox(key="data").value == name
    assert not app.error


@pytest.mark.parametrize(
    ("positive", "negative"), [("fraud", "ok"), ("Fraud", "legit"), (1, 0), (1.0, 0.0), (True, False), ("yes", "no")]
)
def test_usual_rating_words_are_understood(app, positive, negative):
    frame = rated_frame()
    fraud = frame["rating"] == "fraud"
    frame["rating"] = pd.Series(np.where(fraud, positive, negative), dtype=object)
    upload(app, csv_of(frame), "words.csv")
    assert not app.error
    assert funnel(app)[4] == fraud.sum()


def test_unusual_rating_words_are_asked_about(app_with_upload):
    app = app_with_upload
    frame = rated_frame()
    fraud = frame["rating"] == "fraud"
    frame["rating"] = np.where(fraud, "red", "green")
    upload(app, csv_of(frame), "colours.csv")
    error = only_error(app)
    for words in ("'rating'", "'red'", "'green'", "positive"):
        assert words in error
    run(box(app, "positive").select("red"))
    assert not app.error
    assert funnel(app)[4] == fraud.sum()
    run(box(app, "positive").select("green"))
    assert funnel(app)[4] == (~fraud).sum()


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


def test_a_weight_that_was_guessed_can_be_taken_back(app):
    frame = rated_frame().assign(weight=np.arange(len(rated_frame())) % 7 + 1)
    upload(app, csv_of(frame), "weights.csv")
    assert box(app, "weight").value == "weight"
    nothing = [option for option in box(app, "weight").options if option not in frame.columns]
    run(box(app, "weight").set_value(nothing[0] if nothing else None))
    assert not app.error
    assert not any("stand for" in caption.value for caption in app.caption)


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


def test_a_group_column_of_one_group_gives_one_sentence(app_with_upload):
    app = app_with_upload
    upload(app, csv_of(rated_frame().assign(branch="north")), "branch.csv")
    before = funnel(app)
    run(box(app, "group").set_value("branch"))
    error = only_error(app)
    for words in ("'branch'", "one group only", "'north'", "row 1 "):
        assert words in error
    assert funnel(app) == before
    assert any("last choice of columns that worked" in info for info in infos(app))


def test_given_floors_are_kept_and_documents_below_all_of_them_are_counted(app_with_upload):
    app = app_with_upload
    frame = rated_frame()
    floors = {"model A": 0.6, "model B": 0.65}
    for name, floor in floors.items():
        box(app, f"floor_{name}").set_value(floor)
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


def test_a_floor_that_was_given_can_be_left_to_the_suggestion_again(app_with_upload):
    app = app_with_upload
    before = [chart.alt for chart in charts(app)]
    run(box(app, "floor_model A").set_value(0.6))
    assert "rating floor at 0.6." in charts(app)[0].alt
    run(box(app, "floor_model A").set_value(None))
    assert [chart.alt for chart in charts(app)] == before


def test_corrections_of_the_columns_change_the_dataset_and_stay(app_with_upload):
    app = app_with_upload
    run(box(app, "scores").set_value(["model B"]))
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
        ("scores", ["model A", "rating"], ["'rating'"]),
        ("rating", "model A", ["'model A'"]),
        ("weight", "model A", ["chosen twice"]),
        ("weight", "rating", []),
        ("group", "model A", ["'model A'", "chosen twice"]),
        ("group", "rating", ["'rating'", "chosen twice"]),
        ("floor_model A", 2.0, ["'model A'", "2", "largest score", "row"]),
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
    assert box(app, "kind").value == "a node of a table of counts"
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


def test_the_rule_of_a_table_of_counts_can_be_corrected(app):
    upload(app, csv_of(count_frame()), "counts.csv")
    run(box(app, "counted").set_value("all"))
    assert not app.error
    assert any("rule 'all'" in caption.value for caption in app.caption)
    go_to_operating_point(app)
    assert app.text_input[0].value == "every score"


def test_documents_called_a_table_of_counts_say_what_is_missing(app_with_upload):
    app = app_with_upload
    before = funnel(app)
    run(box(app, "kind").set_value("a node of a table of counts"))
    assert "'TP'" in only_error(app)
    run(box(app, "kind").set_value("a rated document"))
    assert not app.error
    assert funnel(app) == before


def test_the_template_can_be_used_as_it_is(app):
    buttons = {button.proto.label for button in app.get("download_button")}
    assert buttons == {"Template (CSV)"}
    frame = read_frame(TEMPLATE.encode(), "multiloss-template.csv")
    guess = guess_columns(frame)
    assert not is_count_table(frame)
    assert guess.scores == ("model A", "model B")
    assert (guess.rating, guess.positive, guess.weight) == ("rating", "fraud", None)
    upload(app, TEMPLATE.encode(), "multiloss-template.csv")
    assert not app.error
    assert funnel(app) == [5, 4, 4, 4, 2]
    go_to_operating_point(app)
    assert not app.error
    assert app.metric


def picture():
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256))


UNREADABLE = {
    "empty": (b"", ["'bad.csv'", "empty"]),
    "blank lines": (b"\n\n  \n", ["'bad.csv'", "blank"]),
    "header only": (b"model A,model B,rating\n", ["'bad.csv'", "no rows"]),
    "JSON": (b'[{"model A": 0.5, "rating": 1}]', ["'bad.csv'", "not a table", r"'\['"]),
    "HTML": (b"<html><body>no</body></html>", ["'bad.csv'", "not a table"]),
    "PNG": (picture(), ["'bad.csv'", "header"]),
    "binary": (b"model A,rating\n0.5,1\n0.\x006,0\n", ["'bad.csv'", "row 2"]),
    "wrong encoding": ("Prüfung,rating\n0.5,fraud\n0.6,in Prüfung\n".encode("latin-1"), ["UTF-8", "header"]),
    "wrong encoding below": ("score,rating\n0.5,fraud\n0.6,geprüft\n".encode("latin-1"), ["UTF-8", "row 2"]),
    "one column": (b"score\n0.5\n0.6\n", ["one column", "'score'"]),
    "no number": (b"name,rating\nann,fraud\nbob,ok\n", ["numeric", "'name'", "row 1"]),
    "repeated column": (
        b"score,score,rating\n0.5,0.4,1\n0.6,0.2,0\n",
        ["'score'", "more than once", "columns 1 and 2"],
    ),
    "ragged": (b"score,rating\n0.5,1\n0.6,0,7\n", ["'bad.csv'", "row 2", "3 cells"]),
    "broken Parquet": (b"PAR1 and then nothing of use PAR1", ["'bad.csv'", "Parquet"]),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_unreadable_upload_gives_one_sentence_and_changes_nothing_else(app_with_upload, case):
    app = app_with_upload
    before = funnel(app)
    data, words = UNREADABLE[case]
    upload(app, data, "bad.csv")
    error = only_error(app)
    for word in words:
        assert word in error
    assert app.selectbox(key="data").value == GOOD
    assert app.selectbox(key="data").options == [*SAMPLES, GOOD]
    assert funnel(app) == before
    go_to_operating_point(app)
    assert not app.error
    assert app.selectbox(key="data").value == GOOD
    assert app.selectbox(key="data").options == [*SAMPLES, GOOD]


def test_a_good_upload_takes_the_complaint_away(app):
    upload(app, b"", "bad.csv")
    assert app.error
    upload(app, csv_of(rated_frame()), GOOD)
    assert not app.error
    assert app.selectbox(key="data").value == GOOD


def test_a_file_above_the_limit_is_refused_in_code_as_well(app_with_upload, monkeypatch):
    app = app_with_upload
    monkeypatch.setattr("multiloss_core.tables.read_table.LARGEST_FILE", 2**20)
    upload(app, b"score,rating\n" + b"0.5,1\n" * 400_000, "bad.csv")
    error = only_error(app)
    assert "'bad.csv' has 2 MB, more than the limit of 1 MB" in error
    assert app.selectbox(key="data").value == GOOD


def changed(column, rows, value):
    def change(frame):
        frame[column] = frame[column].astype(object)
        frame.loc[[row - 1 for row in rows], column] = value
        return frame

    return change


def weighted(value):
    def change(frame):
        frame["weight"] = 1.0
        frame.loc[[6, 10], "weight"] = value
        return frame

    return change


UNUSABLE = {
    "one class": (lambda frame: frame.assign(rating="fraud"), ["'rating'", "only one rating", "'fraud'", "row 1 "]),
    "three ratings": (changed("rating", [9, 12], "unsure"), ["'rating'", "3 different", "'unsure'", "row 9"]),
    "no rating": (lambda frame: frame.assign(rating=""), ["'rating'", "blank"]),
    "infinity": (changed("model A", [4, 8, 15], "inf"), ["'model A'", "3 values", "row 4", "'inf'"]),
    "text": (changed("model B", [5, 6], "n/k"), ["'model B'", "2 values", "row 5", "'n/k'"]),
    "negative weight": (weighted(-1.5), ["'weight'", "2 values", "row 7", "'-1.5'"]),
    "weight of zero": (weighted(0.0), ["'weight'", "2 values", "row 7", "'0.0'"]),
    "infinite weight": (weighted(np.inf), ["'weight'", "2 values", "row 7", "'inf'"]),
    "blank weight": (weighted(np.nan), ["'weight'", "2 values", "row 7"]),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_unusable_values_give_one_sentence_and_the_other_data_stay(app_with_upload, case):
    app = app_with_upload
    before = funnel(app)
    change, words = UNUSABLE[case]
    upload(app, csv_of(change(rated_frame())), "bad.csv")
    error = only_error(app)
    for word in words:
        assert word in error
    assert not app.metric
    assert any("Nothing that you loaded is lost" in info for info in infos(app))
    go_to_operating_point(app)
    assert only_error(app) == error
    assert app.page_link[0].value == "Correct the columns of this file"
    pick(app, GOOD)
    assert not app.error
    assert app.metric
    back_to_rated_data(app)
    assert not app.error
    assert app.selectbox(key="data").options == [*SAMPLES, GOOD, "bad.csv"]
    assert funnel(app) == before


@pytest.mark.parametrize("case", ["infinity", "text"])
def test_rows_with_unusable_scores_can_be_left_out(app, case):
    frame = UNUSABLE[case][0](rated_frame())
    upload(app, csv_of(frame), "bad.csv")
    only_error(app)
    run(box(app, "leave").check())
    assert not app.error
    column = "model A" if case == "infinity" else "model B"
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


def test_blank_scores_and_blank_ratings_are_left_out_and_counted(app):
    frame = rated_frame()
    frame.loc[[2, 5, 7], "model B"] = np.nan
    frame.loc[[1, 2], "rating"] = None
    upload(app, csv_of(frame), "blanks.csv")
    assert not app.error
    assert funnel(app)[:3] == [len(frame), len(frame) - 2, len(frame) - 4]
    assert infos(app)[:2] == [
        "2 rows without a rating in 'rating' were left out.",
        "2 rows with a blank score were left out (first: row 6, column 'model B').",
    ]


def test_a_constant_score_is_named(app_with_upload):
    app = app_with_upload
    upload(app, csv_of(rated_frame().assign(**{"model B": 0.25})), "constant.csv")
    if app.error:
        assert "'model B'" in only_error(app)
        assert "0.25" in only_error(app)
    else:
        # It was not guessed to be a score; choosing it says why.
        assert box(app, "scores").value == ["model A"]
        run(box(app, "scores").set_value(["model A", "model B"]))
        error = only_error(app)
        for words in ("'model B'", "0.25", "row 1 "):
            assert words in error


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


@pytest.mark.parametrize("values", [2, 3, 5])
def test_a_score_of_few_values_such_as_a_rule_works_on_both_pages(app, values):
    frame = rated_frame()
    frame["model B"] = pd.cut(frame["model B"], values, labels=False)
    upload(app, csv_of(frame), "rule.csv")
    assert not app.error
    assert box(app, "scores").value == ["model A", "model B"]
    go_to_operating_point(app)
    assert not app.error
    assert app.metric


def test_huge_ties_work_with_a_caution(app):
    frame = rated_frame()
    frame.loc[frame["model A"] < frame["model A"].quantile(0.8), "model A"] = 0.5
    upload(app, csv_of(frame), "ties.csv")
    assert not app.error
    tied = int((frame["model A"] == 0.5).sum())
    (note,) = [info for info in infos(app) if "share the score" in info]
    assert note.startswith(f"{tied:,} of {len(frame):,} documents share the score 0.5 in 'model A'")
    go_to_operating_point(app)
    assert not app.error
    assert app.metric


def test_floors_above_every_score_are_named_with_the_largest_score(app_with_upload):
    app = app_with_upload
    run(box(app, "floor_model B").set_value(3.0))
    error = only_error(app)
    highest = rated_frame()["model B"].max()
    for words in ("'model B'", "3", f"{highest:g}", "row "):
        assert words in error


BAD_COUNTS = {
    "missing node": (lambda frame: frame.drop(index=[13]), ["1 nodes", "missing", "T1 = ", "T2 = "]),
    "repeated node": (
        lambda frame: pd.concat([frame, frame.iloc[[4]]]),
        ["occurs more than once", "rows 5 and 145", "T1 = "],
    ),
    "negative count": (changed("FP", [3], -4), ["'FP'", "1 negative", "row 3", "-4"]),
    "rising count": (changed("TP", [20], 100_000), ["'TP'", "rises", "row 20"]),
    "text in a count": (changed("FP", [7], "many"), ["'FP'", "row 7", "'many'"]),
    "blank threshold": (changed("T2", [2], None), ["'T2'", "row 2"]),
    "infinite threshold": (changed("T1", [2], "inf"), ["'T1'", "row 2", "'inf'"]),
    "one threshold": (lambda frame: frame[frame["T1"] == frame["T1"].min()], ["'T1'", "one threshold only"]),
}


@pytest.mark.parametrize("case", BAD_COUNTS)
def test_a_bad_table_of_counts_gives_one_sentence_and_the_other_data_stay(app_with_upload, case):
    app = app_with_upload
    before = funnel(app)
    change, words = BAD_COUNTS[case]
    frame = count_frame()
    assert len(frame) == 144
    upload(app, csv_of(change(frame)), "bad.csv")
    error = only_error(app)
    for word in words:
        assert word in error
    go_to_operating_point(app)
    assert only_error(app) == error
    pick(app, GOOD)
    assert not app.error
    back_to_rated_data(app)
    assert funnel(app) == before


def test_of_more_than_three_uploads_the_oldest_leaves(app):
    for number in range(1, 5):
        upload(app, csv_of(rated_frame(number)), f"file {number}.csv")
    assert not app.error
    assert app.selectbox(key="data").options == [*SAMPLES, "file 2.csv", "file 3.csv", "file 4.csv"]
    assert app.selectbox(key="data").value == "file 4.csv"
    assert funnel(app)[0] == len(rated_frame(4))
    pick(app, "file 2.csv")
    assert funnel(app)[0] == len(rated_frame(2))


def test_a_file_uploaded_again_under_its_name_replaces_the_first(app_with_upload):
    app = app_with_upload
    frame = rated_frame(7)
    upload(app, csv_of(frame), GOOD)
    assert not app.error
    assert app.selectbox(key="data").options == [*SAMPLES, GOOD]
    assert funnel(app)[0] == len(frame)


def test_a_link_to_a_file_that_is_not_loaded_says_so():
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["data"] = "gone.csv"
    run(app)
    assert not app.error
    assert funnel(app)[0] == len(sample("Card alerts").frame)
    assert any("'gone.csv'" in info and "upload it again" in info for info in infos(app))


@pytest.mark.parametrize("name", ["bssr1_two_scores_rated", "bssr1_four_scores_rated"])
def test_real_rated_files_go_through_both_pages(app, rated_folder, name):
    told = json.loads((rated_folder / f"{name}.json").read_text())
    upload(app, (rated_folder / f"{name}.csv").read_bytes(), f"{name}.csv")
    assert not app.error
    assert box(app, "scores").value == told["scores"]
    assert box(app, "rating").value == told["label"]
    for score, floor in told["rating_floors"].items():
        box(app, f"floor_{score}").set_value(floor)
    run(app)
    assert not app.error
    assert funnel(app) == [told["rated"]] * 4 + [told["positives"]]
    go_to_operating_point(app)
    assert not app.error
    assert app.selectbox(key="data").value == f"{name}.csv"
    assert len([metric for metric in app.metric if "Threshold of" in metric.label]) == len(told["scores"])


def test_a_real_table_of_counts_goes_through_both_pages(app, rated_folder):
    upload(app, (rated_folder / "bssr1_counts_grid.csv").read_bytes(), "bssr1_counts_grid.csv")
    assert not app.error
    assert metrics(app)["Nodes"] == "10,000"
    assert metrics(app)["TP at the floors"] == "515"
    assert metrics(app)["FP at the floors"] == "10,080"
    go_to_operating_point(app)
    assert not app.error
    assert app.metric
