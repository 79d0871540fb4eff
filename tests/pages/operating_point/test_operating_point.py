import json
import re
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from multiloss_core import (
    CountSurfaces,
    RatedDocuments,
    analytic_path,
    benchmark_path,
    count_surfaces,
    f_beta_of_point,
    graph_path,
    mean_graph_path,
    operating_point,
    simulate_population,
    smooth_path,
)
from multiloss_core.datasets import RATED_SAMPLES as SAMPLES
from multiloss_core.thresholds import classifier_margins
from tests.pages.rated_data.steps import confirm
from tests.pages.steps import explorer, number, opened, run, state, unfold
from ui.data.rated import sample

METHODS = ["smooth", "graph", "mean graph", "analytic power", "analytic beta", "benchmark"]
RULES = ("any", "all")
# By number of classifiers, the resolution that the page starts with.
RESOLUTION = {1: 300, 2: 100, 3: 60, 4: 24}
NUMBER_OF_WHAT_IS_UNKNOWN = re.compile(
    r"(recall|sensitivity|specificity|\bF1\b|\bFPR\b|\bTPR\b|\bFNR?\b|\bTN\b|false.positive.rate|accuracy)"
    r"[^.;a-z]{0,12}\d",
    re.IGNORECASE,
)


@cache
def documents_of(name):
    source = sample(name)
    choice = source.first_choice
    return RatedDocuments.from_frame(
        source.frame, choice.scores, choice.rating, choice.only_positive, floors=choice.floors
    )


@cache
def paths_of(name, rule="any", spacing="positives", resolution=None):
    if name == "Count table":
        surfaces = CountSurfaces.from_table(sample(name).frame)
        return paths_on(surfaces, surfaces, None, surfaces.rule)
    documents = documents_of(name)
    surfaces = count_surfaces(
        documents, rule=rule, resolution=resolution or RESOLUTION[len(documents.names)], spacing=spacing
    )
    return paths_on(documents, surfaces, documents, rule)


def paths_on(source, surfaces, documents, rule):
    paths = [
        smooth_path(source, rule=rule),
        graph_path(surfaces),
        mean_graph_path(surfaces, np.random.default_rng(0), documents=documents),
        analytic_path(source, family="power", rule=rule),
        analytic_path(source, family="beta", rule=rule),
        benchmark_path(surfaces),
    ]
    return {path.method: path for path in paths}


def counts_by_hand(name, thresholds, rule):
    """TP and FP at thresholds, counted in the sample's table by pandas alone."""
    frame = sample(name).frame
    if name == "Count table":
        first, second = (min(value, frame[axis].max()) for axis, value in zip(("T1", "T2"), thresholds, strict=True))
        at_or_above = frame[(frame["T1"] >= first) & (frame["T2"] >= second)]
        node = at_or_above.sort_values(["T1", "T2"]).iloc[0]
        return int(node["TP"]), int(node["FP"])
    ratings = flagged_ratings(name, thresholds, rule)
    return int((ratings == "fraud").sum()), int((ratings == "ok").sum())


def undecided_by_hand(name, thresholds, rule):
    """Alerts without a rating at thresholds; a table of counts knows none."""
    return 0 if name == "Count table" else int(flagged_ratings(name, thresholds, rule).isna().sum())


def flagged_ratings(name, thresholds, rule):
    frame = sample(name).frame
    reached = pd.DataFrame(
        {
            score: frame[score] >= value
            for score, value in zip(sample(name).first_choice.scores, thresholds, strict=True)
        }
    )
    return frame.loc[reached.any(axis=1) if rule == "any" else reached.all(axis=1), "rating"]


def percent_of(app):
    return state(app).point.goals.percent


def row_of(app):
    """Return the row of the explorer: the point beside the slider, or that at its target."""
    shown = explorer(app)
    table = shown["table"]
    return shown["hand"] or table["rows"][table["percents"].index(shown["percent"])]


def words_of(app):
    return row_of(app)["words"]


def metrics(app):
    words = words_of(app)
    return dict([*words["thresholds"], *words["counts"]])


