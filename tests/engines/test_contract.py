"""Every question, asked of every engine: the answers are those of NumPy, to the last digit."""

import hashlib

import numpy as np
import pyarrow as arrow
import pytest

from multiloss_core import DataError
from multiloss_core.engines import (
    Filter,
    RowWindow,
    column_values,
    count_along,
    count_cells,
    count_documents,
    count_funnel,
    count_rows,
    count_segments,
    documents_between,
    fetch_rows,
    positive_quantiles,
    positive_scores,
)
from multiloss_core.sql_dialects import SPARK
from tests.engines.tables import (
    FINE,
    FRAUD,
    GROUP,
    NAMES,
    OPEN,
    RATING,
    SEGMENT,
    TIME,
    Expected,
    awkward_table,
    day,
    meaning,
)

TABLE = awkward_table()
# Numbers of scores with their rules.
SOME_OF_SPARK = ((3, ("any", "all")),)
WITH_PARTS = {(1, "any"), (3, "all")}


def axes_of(expected, nodes=11):
    """Nodes at scores themselves, just beside them, and at both zeros' place."""
    axes = []
    for scores in expected.scores[expected.usable].T:
        column = scores[np.isfinite(scores)]
        values = np.quantile(column, np.linspace(0, 1, nodes))
        beside = np.nextafter(column[:5], np.inf), np.nextafter(column[5:9], -np.inf)
        axes.append(np.unique(np.concatenate([values, column[:9], *beside, [0.0, 0.1, 5e-324]])))
    return axes


def as_counts(found, *keys):
    values = zip(*keys, found.positive, found.documents, found.weights, found.squares, strict=True)
    return {(*key, int(positive)): (int(n), float(w), float(w2)) for *key, positive, n, w, w2 in values}


def test_all_questions(load):
    # In one test: a table is loaded once.
    engine, table = load(TABLE)
    assert count_rows(engine, table) == TABLE.num_rows
    check_values(engine, table)
    check_rows(engine, table)
    check_windows(engine, table)
    check_segments(engine, table)
    # Of Spark, which takes a second for each, every kind of question is asked once.
    asked = SOME_OF_SPARK if engine.dialect is SPARK else ((1, ("any",)), (3, ("any", "all")), (4, ("all",)))
    for classifiers, rules in asked:
        columns = meaning(classifiers, floors=classifiers != 3, weight=None if classifiers == 4 else "weight")
        expected = Expected(TABLE, columns)
        check_funnel(engine, table, columns, expected)
        check_cells(engine, table, columns, expected)
        for rule in rules:
            # By what is counted does not depend on how many scores there are: once for each rule.
            check_along(engine, table, columns, expected, rule, parts=(classifiers, rule) in WITH_PARTS)
            check_between(engine, table, columns, expected, rule)
        check_scores(engine, table, columns, expected, classifiers - 1)


def check_values(engine, table):
    found = dict(column_values(engine, table, RATING))
    words = TABLE[RATING].to_pylist()
    assert found == {word: words.count(word) for word in set(words)}
    assert set(found) == {FRAUD, FINE, OPEN, None}
    with pytest.raises(DataError, match=r"holds more than 10 different values"):
        column_values(engine, table, GROUP, most=10)


def check_rows(engine, table):
    frame = fetch_rows(engine, table, most=10_000).frame
    assert list(frame.columns) == TABLE.column_names
    assert len(frame) == TABLE.num_rows
    name = NAMES[0]
    own = np.sort(TABLE[name].to_numpy(zero_copy_only=False))
    np.testing.assert_array_equal(np.sort(frame[name].to_numpy(dtype=float)), own)
    assert len(fetch_rows(engine, table, most=10).frame) == 10


def check_windows(engine, table):
    days = TABLE[TIME].to_numpy(zero_copy_only=False).astype("datetime64[D]")
    since, until = day("2026-03-29"), day("2026-04-10")
    inside = (days >= np.datetime64(since)) & (days < np.datetime64(until))
    assert count_rows(engine, table, RowWindow(time=TIME, since=since, until=until)) == inside.sum()
    segments = np.array(TABLE[SEGMENT].to_pylist(), dtype=object)
    chosen = RowWindow(time=TIME, since=since, filters=(Filter(column=SEGMENT, values=("x'y", "Österreich")),))
    kept = (days >= np.datetime64(since)) & np.isin(segments.astype(str), ["x'y", "Österreich"])
    assert count_rows(engine, table, chosen) == kept.sum()


def check_funnel(engine, table, columns, expected):
    found = count_funnel(engine, table, columns)
    funnel = found.funnel
    assert funnel.read == TABLE.num_rows
    assert funnel.rated == expected.rated.sum()
    assert funnel.complete == expected.complete.sum()
    assert funnel.at_or_above_floor == expected.usable.sum()
    assert funnel.positives == (expected.usable & expected.positive).sum()
    assert found.undecided == (~expected.rated).sum()
    for score, column in zip(found.scores, expected.scores[expected.rated].T, strict=True):
        assert score.blank == np.isneginf(column).sum()
        assert (score.low, score.high) == (column[column > -np.inf].min(), column.max())


def check_cells(engine, table, columns, expected):
    axes = axes_of(expected)[: len(columns.scores)]
    cells, documents, weights, squares = count_cells(engine, table, columns, axes)
    codes = [
        np.searchsorted(axis, column, side="right")
        for axis, column in zip(axes, expected.scores[expected.usable].T, strict=True)
    ]
    own = expected.grouped(*codes)
    found = {
        (*map(int, cell), kind): (int(n[kind]), float(w[kind]), float(w2[kind]))
        for cell, n, w, w2 in zip(cells, documents, weights, squares, strict=True)
        for kind in (0, 1)
        if n[kind]
    }
    assert found == {tuple(map(int, key)): value for key, value in own.items()}


