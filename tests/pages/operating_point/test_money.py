"""Money on the operating-point page against plain pandas and against the core run by hand."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from multiloss_core import (
    DecisionRecord,
    RatedDocuments,
    analytic_path,
    benchmark_path,
    count_surfaces,
    graph_path,
    mean_graph_path,
    operating_point,
    smooth_path,
)
from multiloss_core.formatting import money
from multiloss_core.thresholds import money_at, money_weighted
from tests.pages.rated_data.steps import say_no_other_alerts, use, used_as
from tests.pages.steps import explorer, goal_called, opened, run, saved_record, state, unfold
from ui.data.rated import sample

RULES = ("any", "all")
SCORES = ["transaction model", "account model"]


@cache
def rated():
    """The sample's documents and amounts, read by pandas alone."""
    source = sample("Card alerts")
    frame = source.frame[source.frame["rating"].notna()]
    floors = source.first_choice.floors
    frame = frame[(frame[SCORES] >= list(floors)).any(axis=1)]
    documents = RatedDocuments(frame[SCORES], frame["rating"] == "fraud", names=SCORES, floors=floors)
    return frame, documents, frame["amount"].to_numpy()


def sums_by_pandas(thresholds, rule):
    """Money and documents, each in fraud and in false alerts."""
    frame, _, _ = rated()
    reached = frame[SCORES] >= thresholds
    groups = frame[reached.any(axis=1) if rule == "any" else reached.all(axis=1)].groupby("rating")["amount"]
    return [[summed.get(rating, 0) for rating in ("fraud", "ok")] for summed in (groups.sum(), groups.size())]


def undecided_by_pandas(thresholds, rule):
    """How many flagged documents have no rating."""
    frame = sample("Card alerts").frame
    reached = frame.loc[frame["rating"].isna(), SCORES] >= thresholds
    return int((reached.any(axis=1) if rule == "any" else reached.all(axis=1)).sum())


def row_of(app):
    table = explorer(app)["table"]
    return table["rows"][table["percents"].index(state(app).point.goals.percent)]


def numbers_of(words):
    return {label: value.replace("\N{NO-BREAK SPACE}", " ") for label, value in [*words["counts"], *words["rates"]]}


def thresholds_of(words):
    return [float(value.removeprefix("≥ ").replace("never", "inf")) for _, value in words["thresholds"]]


def methods_table(app):
    unfold(app, "methodologists")
    return next(table.value for table in app.dataframe if "Method" in table.value).set_index("Method")


class TestMoneyBesideCounts:
    @pytest.mark.parametrize("rule", RULES)
    def test_every_target_equals_pandas(self, rule):
        app = opened(data="Card alerts", rule=rule)
        frame, documents, amounts = rated()
        whole = frame.loc[frame["rating"] == "fraud", "amount"].sum()
        rows = explorer(app)["table"]["rows"]
        assert len(rows) > 190
        for row in rows:
            thresholds, numbers = thresholds_of(row["words"]), numbers_of(row["words"])
            (caught, annoyed), (tp, fp) = sums_by_pandas(thresholds, rule)
            assert numbers["Caught (TP)"] == f"{tp:,}"
            assert numbers["False alerts (FP)"] == f"{fp:,}"
            undecided = undecided_by_pandas(thresholds, rule)
            assert numbers["Alerts"] == f"{tp + fp + undecided:,}"
            assert numbers["of them undecided"] == f"{undecided:,}"
            counts = money_at(documents, amounts, np.array([thresholds]), rule)
            core = counts.tp, counts.fp
            np.testing.assert_allclose(np.ravel(core), [caught, annoyed])
            assert [numbers["Money caught"], numbers["Money in false alerts"]] == [money(value[0]) for value in core]
            assert numbers["Money flagged"] == money(core[0][0] + core[1][0])
            kept, base = numbers["Rated fraud money kept"].split(" % of ")
            assert (float(kept), base) == (pytest.approx(100 * caught / whole, abs=0.06), money(whole))
            if tp + fp >= 100:
                share = float(numbers["Fraud in the money flagged"].removesuffix(" %"))
                assert share == pytest.approx(100 * caught / (caught + annoyed), abs=0.06)

    @pytest.mark.parametrize("data", ["Login alerts", "Count table"])
    def test_data_without_amounts_show_none_of_it(self, data):
        app = opened(data=data, count="money")
        assert "money" not in json.dumps(explorer(app)["table"]).lower()
        assert "money" not in explorer(app)["question"]
        assert not [choice for choice in app.button_group if choice.key == "count"]
        assert len(row_of(app)["words"]["counts"]) == 2