def printed_point(app):
    """The thresholds, TP and FP that the page shows large."""
    return point_in(words_of(app))


def point_in(words):
    thresholds = [float(value.removeprefix("≥ ").replace("never", "inf")) for _, value in words["thresholds"]]
    (_, tp), (_, fp) = words["counts"][:2]
    return thresholds, number(tp), number(fp)


def at_target(app, percent):
    """The page after the explorer's slider came to rest elsewhere."""
    app.query_params["m"] = f"{percent:g}"
    return run(app)


def warning_of(app):
    return " ".join(words_of(app)["warning"] or ()).replace("\N{NO-BREAK SPACE}", " ")


def methods_table(app):
    unfold(app, "methodologists")
    return next(table.value for table in app.dataframe if "Method" in table.value).set_index("Method")


def printed_rows(app):
    """The small table of the point: words -> value."""
    return dict(words_of(app)["rates"])


def percentage(text):
    """A share as it is shown, before what it is a share of."""
    return float(text.split(" of ")[0].removesuffix("%").strip()) / 100


class Chart(NamedTuple):
    id: str
    alt: str
    spec: str


def charts(app):
    found = [Chart(chart.proto.id, chart.proto.alt, chart.proto.spec) for chart in app.get("plotly_chart")]
    for name, chart in explorer(app)["charts"].items():
        traces = [json.loads(trace) for trace in (*chart["traces"], *chart["marks"])]
        spec = json.dumps({"data": traces, "layout": json.loads(chart["layout"])})
        found.append(Chart(f"explorer-{name}", chart["alt"], spec))
    return found


def layout(chart):
    return json.loads(chart.spec)["layout"]


def assert_page_shows(app, name, rule, percent):
    """Compare all methods and the chosen point with the core and with pandas."""
    table = methods_table(app)
    assert list(table.index) == METHODS
    rated, _ = counts_by_hand(name, paths_of(name, rule)["smooth"].thresholds[0], "any")
    for method, path in paths_of(name, rule).items():
        point = operating_point(path, percent / 100)
        row = table.loc[method]
        thresholds = [float(str(row[f"{score} ≥"]).replace("never", "inf")) for score in path.names]
        undecided = undecided_by_hand(name, thresholds, rule)
        assert row[["TP", "FP", "Alerts"]].tolist() == [point.tp, point.fp, point.tp + point.fp + undecided]
        assert row.get("Undecided", 0) == undecided
        assert counts_by_hand(name, thresholds, rule) == (point.tp, point.fp)
        if point.status == "inside":
            np.testing.assert_allclose(thresholds, point.thresholds, rtol=0.02)
        if point.alerts:
            assert row["Precision"] == pytest.approx(point.tp / point.alerts, abs=0.006)
            assert row["Rated positives kept"] == pytest.approx(point.tp / rated, abs=0.006)
        else:
            assert np.isnan(row["Precision"])
        if path.tp[0] * path.fp[0]:
            assert row["Area (0 to 1)"] == pytest.approx(path.area / (path.tp[0] * path.fp[0]), abs=1e-4)
        else:
            assert np.isnan(row["Area (0 to 1)"])
    chosen = app.selectbox(key="method").value
    thresholds, tp, fp = printed_point(app)
    assert [tp, fp] == table.loc[chosen, ["TP", "FP"]].tolist()
    assert counts_by_hand(name, thresholds, rule) == (tp, fp)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        *(("Card alerts", rule) for rule in RULES),
        ("Marketplace listings", "all"),
        ("Insurance claims", "any"),
        ("Login alerts", "any"),
        ("Count table", "any"),
    ],
)
def test_numbers_are_those_of_the_core_and_of_a_count_by_hand(name, rule):
    app = opened(data=name, rule=rule)
    assert app.selectbox(key="data").value == name
    for percent in (2.0, 55.0):
        at_target(app, percent)
        assert_page_shows(app, name, rule, percent)


