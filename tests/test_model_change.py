"""New scores in the place of those of a decision: volume, sets, bounds, what to rate."""

import functools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError, DecisionRecord, combined_score, operating_point, smooth_path
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import SET_MANUALLY, RecordedSettings, RecordedTarget, record_of, sql_where
from multiloss_core.model_change import model_change, record_of_change, rows_to_rate
from multiloss_core.tables import ColumnMeanings
from tests.combined.samples import rated
from tests.command_line.conftest import complaint, run

MEANINGS = (("fraud", "positive"), ("ok", "negative"))
NEW = {"old": "new"}
PAIRS, RATED = 300, 20


def population(seed, documents=20_000, prevalence=0.01):
    """Two noisy looks at one thing; of these documents the top 2 % by the old score are rated."""
    generator = np.random.default_rng(seed)
    labels = generator.random(documents) < prevalence
    risk = generator.normal(size=documents) + 2.2 * labels
    old, new = risk + 0.6 * generator.normal(size=documents), 3 * risk + 1.5 * generator.normal(size=documents)
    rating = np.where(old >= 2.1, np.where(labels, "fraud", "ok"), None)
    return pd.DataFrame({"old": old, "new": new, "rating": rating}), labels


def decided(frame, scores=("old",), floors=(2.1,), rule="any", target=0.2, **more):
    columns = ColumnMeanings(scores=scores, rating="rating", meanings=MEANINGS, floors=floors, **more)
    dataset = RatedDataset.from_frame(frame, columns)
    point = operating_point(smooth_path(dataset.documents, rule=rule), target)
    return record_of(point, dataset, RecordedSettings(rule, "smooth", "positives", 100))


@functools.cache
def record():
    return decided(population(0)[0])


@functools.cache
def by_hand():
    """The same without a target, whose fit to the new scores would take most of the time."""
    return replace(record(), target=RecordedTarget(SET_MANUALLY))


def flags(scores, thresholds, rule):
    reached = np.column_stack([column >= threshold for column, threshold in zip(scores, thresholds, strict=True)])
    return reached.any(axis=1) if rule == "any" else reached.all(axis=1)


@given(st.integers(0, 10_000), st.sampled_from(["any", "all"]), st.booleans(), st.sampled_from([4, 20, 1000]))
def test_volume_and_sets_are_those_of_a_search_over_all_factors(seed, rule, both_change, digits):
    generator = np.random.default_rng(seed)
    a, b, c, d = (np.floor(digits * generator.random(60)) / digits for _ in range(4))
    frame = pd.DataFrame(
        {"a": a, "b": b, "c": c, "d": d, "rating": np.where(generator.random(60) < 0.5, "fraud", "ok")}
    )
    frame.loc[:9, ["c", "rating"]] = [np.nan, None]
    made = decided(frame, ("a", "b"), (0.0, 0.0), rule)
    new_scores = {"a": "c", "b": "d"} if both_change else {"a": "c"}
    change = model_change(made, frame, new_scores)
    thresholds = made.threshold_array
    old = flags((a, b), thresholds, rule)
    new_columns = [frame[new_scores.get(name, name)].to_numpy() for name in ("a", "b")]
    assert change.new.tolist() == flags(new_columns, change.thresholds, rule).tolist()
    assert change.old.tolist() == old.tolist()
    # By counting: at each factor a score is reached where few enough rows are at or above it.
    reach = [(frame[name] >= threshold).sum() for name, threshold in zip("ab", thresholds, strict=True)]
    above = [np.array([(column >= value).sum() for value in column]) for column in new_columns]
    volumes = {0} if rule == "all" or both_change else {int((b >= thresholds[1]).sum())}
    for j, name in enumerate("ab"):
        if name in new_scores and reach[j]:
            for factor in (above[j] / reach[j])[~np.isnan(new_columns[j])]:
                each = [
                    ((above[i] <= factor * reach[i] + 1e-9) & ~np.isnan(new_columns[i]) & (reach[i] > 0))
                    if "ab"[i] in new_scores
                    else frame["ab"[i]].to_numpy() >= thresholds[i]
                    for i in range(2)
                ]
                volumes.add(int((each[0] | each[1] if rule == "any" else each[0] & each[1]).sum()))
    assert abs(change.alerts - old.sum()) == min(abs(volume - old.sum()) for volume in volumes)
    for one, members in (
        (change.both, old & change.new),
        (change.only_old, old & ~change.new),
        (change.only_new, change.new & ~old),
    ):
        words = frame["rating"][members]
        assert (one.alerts, one.positives, one.negatives, one.unrated) == (
            *(members.sum(), (words == "fraud").sum(), (words == "ok").sum(), words.isna().sum()),
        )


