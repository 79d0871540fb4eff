"""Compare the sections on current thresholds, sources and borderline with pandas."""

import io
import json
import math
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments, operating_point, smooth_path
from multiloss_core.datasets import Source
from multiloss_core.datasets.samples import FRAUD_OR_OK
from multiloss_core.formatting import FRAUD, money
from multiloss_core.tables import ColumnMeanings
from multiloss_core.thresholds import point_as_csv, point_as_json
from tests.pages.steps import number, opened_sections, run, wilson
from ui.data.document_table import MAX_ROWS, no_documents
from ui.data.rated import sample

SECTIONS = ("compare", "sources", "near")


opened = partial(opened_sections, ("comparison.show_comparison", "sources.show_sources", "borderline.show_borderline"))


def changed(app, **state):
    for key, value in state.items():
        app.session_state[key] = value
    return run(app)


def typed(app, thresholds):
    for i, value in enumerate(thresholds):
        run(app.text_input(key=f"current_{i}").set_value("" if math.isinf(value) else f"{value:.10g}"))
    return app


def told(app):
    return app.session_state["told"]


def texts(app):
    return " ".join(
        element.value for kind in ("markdown", "caption", "info", "warning", "error") for element in app.get(kind)
    )


def comparison_table(app):
    return next(table.value for table in app.dataframe if "Proposed" in table.value).set_index("")


def all_rows(name):
    """The rows of a sample, rated or not, numbered from 1."""
    frame = sample(name).frame
    return frame.set_axis(np.arange(1, len(frame) + 1))


def rated_rows(name):
    """The rows of a sample that people rated, numbered from 1."""
    frame = all_rows(name)
    return frame[frame["rating"].notna()]


def flagged_by(rated, scores, thresholds, rule):
    reached = pd.DataFrame({score: rated[score] >= value for score, value in zip(scores, thresholds, strict=True)})
    return reached.any(axis=1) if rule == "any" else reached.all(axis=1)


COUNTED = ("Alerts", "Caught (TP)", "False alerts (FP)", "of them undecided")


def assert_band(app, title, rows):
    """A band's sentence and its list, against the rows that pandas finds."""
    (words,) = [element.value for element in app.markdown if f"**{title}" in element.value]
    undecided = int(rows["rating"].isna().sum())
    assert (f" {undecided:,} more alert" in words) == (undecided > 0)
    rows = rows[rows["rating"].notna()]
    assert f"**{title}: {len(rows):,} alert" in words
    lists = [table.value for table in app.dataframe if table.value.index.name == "row"]
    if not len(rows):
        return
    fraud = int((rows["rating"] == "fraud").sum())
    assert f"{fraud:,} of {len(rows):,} rated are fraud" in words
    precision, low, high = re.search(r"precision ([\d.]+)\s%, 95 % interval (\d+)–(\d+)", words).groups()
    assert float(precision) == pytest.approx(100 * fraud / len(rows), abs=0.51)
    assert [float(low), float(high)] == pytest.approx([100 * end for end in wilson(fraud, len(rows))], abs=0.51)
    (shown,) = [
        table
        for table in lists
        if len(table) and table.index[0] == rows.index[0] and len(table) == min(len(rows), MAX_ROWS)
    ]
    assert shown.index.tolist() == rows.index[:MAX_ROWS].tolist()
    pd.testing.assert_frame_equal(
        shown.reset_index(drop=True), rows.head(MAX_ROWS).reset_index(drop=True), check_dtype=False
    )


@pytest.mark.parametrize(
    ("name", "rule", "current"),
    [
        ("Card alerts", "any", [math.inf, 0.7]),
        ("Insurance claims", "all", [0.3, 0.2, 0.3, 0.6]),
        ("Login alerts", "any", [0.9]),
    ],
)
def test_the_table_and_both_bands_are_those_of_a_count_by_hand(name, rule, current):
    app = typed(opened("compare", name=name, rule=rule), current)
    for percent in (20.0, 60.0):
        changed(app, percent=percent)
        scores, rated = sample(name).first_choice.scores, all_rows(name)
        proposed = told(app)["thresholds"]
        before, after = (flagged_by(rated, scores, values, rule) for values in (current, proposed))
        table = comparison_table(app)
        counts = []
        for column, chosen in (("Current", before), ("Proposed", after)):
            ratings = rated.loc[chosen, "rating"]
            fraud, false, undecided = (ratings == "fraud").sum(), (ratings == "ok").sum(), ratings.isna().sum()
            counts.append(np.array([len(ratings), fraud, false, undecided]))
            shown = table[column]
            assert [number(shown[row]) for row in COUNTED] == counts[-1].tolist()
            if fraud + false:
                assert number(shown["Precision"]) == pytest.approx(100 * fraud / (fraud + false), abs=0.51)
        assert (counts[1][1], counts[1][2]) == (told(app)["tp"], told(app)["fp"])
        for row, more in zip(COUNTED, counts[1] - counts[0], strict=True):
            text = table["Difference"][row]
            assert number(text) == more
            assert text[0] == ("+" if more > 0 else "\N{MINUS SIGN}" if more < 0 else "0")
        if "undefined" not in table.loc["Precision"].tolist():
            now, then = (100 * fraud / (fraud + false) for _, fraud, false, _ in counts)
            points = table["Difference"]["Precision"].removesuffix(" points")
            assert number(points) == pytest.approx(then - now, abs=0.051)
            assert points[0] in "+\N{MINUS SIGN}0"
        assert_band(app, "Added", rated[after & ~before])
        assert_band(app, "Dropped", rated[before & ~after])
    assert not app.error
    assert not app.warning