@pytest.mark.parametrize(
    ("name", "method"), [("Card alerts", "smooth"), ("Card alerts", "analytic beta"), ("Count table", "benchmark")]
)
def test_the_point_of_the_chosen_method_is_shown(name, method):
    app = opened(data=name, method=method, m="35")
    assert not app.error
    assert app.selectbox(key="method").value == method
    point = operating_point(paths_of(name)[method], 0.35)
    thresholds, tp, fp = printed_point(app)
    assert (tp, fp) == (point.tp, point.fp)
    assert counts_by_hand(name, thresholds, "any") == (tp, fp)
    rows = printed_rows(app)
    undecided = undecided_by_hand(name, thresholds, "any")
    assert number(rows["Alerts"]) == point.tp + point.fp + undecided
    assert number(rows.get("of them undecided", "0")) == undecided
    assert percentage(rows["Precision"]) == pytest.approx(tp / (tp + fp), abs=0.006)
    assert float(rows["False alerts per catch"]) == pytest.approx(fp / tp, rel=0.006)
    assert percentage(rows["Rated positives kept"]) == pytest.approx(tp / point.rated.tp, abs=0.006)
    (last,) = [words for words in rows if "raud in the last" in words]
    (after,) = [words for words in rows if "raud in the next" in words]
    assert percentage(rows[last]) >= 0.35 - 0.006
    assert percentage(rows[after]) <= 0.35 + 0.006
    assert f"{point.step_alerts:,.0f} alert" in last
    assert f"{point.next_alerts:,.0f} alert" in after


def test_the_margins_of_each_classifier_are_those_of_the_core():
    app = unfold(opened(m="40"), "margins")
    point = operating_point(paths_of("Card alerts")["smooth"], 0.4)
    table = next(table.value for table in app.dataframe if "Classifier" in table.value)
    found = classifier_margins(documents_of("Card alerts"), point)
    moves = [
        (margin.name, *move)
        for margin in found
        for move in (
            ("down", margin.precision_added, margin.added, *margin.added_interval),
            ("up", margin.precision_lost, margin.lost, *margin.lost_interval),
        )
    ]
    for (_, row), (name, way, precision, documents, low, high) in zip(table.iterrows(), moves, strict=True):
        assert row["Classifier"] == name
        assert row["Threshold moved"].startswith(f"{way}: ")
        assert row["Alerts"] == documents
        assert row["Fraud"] == pytest.approx(precision * documents)
        assert row[["Precision", "95 % from", "95 % to"]].tolist() == pytest.approx([precision, low, high], abs=0.0051)
        assert row["95 % from"] - 0.006 <= precision <= row["95 % to"] + 0.006


@pytest.mark.parametrize(("name", "method"), [("Login alerts", "graph"), ("Insurance claims", "smooth")])
def test_explorer_equals_the_core_at_every_target(name, method):
    app = opened(data=name, method=method)
    found = explorer(app)["table"]
    assert found["methods"][-1] == method
    assert found["percents"] == [percent / 2 for percent in range(1, 200)]
    paths = paths_of(name)
    for percent, row in zip(found["percents"], found["rows"], strict=True):
        points = [operating_point(paths[other], percent / 100) for other in found["methods"]]
        chosen = points[-1]
        thresholds, tp, fp = point_in(row["words"])
        assert (tp, fp) == (chosen.tp, chosen.fp)
        assert [row["tp"][-1], row["fp"][-1]] == [tp, fp]
        if chosen.status == "inside":
            np.testing.assert_allclose(thresholds, chosen.thresholds, rtol=0.02)
        for point, shown_tp, shown_fp in zip(points, row["tp"], row["fp"], strict=True):
            missing = point.status == "unreachable" and point is not chosen
            assert (shown_tp, shown_fp) == ((None, None) if missing else (point.tp, point.fp))
        (left, right), (low, high) = row["tangent"]
        assert (high - low) / (right - left) == pytest.approx(percent / (100 - percent))
        assert low + (fp - left) * (high - low) / (right - left) == pytest.approx(tp)
        (first_fp, last_fp), (first_tp, last_tp) = row["view"]
        assert first_fp <= fp <= last_fp
        assert first_tp <= tp <= last_tp
    for percent, (_, tp, fp) in ((found["percents"][i], point_in(found["rows"][i]["words"])) for i in (0, 60, 150)):
        thresholds = point_in(found["rows"][found["percents"].index(percent)]["words"])[0]
        assert counts_by_hand(name, thresholds, "any") == (tp, fp)


