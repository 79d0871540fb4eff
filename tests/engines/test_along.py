"""Compare counts along a path with counts of the documents."""

from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments, smooth_path
from multiloss_core.engines import RatedColumns, count_along
from multiloss_core.engines.backends.duckdb_engine import DuckDBEngine
from multiloss_core.engines.counting import (
    count_documents,
    daily_alerts_along,
    group_parts_along,
    segment_counts_along,
    weekly_counts_along,
)
from multiloss_core.generalisation import bootstrap_points
from multiloss_core.generalisation.bootstrap import _units_and_design_effects
from multiloss_core.inspection import calendar, daily_alerts, segment_counts, segmentation, weekly_counts
from multiloss_core.thresholds import SMOOTH, PathSearch


def frame_of(rows=3000, seed=0):
    generator = np.random.default_rng(seed)
    fraud = generator.random(rows) < 0.3
    return pd.DataFrame(
        {
            "a": generator.normal(size=rows) + fraud,
            "b": generator.normal(size=rows) + fraud,
            "rating": np.where(fraud, "fraud", "ok"),
            "weight": generator.integers(1, 9, rows) / 4,
            "seen": pd.Timestamp("2026-01-07") + pd.to_timedelta(generator.integers(0, 60 * 86400, rows), unit="s"),
            "country": generator.choice(["AT", "DE", None], rows),
        }
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("along")
    frame_of().to_parquet(folder / "alerts.parquet", index=False)
    found = DuckDBEngine(folder)
    yield found
    found.close()


COLUMNS = RatedColumns(
    scores=("a", "b"),
    rating="rating",
    positive=("fraud",),
    negative=("ok",),
    floors=(-1.0, -1.0),
    weight="weight",
    time="seen",
    segment="country",
)


@pytest.fixture(scope="module")
def documents():
    return RatedDocuments.from_frame(
        frame_of(), ["a", "b"], "rating", positive="fraud", weight="weight", floors=[-1.0, -1.0]
    )


@pytest.mark.parametrize("rule", ["any", "all"])
def test_days_weeks_and_segments_are_those_of_the_documents(engine, documents, rule):
    counts = count_documents(engine, "alerts.parquet", COLUMNS, rule=rule)
    path = smooth_path(counts, rule=rule)
    by_day = count_along(engine, "alerts.parquet", COLUMNS, path.thresholds, rule, "day")
    by_segment = count_along(engine, "alerts.parquet", COLUMNS, path.thresholds, rule, "segment")
    frame = frame_of()
    days = calendar(frame["seen"].to_numpy()[documents.rows])
    known = segmentation(frame["country"].fillna("(blank)").to_numpy(dtype=object)[documents.rows])
    for vertex in np.linspace(0, len(path.thresholds) - 1, 7).astype(int):
        thresholds = path.thresholds[vertex]
        assert tuple(path.counts.at(vertex) if hasattr(path, "counts") else (path.tp[vertex], path.fp[vertex])) == (
            tuple(documents.counts_at(thresholds, rule))
        )
        np.testing.assert_array_equal(
            daily_alerts_along(by_day, vertex).alerts, daily_alerts(documents, days, thresholds, rule).alerts
        )
        found, expected = weekly_counts_along(by_day, vertex), weekly_counts(documents, days, thresholds, rule)
        for name in ("tp", "fp", "mondays", "complete", "intervals", "squares", "undecided", "all_squares"):
            np.testing.assert_allclose(
                np.asarray(getattr(found, name), dtype=float),
                np.asarray(getattr(expected, name), dtype=float),
                rtol=1e-12,
                err_msg=name,
            )
        assert segment_counts_along(by_segment, vertex) == segment_counts(documents, known, thresholds, rule)


class TestGroups:
    """Five alerts of each customer, alike in scores and ratings."""

    COLUMNS = RatedColumns(
        scores=("a", "b"), rating="rating", positive=("fraud",), negative=("ok",), floors=(0.0, 0.0), group="customer"
    )

    @staticmethod
    def customers(seed=0, customers=3000):
        generator = np.random.default_rng(seed)
        fraud = generator.random(customers) < 0.3
        scores = generator.normal(size=(customers, 2)) + 1.5 * fraud[:, np.newaxis]
        same = np.repeat(np.arange(customers), 5)
        scores = scores[same] + generator.normal(scale=0.3, size=(len(same), 2))
        own = np.where(generator.random(len(same)) < 0.8, fraud[same], generator.random(len(same)) < 0.3)
        frame = pd.DataFrame(
            {"a": scores[:, 0], "b": scores[:, 1], "rating": np.where(own, "fraud", "ok"), "customer": same}
        )
        return frame[(frame[["a", "b"]] > 0).any(axis=1)].reset_index(drop=True)

    @pytest.fixture
    def asked(self, tmp_path):
        """Return documents, and a function that counts them along a path by customers."""
        frame = self.customers()
        frame.to_parquet(tmp_path / "alerts.parquet", index=False)
        engine = DuckDBEngine(tmp_path)
        documents = RatedDocuments.from_frame(
            frame, ["a", "b"], "rating", positive="fraud", floors=[0.0, 0.0], group="customer"
        )
        counts = count_documents(engine, "alerts.parquet", self.COLUMNS)

        def parts_along(thresholds):
            found = count_along(engine, "alerts.parquet", self.COLUMNS, thresholds, "any", "part")
            return group_parts_along(found, thresholds, "any")

        yield documents, counts, parts_along
        engine.close()

    @staticmethod
    def widths(found):
        both = (found.expected, found.new_period)
        each = [getattr(one, name) for one in both for name in ("tp", "fp", "alerts", "precision")]
        return np.array([interval.high - interval.low for interval in each])

    def test_intervals_are_as_wide_as_for_resampled_customers(self, asked):
        documents, counts, parts_along = asked
        own = PathSearch(documents, "any", 300, "positives")
        of_counts = PathSearch(counts, "any", 300, "positives")
        path = SMOOTH.find(of_counts)
        found = []
        for source, fit, along, parts in (
            (documents, own.fit, SMOOTH.find(own), None),
            (counts, of_counts.fit, path, None),
            (counts, of_counts.fit, path, parts_along(path.thresholds)),
        ):
            generator = np.random.default_rng(0)
            *_, result = bootstrap_points(source, fit, along, [0.5], generator=generator, parts=parts)
            margin = result.intervals().marginal_precision
            found.append(np.append(self.widths(result.intervals()), margin.high - margin.low))
        rows, alone, parts = found
        # 200 resamples fix each end to about 10 %, and both sides choose thresholds of their own.
        assert parts / rows == pytest.approx(np.ones(9), abs=0.5)
        assert np.median(parts / rows) == pytest.approx(1.0, abs=0.15)
        assert np.median(alone / rows) < 0.75

    def test_blank_groups_are_their_own_where_scores_tie(self, tmp_path):
        frame = self.customers(customers=4000).round(0)
        frame["customer"] = frame["customer"].astype("Int64").astype("string")
        blank = np.random.default_rng(1).random(len(frame)) < 0.2
        frame.loc[blank, "customer"] = np.random.default_rng(2).choice(["", " ", None], blank.sum())
        frame.to_parquet(tmp_path / "alerts.parquet", index=False)
        thresholds = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
        with closing(DuckDBEngine(tmp_path)) as engine:
            found = count_along(engine, "alerts.parquet", self.COLUMNS, thresholds, "any", "part")
        effects = group_parts_along(found, thresholds, "any").design_effects(thresholds[1:])
        documents = RatedDocuments.from_frame(
            frame.assign(customer=frame["customer"].str.strip().replace("", None)),
            *(["a", "b"], "rating"),
            **{"positive": "fraud", "floors": [0.0, 0.0], "group": "customer"},
        )
        own = _units_and_design_effects(documents, thresholds[1:], "any")[1]
        assert effects == pytest.approx(own, rel=0.3)