def test_money_is_compared_where_there_are_amounts():
    current, name, rule = [0.7, 0.8], "Card alerts", "all"
    app = typed(opened("compare", rule=rule), current)
    rated, table = rated_rows(name), comparison_table(app)
    for row, rating in (("Money caught", "fraud"), ("Money in false alerts", "ok")):
        sums = []
        for column, thresholds in (("Current", current), ("Proposed", told(app)["thresholds"])):
            chosen = rated[flagged_by(rated, sample(name).first_choice.scores, thresholds, rule)]
            sums.append(chosen.loc[chosen["rating"] == rating, "amount"].sum())
            assert table[column][row] == money(sums[-1])
        more = number(table["Proposed"][row]) - number(table["Current"][row])
        assert number(table["Difference"][row]) == pytest.approx(more, abs=0.01)
    assert "Money caught" not in comparison_table(typed(opened("compare", name="Login alerts"), [0.9])).index


def test_the_same_thresholds_differ_by_nothing():
    app = opened("compare")
    typed(app, told(app)["thresholds"])
    assert comparison_table(app)["Difference"].tolist() == ["0"] * 6 + ["0.0 points", "0", "0"]
    assert "**Added: 0 alerts** that only the proposed thresholds flag" in texts(app)
    assert "**Dropped: 0 alerts** that only the current thresholds flag" in texts(app)
    assert not app.get("download_button")


def test_what_was_typed_is_kept_for_each_dataset_and_rule():
    app = typed(opened("compare"), [0.7, 0.8])
    changed(app, name="Login alerts")
    assert app.text_input(key="current_0").value == ""
    typed(app, [0.9])
    changed(app, name="Card alerts")
    assert [app.text_input(key=f"current_{i}").value for i in (0, 1)] == ["0.7", "0.8"]
    changed(app, rule="all")
    assert told(app)["current"] is None
    changed(app, rule="any", compare=False)
    assert not app.number_input
    assert told(app)["current"].tolist() == [0.7, 0.8]
    changed(app, compare=True)
    assert [app.text_input(key=f"current_{i}").value for i in (0, 1)] == ["0.7", "0.8"]


def upload(app, name, data):
    app.file_uploader(key="current_file").upload(name, data, "text/plain")
    return run(app)


@pytest.mark.parametrize(("write", "file"), [(point_as_json, "thresholds.json"), (point_as_csv, "thresholds.csv")])
def test_exported_thresholds_are_loaded(write, file):
    source = sample("Card alerts")
    choice = source.first_choice
    documents = RatedDocuments.from_frame(source.frame, choice.scores, choice.rating, floors=choice.floors)
    point = operating_point(smooth_path(documents), 0.7)
    app = upload(opened("compare"), file, write(point).encode())
    assert told(app)["present"].tolist() == point.thresholds.tolist()
    assert [app.text_input(key=f"current_{i}").value for i in (0, 1)] == [f"{value:.10g}" for value in point.thresholds]
    assert number(comparison_table(app)["Current"]["Caught (TP)"]) == point.tp
    assert f"Current is as loaded from {file}" in texts(app)
    # A number that is then typed is not overwritten by the file that is still there.
    run(app.text_input(key="current_0").set_value("0.6"))
    run(app)
    assert told(app)["present"].tolist() == [0.6, point.thresholds[1]]
    assert "loaded from" not in texts(app)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"document,rating\n1,ok\n", "holds no thresholds"),
        (
            json.dumps({"rule": "all", "thresholds": {"transaction model": 1, "account model": 1}}).encode(),
            "rule 'all'",
        ),
        (json.dumps({"rule": "any", "thresholds": {"login model": 1}}).encode(), "no threshold of 'transaction model'"),
    ],
)
def test_a_wrong_file_gets_a_sentence_and_loses_nothing(data, words):
    app = typed(opened("compare"), [0.7, 0.8])
    before = comparison_table(app)
    upload(app, "wrong.json", data)
    assert words in app.error[0].value
    assert "wrong.json" in app.error[0].value
    assert "as they were" in app.error[0].value
    pd.testing.assert_frame_equal(comparison_table(app), before)
    run(app.text_input(key="current_0").set_value("0.6"))
    assert not app.error