@pytest.mark.parametrize("name", ["Card alerts", "Login alerts"])
def test_plain_widgets_show_what_the_explorer_shows(name):
    app = opened(data=name, m="35", plain="true")
    assert not [one for one in app.get("bidi_component") if one.proto.component_name == "multiloss_explorer"]
    live = words_of(opened(data=name, m="35"))
    assert [[metric.label, metric.value] for metric in app.metric] == [*live["thresholds"], *live["counts"]]
    (table,) = [element.value for element in app.markdown if "At this point" in element.value]
    assert [line.strip("| ").split(" | ") for line in table.splitlines()[2:]] == live["rates"]
    assert len(app.get("plotly_chart")) == (3 if name == "Login alerts" else 6)
    assert all(chart.proto.alt for chart in app.get("plotly_chart"))


def test_a_link_restores_every_choice():
    app = opened(
        data="Marketplace listings",
        m="42.5",
        rule="all",
        method="analytic beta",
        nodes="uniform",
        resolution_3="30",
        across="3",
        up="1",
    )
    assert not app.error
    assert app.selectbox(key="data").value == "Marketplace listings"
    assert percent_of(app) == 42.5
    assert app.get_by_key("rule").value == "all"
    chosen = {key: app.selectbox(key=key).value for key in ("method", "nodes", "resolution_3", "across", "up")}
    assert chosen == {
        "method": "analytic beta",
        "nodes": "uniform",
        "resolution_3": 30,
        "across": "3",
        "up": "1",
    }
    space = layout(by_key(app, "space"))
    assert "message model" in space["xaxis"]["title"]["text"]
    assert "listing model" in space["yaxis"]["title"]["text"]
    path = paths_of("Marketplace listings", "all", "uniform", 30)["analytic beta"]
    point = operating_point(path, 0.425)
    thresholds, tp, fp = printed_point(app)
    assert (tp, fp) == (point.tp, point.fp) == counts_by_hand("Marketplace listings", thresholds, "all")


def by_key(app, key):
    (found,) = [chart for chart in charts(app) if chart.id.endswith(f"-{key}")]
    return found


@pytest.mark.parametrize(
    "query",
    [
        {"m": "abc", "method": "magic", "rule": "none", "nodes": "everywhere", "resolution_2": "x", "unknown": "1"},
        {"m": "nan", "rule": ["any", "all"], "resolution_2": "99999", "now": "1e300,0.5", "against": "x", "pin": "a,b"},
        {"goal": "costs", "goal_review": "nan", "goal_annoyance": "nan"},
        {"data": "<script>alert(1)</script>", "m": "-5"},
        {"data": "Login alerts", "rule": "all", "m": ["20", "30"]},
        {"data": "Marketplace listings", "across": "2", "up": "2"},
    ],
    ids=str,
)
def test_a_bad_link_never_breaks_the_page(query):
    app = opened(**query)
    assert not app.error
    if query.get("data", "Card alerts") not in SAMPLES:
        # No other data takes the place of what the link asks for.
        assert any("not loaded any more" in warning.value for warning in app.warning)
        assert not app.metric
        run(app.button(key="data_sample").click())
    thresholds, tp, fp = printed_point(app)
    name = app.selectbox(key="data").value
    assert name in SAMPLES
    percent = percent_of(app)
    assert 0.5 <= percent <= 99.5
    point = operating_point(paths_of(name)["smooth"], percent / 100)
    assert (tp, fp) == (point.tp, point.fp)
    assert counts_by_hand(name, thresholds, "any") == (tp, fp)


def uploaded(frame, name="rated.csv", **query):
    """The page on an uploaded table."""
    app = opened("rated_data")
    app.file_uploader(key="upload").upload(name, frame.to_csv(index=False).encode(), "text/csv")
    run(app)
    assert not app.error
    return to_operating_point(confirm(app), data=name, **query)