@pytest.mark.slow
def test_volume_of_new_data_lies_in_its_interval():
    inside = []
    for seed in range(PAIRS):
        change = model_change(by_hand(), population(1_000 + seed)[0], NEW)
        low, high = change.alerts_interval
        fresh = (population(5_000 + seed)[0]["new"] >= change.thresholds[0]).sum()
        inside.append(low <= fresh <= high)
    assert 0.93 <= np.mean(inside) <= 0.97


@pytest.mark.slow
def test_volume_of_customers_lies_in_its_interval():
    inside = []
    for seed in range(PAIRS):
        # Alerts of a customer come together: three to eight copies.
        def of_customers(frame, seed):
            copies = np.random.default_rng(seed).integers(3, 9, len(frame))
            each = frame.loc[frame.index.repeat(copies)].reset_index()
            return each.rename(columns={"index": "customer"})

        frame = of_customers(population(seed, documents=5_000)[0], seed)
        grouped = DecisionRecord.from_json(by_hand().to_json().replace('"group": null', '"group": "customer"'))
        change = model_change(grouped, frame, NEW)
        fresh = of_customers(population(9_000 + seed, documents=5_000)[0], 1_000 + seed)
        low, high = change.alerts_interval
        inside.append(low <= (fresh["new"] >= change.thresholds[0]).sum() <= high)
    assert 0.93 <= np.mean(inside) <= 0.98


@pytest.mark.slow
def test_bounds_hold_the_truth_and_so_do_intervals_after_rating():
    inside, narrower = [], []
    for seed in range(PAIRS):
        frame, labels = population(2_000 + seed, documents=100_000, prevalence=0.03)
        change = model_change(by_hand(), frame, NEW)
        low, high = change.precision_interval
        truth = labels[change.new].mean()
        assert low <= truth <= high
        first = change.to_rate[:RATED]
        frame.loc[first, "rating"] = np.where(labels[first], "fraud", "ok")
        after = model_change(by_hand(), frame, NEW)
        assert after.to_rate.tolist() == change.to_rate[RATED:].tolist()
        low, high = after.precision_interval
        inside.append(low <= truth <= high)
        narrower.append((high - low) < np.subtract(*change.precision_interval[::-1]))
    assert 0.93 <= np.mean(inside) <= 0.98
    assert all(narrower)


def test_the_stated_number_of_ratings_is_enough():
    for seed in range(20):
        frame, labels = population(seed, documents=100_000)
        change = model_change(by_hand(), frame, NEW)
        for width in (0.3, 0.1):
            needed = change.ratings_for(width)
            first = change.to_rate[:needed]
            more = frame.copy()
            more.loc[first, "rating"] = np.where(labels[first], "fraud", "ok")
            swapped = model_change(by_hand(), more, NEW).only_new
            assert np.subtract(*swapped.interval[::-1]) <= width * swapped.alerts * (1 + 1e-9)
    assert change.ratings_for(1.0) == 0
    nothing_known = model_change(record(), frame.assign(rating=None), NEW)
    assert nothing_known.ratings_for(0.2) is None


def test_marginal_precision_is_that_of_the_rated_rows():
    frame, _ = population(3, documents=200_000)
    change = model_change(record(), frame, NEW)
    known = frame[frame["rating"].notna()]
    columns = ColumnMeanings(scores=("new",), rating="rating", meanings=MEANINGS, floors=(known["new"].min(),))
    documents = RatedDataset.from_frame(known.reset_index(drop=True), columns).documents
    expected = operating_point(smooth_path(documents), 0.2).thresholds[0]
    found = change.at_marginal_precision[0]
    flagged = [(known["new"] >= threshold).sum() for threshold in (expected, found)]
    assert flagged[1] == pytest.approx(flagged[0], rel=0.15)


def test_a_decision_of_the_new_scores_flags_the_same_rows():
    frame, _ = population(4)
    change = model_change(record(), frame, NEW)
    made = record_of_change(record(), change, frame, name="march", author="Ann", reason="retrained")
    assert made.flags(frame).tolist() == change.new.tolist()
    assert DecisionRecord.from_json(made.to_json()).columns.scores == ("new",)
    assert (made.expected.tp, made.expected.fp) == (
        change.both.positives + change.only_new.positives,
        change.both.negatives + change.only_new.negatives,
    )
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("alerts", frame)
    found = connection.execute(f"SELECT new FROM alerts {sql_where(made)}").fetchall()
    assert sorted(found) == sorted((value,) for value in frame["new"][change.new])