def check_segments(engine, table):
    columns = meaning(2)
    expected = Expected(TABLE, columns)
    counts = count_documents(engine, table, columns, resolution=30)
    codes = [
        np.searchsorted(axis, column, side="right")
        for axis, column in zip(counts.axes, expected.scores[expected.usable].T, strict=True)
    ]
    words = np.array([word or "(blank)" for word in TABLE[SEGMENT].to_pylist()], dtype=object)[expected.usable]
    found = {
        (name, *map(int, cell), kind): (int(n[kind]), float(w[kind]), float(w2[kind]))
        for name, segment in count_segments(engine, table, columns, counts).items()
        for cell, n, w, w2 in zip(
            segment.counted.cells,
            segment.counted.documents,
            segment.counted.weights,
            segment.counted.squares,
            strict=True,
        )
        for kind in (0, 1)
        if n[kind]
    }
    own = expected.grouped(words, *codes)
    assert found == {(key[0], *map(int, key[1:])): value for key, value in own.items()}


def check_along(engine, table, columns, expected, rule, *, parts):
    scores = expected.scores[expected.usable]
    path = np.column_stack([np.quantile(column[column > -np.inf], np.linspace(0, 0.99, 14)) for column in scores.T])
    path = np.vstack([path, np.full(path.shape[1], np.inf)])
    codes = [np.searchsorted(path[:, j], scores[:, j], side="right") for j in range(scores.shape[1])]
    step = np.max(codes, axis=0) if rule == "any" else np.min(codes, axis=0)
    found = count_along(engine, table, columns, path, rule)
    assert as_counts(found, found.step) == expected.grouped(step)
    if not parts:
        return
    by_day = count_along(engine, table, columns, path, rule, "day")
    assert as_counts(by_day, by_day.step, by_day.by) == expected.grouped(step, expected.days())
    by_segment = count_along(engine, table, columns, path, rule, "segment")
    words = [word or "" for word in TABLE[SEGMENT].to_pylist()]
    assert as_counts(by_segment, by_segment.step, by_segment.by) == expected.grouped(
        step, np.array(words, dtype=object)[expected.usable]
    )
    by_part = count_along(engine, table, columns, path, rule, "part")
    groups = [
        hashlib.md5(str(group).encode(), usedforsecurity=False).hexdigest()[:2] for group in TABLE[GROUP].to_pylist()
    ]
    assert as_counts(by_part, by_part.step, by_part.by) == expected.grouped(
        step, np.array(groups, dtype=object)[expected.usable]
    )


def check_between(engine, table, columns, expected, rule):
    scores = expected.scores
    loose, strict = (np.quantile(scores[expected.usable], share, axis=0, method="higher") for share in (0.8, 0.9))
    strict[0] = np.inf
    above = [(scores >= at).any(axis=1) if rule == "any" else (scores >= at).all(axis=1) for at in (loose, strict)]
    wanted = expected.usable & above[0] & ~above[1]
    found = documents_between(engine, table, columns, loose, strict, rule, most=5_000)
    name = columns.scores[0]
    own = TABLE.filter(arrow.array(wanted))[name].to_numpy(zero_copy_only=False)
    np.testing.assert_array_equal(np.sort(found[name].to_numpy(dtype=float)), np.sort(own))
    if rule == "any":
        assert len(documents_between(engine, table, columns, loose, strict, rule, most=2)) == min(2, wanted.sum())


def check_scores(engine, table, columns, expected, score):
    own = expected.scores[expected.usable & expected.positive, score]
    own = own[own > -np.inf]
    found = positive_scores(engine, table, columns, score)
    np.testing.assert_array_equal(found, np.unique(own))
    shares = np.array([0.1, 0.5, 0.9])
    exact = np.quantile(own, shares, method="inverted_cdf")
    guessed = positive_quantiles(engine, table, columns, score, shares)
    if engine.dialect is not SPARK:
        np.testing.assert_array_equal(guessed, np.unique(exact))
    else:
        assert set(guessed) <= set(own)
        assert len(guessed) == 3


def test_what_cannot_be_used_is_one_sentence(load):
    score = [0.1, 0.2, float("inf"), 0.4]
    table = arrow.table(
        {
            "score": score,
            "flat": [1.0] * 4,
            "words": ["1", "2", "3", "4"],
            "rating": [1, 0, 1, 0],
            "w": [1.0, -1.0, 1.0, 1.0],
        }
    )
    engine, name = load(table)

    def refused(**columns):
        meant = {"scores": ("score",), "rating": "rating", "positive": (1,), "negative": (0,)} | columns
        with pytest.raises(DataError) as caught:
            count_funnel(engine, name, type(meaning(1))(**meant))
        return str(caught.value)

    assert "'score' has values that are not usable numbers (1 row is infinite" in refused()
    assert "'flat' holds the same score, 1, in all usable rows" in refused(scores=("flat",))
    assert "'words'" in refused(scores=("words",))
    assert "holds string and no numbers" in refused(scores=("words",))
    assert "'w' has weights that are not numbers above 0 (1 row)" in refused(scores=("flat",), weight="w")
    assert "There is no column 'gone'" in refused(scores=("gone",))
    assert "Every usable row of 'rating' is positive" in refused(scores=("flat",), positive=(1, 0), negative=(7,))
    with pytest.raises(DataError, match="There is no table 'other' here"):
        engine.source("other")