def test_a_pinned_point_is_compared_with_other_points():
    app = typed(opened("compare", percent=30.0), [0.7, 0.8])
    first = told(app)
    run(app.button(key="pin").click())
    changed(app, percent=60.0)
    assert told(app)["current"].tolist() == first["thresholds"].tolist()
    assert told(app)["present"].tolist() == [0.7, 0.8]
    table = comparison_table(app)
    assert number(table["Current"]["Caught (TP)"]) == first["tp"]
    assert number(table["Proposed"]["Caught (TP)"]) == told(app)["tp"]
    assert "pinned point: smooth at 30\N{NO-BREAK SPACE}%" in texts(app)

    run(app.get_by_key("compare_with").set_value("Current thresholds"))
    assert told(app)["current"].tolist() == [0.7, 0.8]
    assert comparison_table(app)["Current"].iloc[0] == "≥ 0.7"
    run(app.get_by_key("compare_with").set_value("Pinned point"))
    assert told(app)["current"].tolist() == first["thresholds"].tolist()
    changed(app, name="Login alerts")
    assert told(app)["current"] is None
    changed(app, name="Card alerts")
    assert told(app)["current"].tolist() == first["thresholds"].tolist()


def test_counts_below_a_floor_are_bounds():
    floor = sample("Card alerts").first_choice.floors[0]
    app = typed(opened("compare"), [floor - 0.1, 0.8])
    (warning,) = [element.value for element in app.warning]
    for words in ("The current threshold of transaction model", "below its rating floor", "never rated", "not known"):
        assert words in warning
    table, rows = comparison_table(app), all_rows("Card alerts")
    before, after = (
        flagged_by(rows, sample("Card alerts").first_choice.scores, values, "any")
        for values in ([floor - 0.1, 0.8], told(app)["thresholds"])
    )
    rated = rows["rating"].notna()
    assert table["Current"]["Alerts"] == f"at least {before.sum():,}"
    assert table["Current"]["Precision"] == table["Difference"]["Precision"] == "not known"
    assert table["Difference"]["Alerts"] == f"at most \N{MINUS SIGN}{before.sum() - after.sum():,}"
    assert f"**Dropped: at least {(before & ~after & rated).sum():,} alerts**" in texts(app)
    assert f"**Added: {(after & ~before & rated).sum():,} alert" in texts(app)


def test_a_table_of_counts_is_compared_without_documents():
    app = typed(opened("compare", name="Count table"), [0.81, 0.8])
    frame = sample("Count table").frame
    first, second = sorted(frame["T1"].unique()), sorted(frame["T2"].unique())

    def at(one, two):
        node = min(v for v in first if v >= min(one, first[-1])), min(v for v in second if v >= min(two, second[-1]))
        row = frame[(frame["T1"] == node[0]) & (frame["T2"] == node[1])].iloc[0]
        return node, np.array([row["TP"] + row["FP"], row["TP"], row["FP"]])

    proposed = told(app)["thresholds"]
    (node, before), (then, after), table = at(0.81, 0.8), at(*proposed), comparison_table(app)
    union = at(min(node[0], then[0]), min(node[1], then[1]))[1]
    for row, now, later in zip(("Alerts", "Caught (TP)", "False alerts (FP)"), before, after, strict=True):
        assert (number(table["Current"][row]), number(table["Proposed"][row])) == (now, later)
        assert number(table["Difference"][row]) == later - now
    assert after[1] == told(app)["tp"]
    words = texts(app)
    for title, band in (("Added", union - before), ("Dropped", union - after)):
        assert f"**{title}: {band[0]:,.0f} alert" in words
        assert not band[0] or f"{band[1]:,.0f} of {band[0]:,.0f} rated are fraud" in words
    assert no_documents(FRAUD) in words
    assert f"T1 {node[0]:.4g}"[:7] in words
    assert not app.get("download_button")

    typed(app, [first[0] - 0.1, 0.8])
    assert "below the first one of the table" in app.error[0].value
    typed(app, [first[0], 0.8])
    assert not app.error


def uploaded_source(frame, **choice):
    return Source("rated.csv", str(hash(frame.to_csv())), frame, ColumnMeanings(**choice))


