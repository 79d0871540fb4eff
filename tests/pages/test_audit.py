"""Walk the page Audit from a file to recall, against the simulated truth and the core."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DecisionRecord, flagged, simulate_population
from multiloss_core.audit import Audit, drawn_frame, plan_json, with_plan
from multiloss_core.datasets import simulated_documents, source_key
from tests.pages.steps import number, opened, run, saved_record, state


@pytest.fixture(scope="module")
def everything():
    """All documents of a small population with their ratings and a key."""
    found = simulate_population(
        np.random.default_rng(4), documents=40_000, prevalence=0.01, classifiers=2, strength=2.5, rated_share=0.02
    )
    frame = pd.DataFrame(found.scores, columns=["card score", "device score"]).round(4)
    frame["verdict"] = np.where(found.labels, "fraud", "ok")
    frame["id"] = np.arange(len(frame))
    return frame, np.round(found.floors, 4)


@pytest.fixture(scope="module")
def rated(everything):
    frame, floors = everything
    return frame[flagged(frame[["card score", "device score"]].to_numpy(), floors, "any")]


def as_csv(frame):
    return frame.to_csv(index=False).encode()


@pytest.fixture
def app(rated):
    app = opened("rated_data")
    run(app.file_uploader(key="upload").set_value(("alerts.csv", as_csv(rated), "text/csv")))
    app.switch_page("pages/audit.py")
    run(app)
    assert not app.error, [one.value for one in app.error]
    return run(app.button(key="audit_start").click())


def give(app, key, name, content):
    """Give a file to the uploader of that kind, whose key names the data as well."""
    (uploader,) = (one for one in app.file_uploader if one.key.startswith(key))
    return run(uploader.set_value((name, content, "application/json" if name.endswith("json") else "text/csv")))


def planned(app, everything):
    give(app, "audit_population", "all.csv", as_csv(everything[0]))
    assert not app.error, [one.value for one in app.error]
    return next(iter(state(app).audits.values())).plan


def test_from_a_file_to_recall(app, everything):
    frame, _ = everything
    plan = planned(app, everything)
    assert plan.budget == 800
    assert plan.sizes.sum() + len(state(app).rated.sources["alerts.csv"].frame) == len(frame)
    run(app.selectbox(key="audit_key").set_value("id"))
    assert any("row_number()" in code.value for code in app.code)
    rows = drawn_frame(plan, frame, "id")
    give(app, "audit_rows", "rated.csv", as_csv(rows))
    assert not app.error, [one.value for one in app.error]
    kept = next(iter(state(app).audits.values()))
    by_hand = Audit.from_frame(rows, plan, "verdict", positive="fraud")
    assert kept.audit.positives.tolist() == by_hand.positives.tolist()
    sentence = next(text.value for text in app.markdown if text.value.startswith("#### Between"))
    low, high = (int(word) for word in (sentence.split()[2], sentence.split()[4]))
    shown = next(table.value for table in app.dataframe if "Recall" in table.value.iloc[:, 0].tolist())
    recall = shown.iloc[0, 1:].to_numpy(dtype=float) / 100
    assert (low, high) == (math.floor(100 * recall[1]), math.ceil(100 * recall[2]))

    both = run(app.button(key="audit_open").click())
    joined = state(both).rated.sources["alerts-and-audit.csv"]
    assert len(joined.frame) == len(rows) + len(state(app).rated.sources["alerts.csv"].frame)
    assert joined.frame["weight"].sum() == pytest.approx(len(frame))
    run(app.switch_page("pages/audit.py"))
    run(app.selectbox(key="data").set_value("alerts.csv"))

    # The operating point and its record state the same.
    run(app.switch_page("pages/operating_point.py"))
    words = next(box.value for box in app.info if "Recall" in box.value)
    assert number(words.split("**")[1].split()[1].replace("\N{NO-BREAK SPACE}%", "")) == pytest.approx(
        100 * recall[0], abs=0.06
    )
    record = saved_record(app)
    assert record.audit.recall.estimate == pytest.approx(recall[0], abs=5e-4)
    assert DecisionRecord.from_json(record.to_json()) == record
    flags = record.flags(frame)
    truth = (frame["verdict"][flags] == "fraud").sum() / (frame["verdict"] == "fraud").sum()
    assert record.audit.recall.low <= truth <= record.audit.recall.high


def test_numbers_by_hand_and_a_width(app):
    run(app.segmented_control(key="audit_place").set_value("Numbers by hand"))
    assert any("Type how many" in box.value for box in app.info)
    assert "SELECT audit_stratum" in app.code[0].value
    source = state(app).rated.sources["alerts.csv"]
    key = f"audit_by_hand_{source_key(source.fingerprint, source.first_choice)[:12]}_4_False"
    app.session_state[key] = {
        "edited_rows": {row: {"Documents": size} for row, size in enumerate((500, 2_000, 7_000, 30_000))},
        "added_rows": [],
        "deleted_rows": [],
    }
    run(app)
    assert not app.error, [one.value for one in app.error]
    run(app.segmented_control(key="audit_by").set_value("Width of recall's interval"))
    assert not app.error, [one.value for one in app.error]
    plan = next(iter(state(app).audits.values())).plan
    assert plan.sizes.tolist() == [500, 2_000, 7_000, 30_000]
    assert plan.width <= 0.25
    assert any("row_number()" in code.value for code in app.code)


def test_problems_get_one_sentence(app, everything):
    frame, _ = everything
    give(app, "audit_population", "all.csv", as_csv(frame.drop(columns="device score")))
    assert "no column 'device score'" in app.error[0].value
    plan = planned(app, everything)
    rows = drawn_frame(plan, frame, "id")
    twice = pd.concat([rows, rows.iloc[:1]])
    give(app, "audit_rows", "twice.csv", as_csv(twice))
    run(app.selectbox(key="audit_rows_key").set_value("id"))
    assert "repeats a document" in app.error[0].value
    without = rows[rows["audit_stratum"] != 1]
    give(app, "audit_rows", "fewer.csv", as_csv(without))
    assert "no rating in stratum 1" in app.error[0].value
    give(app, "audit_plan", "plan.json", b"{}")
    assert any("no plan of an audit" in one.value for one in app.error)
    run(app.switch_page("pages/operating_point.py"))
    assert not any("**Recall" in box.value for box in app.info)


def test_audit_without_fraud_is_read(app, everything):
    frame, _ = everything
    rows = drawn_frame(planned(app, everything), frame, "id").assign(verdict="ok")
    give(app, "audit_rows", "rated.csv", as_csv(rows))
    assert not app.error, [one.value for one in app.error]
    (kept,) = state(app).audits.values()
    assert kept.audit.positives.sum() == 0
    # Another column asks which word means fraud, and offers the one of the alerts.
    other = rows.rename(columns={"verdict": "second look"})
    give(app, "audit_rows", "other.csv", as_csv(other))
    run(app.selectbox(key="audit_label").set_value("second look"))
    (asked,) = (box for box in app.selectbox if box.key.startswith("audit_positive"))
    assert asked.options == ["fraud", "ok"]


def test_an_audit_is_removed_and_keeps_its_plan(app, everything):
    frame, _ = everything
    plan = planned(app, everything)
    give(app, "audit_rows", "rated.csv", as_csv(drawn_frame(plan, frame, "id")))
    # Another budget makes another plan; what was read with its own stays.
    run(app.number_input(key="audit_budget").set_value(1_200))
    assert not app.error, [one.value for one in app.error]
    assert any(text.value.startswith("#### Between") for text in app.markdown)
    run(app.button(key="audit_remove").click())
    assert not any(text.value.startswith("#### Between") for text in app.markdown)
    give(app, "audit_rows", "again.csv", as_csv(drawn_frame(plan, frame, "id")))
    assert "give the plan that was saved" in app.error[0].value
    give(app, "audit_plan", "plan.json", plan_json(plan).encode())
    assert any(text.value.startswith("#### Between") for text in app.markdown)


def test_a_link_brings_the_audit_back(app, everything):
    plan = planned(app, everything)
    rows = drawn_frame(plan, everything[0], "id")
    give(app, "audit_rows", "rated.csv", as_csv(rows))
    kept = next(iter(state(app).audits.values()))
    link = {name: text for name, text in app.query_params.items() if name == "data_file"}
    other = opened("audit", **{name: text[0] if isinstance(text, list) else text for name, text in link.items()})
    assert not other.error, [one.value for one in other.error]
    found = next(iter(state(other).audits.values()))
    assert found.audit.positives.tolist() == kept.audit.positives.tolist()
    assert plan_json(found.plan) == plan_json(plan)
    sentences = [next(one.value for one in each.markdown if one.value.startswith("#### ")) for each in (app, other)]
    assert sentences[0] == sentences[1]
    run(other.button(key="audit_remove").click())
    again = opened("audit", **{name: text[0] if isinstance(text, list) else text for name, text in link.items()})
    assert next(iter(state(again).audits.values())).audit is None
    assert next(iter(state(again).audits.values())).plan is not None


def test_strata_counted_in_a_sample(app, everything):
    frame, _ = everything
    sample = frame.iloc[::4]
    give(app, "audit_population", "sample.csv", as_csv(sample))
    run(app.number_input(key=f"audit_total_{len(sample)}").set_value(len(frame)))
    assert any("draw from this sample" in text.value for text in app.caption)
    (kept,) = state(app).audits.values()
    below = kept.plan.strata.sizes(sample[["card score", "device score"]].to_numpy())
    assert kept.plan.counted_from == below.sum()
    assert kept.plan.sizes.tolist() == (4 * below).tolist()
    # A draw from all documents counts the strata; one from the sample leaves them uncertain.
    for name, documents in (("all.csv", frame), ("some.csv", sample)):
        give(app, "audit_rows", name, as_csv(drawn_frame(kept.plan, documents, "id")))
        assert not app.error, [one.value for one in app.error]
        (found,) = state(app).audits.values()
        assert found.audit.counted_from == (None if name == "all.csv" else below.sum())
    assert any("Drawn from a sample of" in text.value for text in app.caption)


def test_second_ratings_change_the_figures(app, everything):
    frame, _ = everything
    plan = planned(app, everything)
    rows = drawn_frame(plan, frame, "id")
    give(app, "audit_rows", "rated.csv", as_csv(rows))

    def second_ratings():
        return next(table.value for table in app.dataframe if "Stands for" in table.value)

    shown = second_ratings()
    positives = rows[rows["verdict"] == "fraud"].sort_values("audit_probability")
    assert shown["Key"].iloc[0] == str(positives["id"].iloc[0])
    assert sorted(shown["Key"]) == sorted(positives["id"].astype(str))
    assert shown["Stands for"].iloc[0] == pytest.approx(1 / positives["audit_probability"].iloc[0], abs=0.5)
    kept = next(iter(state(app).audits.values()))

    def missed():
        words = next(text.value for text in app.markdown if text.value.startswith("Missed positives below"))
        return number(words.split("about ")[1].split(",")[0])

    before = missed()
    app.session_state[f"audit_second_{hash(kept.answers)}"] = {
        "edited_rows": {0: {"Not fraud": True}},
        "added_rows": [],
        "deleted_rows": [],
    }
    run(app)
    assert not app.error, [one.value for one in app.error]
    assert next(iter(state(app).audits.values())).refuted == (shown["Key"].iloc[0],)
    assert before - missed() == pytest.approx(shown["Stands for"].iloc[0], abs=1)
    # The browser would discard the edits of other rows, and send that after a click on another page.
    assert second_ratings().equals(shown)
    # The answer stays on another page and back.
    run(app.switch_page("pages/operating_point.py"))
    assert any("Recall" in box.value for box in app.info)
    run(app.switch_page("pages/audit.py"))
    table = second_ratings()
    assert table["Not fraud"].tolist() == [True] + [False] * (len(table) - 1)


def test_rated_rows_bring_their_plan(app, everything):
    plan = planned(app, everything)
    rows = with_plan(drawn_frame(plan, everything[0], "id"), plan)
    link = {name: text for name, text in app.query_params.items() if name == "data_file"}
    run(app.button(key="audit_read").click())
    other = opened("audit", **{name: text[0] if isinstance(text, list) else text for name, text in link.items()})
    state(other).audits.clear()
    run(other.button(key="audit_read").click())
    give(other, "audit_rows", "rated.csv", as_csv(rows))
    assert not other.error, [one.value for one in other.error]
    (kept,) = state(other).audits.values()
    assert kept.audit.positives.tolist() == Audit.from_frame(rows, plan, "verdict", positive="fraud").positives.tolist()


def test_a_sample_is_audited_with_its_simulated_truth():
    app = opened("audit", data="Login alerts")
    run(app.button(key="audit_start").click())
    run(app.button(key="audit_rate").click())
    assert not app.error, [one.value for one in app.error]
    (kept,) = state(app).audits.values()
    assert kept.audit.rated.sum() == 800
    recall = next(table.value for table in app.dataframe if "Recall" in table.value.iloc[:, 0].tolist()).iloc[0, 1:]
    documents = simulated_documents("Login alerts")
    (threshold,) = (
        float(found) for one in app.markdown for found in re.findall(r"login model ≥ ([\d.]+\d)", one.value)
    )
    caught = (documents["rating"] == "fraud") & (documents["login model"] >= threshold)
    assert recall.iloc[1] <= 100 * caught.sum() / (documents["rating"] == "fraud").sum() <= recall.iloc[2]