def to_operating_point(app, **query):
    # A browser keeps choices in the address and sends no widgets of the page it leaves; AppTest does neither, so the
    # address is written here and counts from the second run on.
    app.query_params.update(query)
    run(app.switch_page("pages/operating_point.py"))
    return run(app)


def half_fraud():
    """Make one score in which every second document is a fraud, the highest one not."""
    return pd.DataFrame({"score": np.arange(1, 201) / 200, "rating": ["fraud", "ok"] * 100})


def test_point_at_the_floor_is_explained():
    app = uploaded(half_fraud(), m="20")
    warning = warning_of(app)
    for words in ("at the floor", "20 %", "below the floors", "Rate documents"):
        assert words in warning
    assert printed_point(app) == ([0.005], 100, 100)
    assert not [label for label in printed_rows(app) if "in the next" in label]


def test_unreachable_target_is_explained():
    app = uploaded(half_fraud(), m="90")
    warning = warning_of(app)
    for words in ("No part of this path reaches 90 %", "flags nothing", "Lower the target"):
        assert words in warning
    (share,) = re.findall(r"hold ([\d.]+) % fraud", warning)
    assert float(share) == pytest.approx(50, abs=1.5)
    thresholds, tp, fp = printed_point(app)
    assert (tp, fp) == (0, 0)
    assert thresholds[0] > 1.0
    rows = printed_rows(app)
    assert rows["Precision"] == rows["False alerts per catch"] == "undefined"
    assert set(methods_table(app)["Note"]) == {"not reached"}
    assert not app.error


def test_a_score_without_a_threshold_is_named():
    generator = np.random.default_rng(3)
    is_fraud = generator.random(200_000) < 0.004
    useful = expit(generator.standard_normal(200_000) + 2.5 * is_fraud).round(4)
    useless = generator.random(200_000).round(4)
    alerts = (useful >= 0.9) | (useless >= 0.995)
    frame = pd.DataFrame(
        {"useful score": useful, "useless score": useless, "rating": np.where(is_fraud, "fraud", "ok")}
    )
    app = uploaded(frame[alerts], m="20")
    assert printed_point(app)[0][1] > 1.0
    assert "useless score never flags" in warning_of(app)
    # At a low target it flags as well.
    app = at_target(app, 0.5)
    assert "useless score" not in warning_of(app)


def test_weights_are_summed():
    population = simulate_population(
        np.random.default_rng(2), documents=20_000, prevalence=0.02, rated_share=0.03, names=("A", "B")
    )
    documents = population.rated()
    frame = pd.DataFrame(documents.scores, columns=["A", "B"])
    frame["rating"] = np.where(documents.labels, "fraud", "ok")
    frame["weight"] = np.where(documents.labels, 1.0, 2.5)
    app = uploaded(frame, m="15")
    thresholds, tp, fp = printed_point(app)
    alerts = frame[(frame["A"] >= thresholds[0]) | (frame["B"] >= thresholds[1])]
    assert tp == alerts.loc[alerts["rating"] == "fraud", "weight"].sum()
    assert fp == alerts.loc[alerts["rating"] == "ok", "weight"].sum()
    weighted = RatedDocuments.from_frame(frame, ["A", "B"], "rating", "fraud", "weight")
    point = operating_point(smooth_path(weighted), 0.15)
    assert (tp, fp) == (point.tp, pytest.approx(point.fp))


@pytest.mark.parametrize("name", ["Login alerts", "Card alerts", "Insurance claims", "Count table"])
def test_charts_are_described_and_unknown_rates_are_absent(name):
    app = opened(data=name, m="99.5")
    assert_unknown_rates_are_absent(app)
    shown = charts(app)
    names = paths_of(name)["graph"].names
    documents = name != "Count table"
    assert len(shown) == (2 if len(names) == 1 else 4) + documents * len(names)
    assert len({chart.id for chart in shown}) == len(shown)
    titles = [layout(chart)["title"]["text"] for chart in shown]
    assert len(set(titles)) == len(titles)
    for chart in shown:
        assert chart.alt.endswith(".")
        assert len(chart.alt) > 40
        drawn = layout(chart)
        axes = drawn.get("scene", drawn)
        for axis in ("xaxis", "yaxis", *(["zaxis"] if "scene" in drawn else [])):
            assert axes[axis]["title"]["text"]
        assert drawn["template"]