class TestCountedInMoney:
    @pytest.mark.parametrize("rule", RULES)
    def test_paths_and_points_are_those_of_weighted_documents(self, rule):
        _, documents, amounts = rated()
        weighted = money_weighted(documents, amounts)
        np.testing.assert_allclose(weighted.weights, amounts)
        surfaces = count_surfaces(weighted, rule=rule, resolution=100, spacing="positives")
        paths = {
            "smooth": smooth_path(weighted, rule=rule),
            "graph": graph_path(surfaces),
            "mean graph": mean_graph_path(surfaces, np.random.default_rng(0), documents=weighted),
            "analytic power": analytic_path(weighted, family="power", rule=rule),
            "analytic beta": analytic_path(weighted, family="beta", rule=rule),
            "benchmark": benchmark_path(surfaces),
        }
        app = opened(data="Card alerts", rule=rule, count="money")
        assert app.button_group(key="count").value == "money"
        for percent in (12, 75):
            app.query_params["m"] = f"{percent}"
            run(app)
            table = methods_table(app)
            for method, path in paths.items():
                point = operating_point(path, percent / 100)
                row = table.loc[method]
                assert money(row["Money caught (TP)"]) == money(point.tp)
                assert money(row["Money in false alerts (FP)"]) == money(point.fp)
                thresholds = [float(str(row[f"{name} ≥"]).replace("never", "inf")) for name in SCORES]
                (caught, annoyed), (tp, fp) = sums_by_pandas(thresholds, rule)
                np.testing.assert_allclose([point.tp, point.fp], [caught, annoyed])
                undecided = undecided_by_pandas(thresholds, rule)
                assert (row["Alerts"], row["Undecided"]) == (tp + fp + undecided, undecided)
            words = row_of(app)["words"]
            numbers = numbers_of(words)
            (caught, annoyed), (tp, fp) = sums_by_pandas(thresholds_of(words), rule)
            undecided = undecided_by_pandas(thresholds_of(words), rule)
            assert numbers["Money caught (TP)"] == money(caught)
            assert numbers["Money in false alerts (FP)"] == money(annoyed)
            documents = ("Caught", "False alerts", "Alerts", "of them undecided")
            counted = (tp, fp, tp + fp + undecided, undecided)
            assert [numbers[label] for label in documents] == [f"{value:,}" for value in counted]

    @pytest.mark.parametrize(
        ("goal", "label", "wished"),
        [
            ("a cap on alerts", "Money flagged per day", "alerts per day in money"),
            (
                "a share of positives to keep",
                "Rated fraud money to keep",
                "rated positives to keep in percent in money",
            ),
        ],
    )
    def test_goal_values_are_money_on_screen_and_in_the_record(self, goal, label, wished):
        query = {"goal_alerts": "20000"} if goal == "a cap on alerts" else {}
        app = opened(data="Card alerts", count="money", goal=goal_called(goal), **query)
        box = next(box for box in app.number_input if box.key.startswith("goal_"))
        assert box.label.startswith(label)
        assert not app.error
        made = saved_record(app)
        goal_values = {goal.name: goal.value for goal in made.target.goal_values}
        assert goal_values[wished] == box.value
        choices = restore_choices(made.target)
        assert float(choices[box.key]) == box.value

    def test_record_holds_the_unit_and_reopens_in_it(self):
        app = opened(data="Card alerts", count="money", m="42")
        point = row_of(app)["words"]
        made = saved_record(app)
        assert made.settings.amount == "amount"
        assert DecisionRecord.from_json(made.to_json()) == made
        caught, annoyed = sums_by_pandas(thresholds_of(point), "any")[0]
        assert (made.expected.tp, made.expected.fp) == pytest.approx((caught, annoyed))

        run(app.button_group(key="count").set_value("documents"))
        app = run(app.switch_page("pages/decisions.py"))
        assert "money" in " ".join(metric.label for metric in app.metric).casefold()
        run(next(button for button in app.button if button.label == "Open on the operating point").click())
        assert app.button_group(key="count").value == "money"
        assert row_of(app)["words"]["thresholds"] == point["thresholds"]