def test_inverted_scores_weights_and_alert_rules():
    frame, _ = population(5)
    frame["trust"] = -frame["new"]
    assert model_change(record(), frame, {"old": "minus trust"}).new.tolist() == (
        model_change(record(), frame, NEW).new.tolist()
    )
    frame["rule"] = (np.arange(len(frame)) % 500 == 0).astype(int)
    frame["copies"] = 2
    frame.loc[::500, "rating"] = "fraud"
    made = decided(frame, alert_rules=("rule",), weight="copies")
    change = model_change(made, frame, NEW)
    assert change.alerts == 2 * change.new.sum()
    assert change.new[::500].all()
    assert change.alerts == pytest.approx(change.wanted, abs=2)


def test_a_combined_score_is_replaced_as_one():
    documents = rated(0, floor=1.5)
    ratings = np.where(documents.labels, "fraud", "ok")
    frame = pd.DataFrame({"a": documents.scores[:, 0], "b": documents.scores[:, 1], "rating": ratings})
    columns = ColumnMeanings(scores=("a", "b"), rating="rating", meanings=MEANINGS, floors=(1.5, 1.5))
    formula = combined_score(RatedDataset.from_frame(frame, columns).documents).formula
    made = decided(frame, ("a", "b"), (1.5, 1.5), combined=formula)
    frame["one"] = formula.apply(frame[["a", "b"]]) ** 2
    change = model_change(made, frame, {"combined score": "one"})
    assert change.new.tolist() == made.flags(frame).tolist()
    with pytest.raises(DataError, match="combined score"):
        model_change(made, frame, {"a": "one"})


def test_a_later_table_without_old_scores_needs_a_number():
    frame, _ = population(6)
    later = frame.drop(columns="old")
    with pytest.raises(DataError, match="give that number"):
        model_change(record(), later, NEW)
    change = model_change(record(), later, NEW, alerts=150)
    assert change.new.sum() == change.alerts == 150
    assert change.old is None
    assert "150 alerts" in change.words


@pytest.mark.parametrize(
    ("new_scores", "change", "words"),
    [
        ({"old": "nowhere"}, {}, "no column 'nowhere'"),
        ({"other": "new"}, {}, "no score of the decision"),
        ({}, {}, "No new score"),
        ({"old": "words"}, {}, "words"),
        (NEW, {"rating": "qzx"}, "qzx"),
    ],
)
def test_wrong_input_is_one_sentence(new_scores, change, words):
    frame, _ = population(7, documents=2_000)
    with pytest.raises(DataError, match=words):
        model_change(record(), frame.assign(words="text", **change), new_scores)


def test_nothing_to_flag_is_never():
    frame, _ = population(8, documents=2_000)
    change = model_change(record(), frame, NEW, alerts=0)
    assert change.thresholds.tolist() == [np.inf]
    assert not change.new.any()
    assert change.alerts_interval == (0.0, 0.0)
    assert change.words


@pytest.mark.parametrize("source", ["file.csv", "file.parquet"])
def test_the_command_prints_sets_and_writes_files(tmp_path, source):
    frame, _ = population(0)
    (tmp_path / "record.json").write_text(record().to_json())
    getattr(frame, "to_csv" if source.endswith("csv") else "to_parquet")(tmp_path / source, index=False)
    files = ("--to-rate", tmp_path / "rate.csv", "--output", tmp_path / "made")
    result = run("change", tmp_path / "record.json", tmp_path / source, "--new", "old=new", *files)
    assert result.exit_code == 0, result.output
    change = model_change(record(), frame, NEW)
    assert change.words in result.stdout
    assert pd.read_csv(tmp_path / "rate.csv")["new"].tolist() == pytest.approx(frame["new"][change.to_rate].tolist())
    made = DecisionRecord.from_json(next((tmp_path / "made").glob("decision-*[0-9a-f].json")).read_bytes())
    assert made.flags(frame).tolist() == change.new.tolist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--new", "old"), "NAME=VALUE"),
        (("--new", "old=nowhere"), "no column 'nowhere'"),
        (("--new", "old=new", "--since", "2026-01-01"), "--time"),
    ],
)
def test_wrong_options_are_one_sentence(tmp_path, options, words):
    frame, _ = population(0, documents=2_000)
    (tmp_path / "record.json").write_text(record().to_json())
    frame.to_csv(tmp_path / "file.csv", index=False)
    assert words in complaint(run("change", tmp_path / "record.json", tmp_path / "file.csv", *options))


def test_rows_to_rate_keep_their_columns():
    frame, _ = population(9)
    change = model_change(record(), frame, NEW)
    first, *_ = rows_to_rate(change, frame.assign(place="Berne")).splitlines()
    assert first.split(",") == ["place", *frame.columns]
    assert len(change.to_rate)