def test_variants_of_the_papers_methods_are_those_of_the_core():
    app = unfold(opened(m="30"), "methodologists")
    app.number_input(key="variant_buckets").set_value(7)
    app.number_input(key="variant_draws").set_value(3)
    app.number_input(key="variant_fp").set_value(150.0)
    run(app.button(key="FormSubmitter:variants-Compare").click())
    table = next(table.value for table in app.dataframe if "Variant" in table.value).set_index("Variant")
    documents = documents_of("Card alerts")
    surfaces = count_surfaces(documents, resolution=100, spacing="positives")
    paths = {
        "benchmark, 7 buckets": benchmark_path(surfaces, buckets=7),
        "mean graph, 3 draws": mean_graph_path(surfaces, np.random.default_rng(0), draws=3, documents=documents),
        "graph, area up to 150 FP": graph_path(surfaces, most_fp=150),
        "graph, whole area": graph_path(surfaces),
    }
    assert list(table.index) == list(paths)
    for name, path in paths.items():
        point = operating_point(path, 0.3)
        assert tuple(table.loc[name, ["TP", "FP"]]) == (point.tp, point.fp)
        assert table.loc[name, "Area up to FP"] == pytest.approx(path.area_up_to(150), abs=0.5)


def test_f_beta_is_that_of_core_or_absent():
    app = unfold(opened(), "methodologists")
    path = paths_of("Card alerts")["smooth"]
    (told,) = [element.value for element in app.caption if "Fβ" in element.value]
    assert f"β = {f_beta_of_point(operating_point(path, 0.2)):.2g}" in told
    for target in ("0.5", "99.5"):
        at_target(app, float(target))
        told = [element.value for element in app.caption if "Fβ" in element.value]
        assert bool(told) == (operating_point(path, float(target) / 100).status == "inside")


def assert_unknown_rates_are_absent(app):
    texts = [element.value for kind in ("markdown", "caption", "info", "warning", "title") for element in app.get(kind)]
    texts += [text for pair in metrics(app).items() for text in pair]
    texts += [str(column) for table in app.dataframe for column in table.value]
    texts += [chart.spec for chart in charts(app) if len(chart.spec) < 50_000] + [chart.alt for chart in charts(app)]
    assert not [text[:200] for text in texts if NUMBER_OF_WHAT_IS_UNKNOWN.search(text)]
    labels = [*metrics(app), *printed_rows(app), *methods_table(app)]
    assert not [label for label in labels if re.search(r"recall|rate\b|F1|FPR|FN|TN|accuracy", label, re.IGNORECASE)]


@pytest.mark.parametrize(("name", "rule"), [("bssr1_two_scores_rated", "any"), ("bssr1_four_scores_rated", "all")])
def test_real_rated_files_give_the_counts_of_a_count_by_hand(rated_folder, name, rule):
    told = json.loads((rated_folder / f"{name}.json").read_text())
    frame = pd.read_csv(rated_folder / f"{name}.csv")
    app = uploaded(frame, f"{name}.csv", m="30", rule=rule)
    assert not app.error
    assert app.get_by_key("rule").value == rule
    thresholds, tp, fp = printed_point(app)
    reached = frame[told["scores"]] >= thresholds
    flagged = reached.any(axis=1) if rule == "any" else reached.all(axis=1)
    assert (tp, fp) == ((flagged & (frame["genuine"] == 1)).sum(), (flagged & (frame["genuine"] == 0)).sum())
    assert tp > 0
    held = [f"{score} ≥ {value:g}" for score, value in list(zip(told["scores"], thresholds, strict=True))[2:]]
    said_held = [caption.value for caption in app.caption if "fixed in them" in caption.value]
    assert bool(held) == bool(said_held)
    assert all(words in said_held[0].replace("\\", "").replace("\N{NO-BREAK SPACE}", " ") for words in held)