def many_documents():
    """2,500 rows with words that a spreadsheet would run, every fourth without a rating."""
    generator = np.random.default_rng(5)
    score = generator.random(2_500).round(4)
    rating = np.where(generator.random(2_500) < score / 2, "fraud", "ok").astype(object)
    rating[::4] = None
    return pd.DataFrame({"=name": [f"=HYPERLINK({i})" for i in range(2_500)], "score": score, "rating": rating})


def test_thousand_rows_are_shown_and_all_downloaded(monkeypatch):
    files = {}

    def keep(_, label, data, file_name, *__, **___):
        files[file_name] = (label, data())

    monkeypatch.setattr("streamlit.delta_generator.DeltaGenerator.download_button", keep)
    frame = many_documents()
    source = uploaded_source(frame, scores=("score",), rating="rating", meanings=FRAUD_OR_OK, floors=(0.0,))
    app = typed(opened("compare", source=source, by_hand=[0.1]), [0.9])
    expected = frame[frame["rating"].notna() & (frame["score"] >= 0.1) & (frame["score"] < 0.9)]
    (shown,) = [table.value for table in app.dataframe if table.value.index.name == "row"]
    assert len(shown) == MAX_ROWS < len(expected)
    assert shown.index.tolist() == (expected.index[:MAX_ROWS] + 1).tolist()
    assert f"The first 1,000 of {len(expected):,} documents" in texts(app)

    ((file, (label, text)),) = files.items()
    assert file == "added_documents.csv"
    assert label == f"{len(expected):,} rows as CSV"
    read = pd.read_csv(io.StringIO(text))
    assert list(read.columns) == ["row", "'=name", "score", "rating"]
    assert read["row"].tolist() == (expected.index + 1).tolist()
    assert read["'=name"].tolist() == [f"'{name}" for name in expected["=name"]]
    assert read["score"].tolist() == expected["score"].tolist()


def test_weights_are_counted_as_what_they_stand_for():
    frame = many_documents().assign(weight=lambda table: np.where(table["rating"] == "fraud", 1.0, 2.5))
    source = uploaded_source(
        frame, scores=("score",), rating="rating", meanings=FRAUD_OR_OK, weight="weight", floors=(0.0,)
    )
    app = typed(opened("compare", source=source, by_hand=[0.5]), [0.9])
    rated = frame[frame["rating"].notna()]
    band = rated[(rated["score"] >= 0.5) & (rated["score"] < 0.9)]
    fraud, total = int((band["rating"] == "fraud").sum()), band["weight"].sum()
    assert f"{fraud} of {total:,.1f}".removesuffix(".0") in texts(app)
    assert f"{len(band)} rated documents stand for them" in texts(app)
    undecided = frame.loc[frame["rating"].isna() & (frame["score"] >= 0.5) & (frame["score"] < 0.9), "weight"].sum()
    table = comparison_table(app)["Difference"]
    assert number(table["of them undecided"]) == pytest.approx(undecided)
    assert number(table["Alerts"]) == pytest.approx(total + undecided)


def test_scores_hold_back_alerts_under_every_score():
    app = opened("sources", name="Marketplace listings", rule="all", percent=50.0)
    scores, rated = sample("Marketplace listings").first_choice.scores, rated_rows("Marketplace listings")
    thresholds = told(app)["thresholds"]
    (table,) = [table.value for table in app.dataframe if "Held back by" in table.value]
    for j, missing in enumerate(scores):
        others = [score for score in scores if score != missing]
        held_back = flagged_by(rated, others, np.delete(thresholds, j), "all") & (rated[missing] < thresholds[j])
        assert table["Held back by"][j] == missing
        assert table["Alerts"][j] == held_back.sum()
        assert table["Caught (TP)"][j] == (rated[held_back]["rating"] == "fraud").sum()


def test_the_nearest_documents_on_either_side_are_listed():
    app = opened("near", name="Login alerts", percent=50.0)
    rated, (value,) = rated_rows("Login alerts"), told(app)["thresholds"]
    above = rated[rated["login model"] >= value].sort_values("login model", kind="stable").head(50)
    below = rated[rated["login model"] < value].sort_values("login model", ascending=False, kind="stable").head(50)
    for shown, expected, words in zip(
        (table.value for table in app.dataframe), (above, below), ("Just flagged", "Just not flagged"), strict=True
    ):
        assert set(shown["decided by"]) == {"login model"}
        assert shown["documents away"].is_monotonic_increasing
        assert sorted(shown["login model"]) == sorted(expected["login model"])
        assert set(shown.index) == set(expected.index)
        fraud = (expected["rating"] == "fraud").sum()
        assert f"**{words}: the nearest 50 documents**, {fraud} rated fraud" in texts(app)
    assert len(app.get("download_button")) == 2