def restore_choices(target):
    """Return the choices that a record's target restores."""

    def page():
        import streamlit as st

        from ui.operating_point.active_goal import goal_choices

        st.session_state["found"] = goal_choices(st.session_state["target_of_record"], same_data=True)

    app = AppTest.from_function(page)
    app.session_state["target_of_record"] = target
    return run(app).session_state["found"]


class TestUploads:
    @staticmethod
    def frame(amount="amount"):
        generator = np.random.default_rng(5)
        n = 400
        score = generator.random(n)
        return pd.DataFrame(
            {
                "model a": score.round(3),
                "model b": generator.random(n).round(3),
                "rating": np.where(generator.random(n) < score**2, "fraud", "ok"),
                amount: np.where(np.arange(n) % 10 == 0, 0.0, generator.lognormal(3, 1, n).round(2)),
            }
        )

    @staticmethod
    def upload(app, frame, name="mine.csv"):
        app.file_uploader(key="upload").upload(name, frame.to_csv(index=False).encode(), "text/csv")
        return say_no_other_alerts(run(app))

    def test_documents_of_amount_zero_are_counted_as_left_out(self):
        app = self.upload(opened("rated_data"), self.frame())
        run(app.switch_page("pages/operating_point.py"))
        run(app.button_group(key="count").set_value("money"))
        assert any("40 documents of amount 0 count for nothing" in caption.value for caption in app.caption)
        # All fraud money can be reached: no score has to agree with another.
        assert "Can be kept when every score must agree" not in numbers_of(row_of(app)["words"])
        # They are flagged all the same.
        words = row_of(app)["words"]
        frame = self.frame()
        alerts = (frame[["model a", "model b"]] >= thresholds_of(words)).any(axis=1).sum()
        assert numbers_of(words)["Alerts"] == f"{alerts}"

    def test_an_unusable_amount_names_the_row_and_nothing_is_lost(self):
        frame = self.frame()
        frame.loc[249, "amount"] = -7.5
        app = self.upload(opened("rated_data"), frame)
        assert not app.error
        # It is not chosen as the amount, and its error is shown.
        assert "amount" not in used_as(app, "amount")
        use(app, "amount", "amount")
        (error,) = app.error
        assert "Column 'amount' has values that are not numbers of at least 0" in error.value
        assert "row 250" in error.value
        assert "choose no amount column" in error.value
        run(app.button(key="confirm_columns").click())
        run(app.switch_page("pages/operating_point.py"))
        run(app.selectbox(key="data").set_value("mine.csv"))
        assert numbers_of(row_of(app)["words"])["Alerts"] != "0"
        assert len(row_of(app)["words"]["counts"]) == 2
        assert not app.error

    def test_money_in_one_class_only_is_one_error(self):
        frame = self.frame()
        frame.loc[frame["rating"] == "fraud", "amount"] = 0.0
        app = self.upload(opened("rated_data"), frame)
        run(app.switch_page("pages/operating_point.py"))
        run(app.button_group(key="count").set_value("money"))
        (error,) = app.error
        assert "rated positives have the amount 0" in error.value
        run(app.button_group(key="count").set_value("documents"))
        assert not app.error
        assert numbers_of(row_of(app)["words"])["Money caught"] == "0"
