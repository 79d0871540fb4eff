"""Counts of random parts of groups against the documents and groups themselves."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core.thresholds import GroupParts
from multiloss_core.thresholds.data.rated_counts import CellCounts
from multiloss_core.thresholds.paths.smooth.resampling import cell_sample_of_cells

PATH = np.array([[1.0, 1.0], [1.0, 2.0], [3.0, 2.0], [np.inf, np.inf]])
AXES = (np.arange(5.0), np.arange(5.0))


def documents(seed=0, parts=40, size=12):
    """Documents whose part decides a good deal of their scores and ratings; scores are nodes."""
    generator = np.random.default_rng(seed)
    rows = parts * size
    part = np.repeat(np.arange(parts), size)
    centre = generator.integers(0, 4, parts)[part]
    return pd.DataFrame(
        {
            "part": part,
            "a": np.where(generator.random(rows) < 0.7, centre, generator.integers(0, 4, rows)),
            "b": np.where(generator.random(rows) < 0.7, centre, generator.integers(0, 4, rows)),
            "positive": (generator.random(rows) < np.where(part % 3 == 0, 0.7, 0.2)).astype(int),
            "weight": generator.integers(1, 5, rows) / 2,
        }
    )


def flags(frame, vertex, rule):
    reached = np.column_stack([frame["a"] >= PATH[vertex, 0], frame["b"] >= PATH[vertex, 1]])
    return reached.any(axis=1) if rule == "any" else reached.all(axis=1)


def steps_of(frame, rule):
    return sum(flags(frame, vertex, rule).astype(int) for vertex in range(len(PATH)))


def parts_of(frame, rule):
    tables = np.zeros((2, frame["part"].nunique(), len(PATH) + 1, 2))
    place = (frame["part"].to_numpy(), steps_of(frame, rule), frame["positive"].to_numpy())
    np.add.at(tables[0], place, frame["weight"])
    np.add.at(tables[1], place, frame["weight"] ** 2)
    return GroupParts(thresholds=PATH, rule=rule, weights=tables[0], squares=tables[1])


def cells_of(frame):
    codes, places = np.unique(frame[["a", "b"]].to_numpy() + 1, axis=0, return_inverse=True)
    number, weights, squares = (np.zeros((len(codes), 2)) for _ in range(3))
    where = (places, frame["positive"].to_numpy())
    for table, power in ((number, 0), (weights, 1), (squares, 2)):
        np.add.at(table, where, frame["weight"] ** power)
    return CellCounts(codes.astype(np.intp), number.astype(np.intp), weights, squares)


@pytest.mark.parametrize("rule", ["any", "all"])
class TestParts:
    def test_cells_end_where_their_documents_do(self, rule):
        frame = documents()
        counted = cells_of(frame)
        steps = parts_of(frame, rule).steps(AXES, counted.cells)
        own = {(a + 1, b + 1): step for a, b, step in zip(frame["a"], frame["b"], steps_of(frame, rule), strict=True)}
        assert [own[tuple(cell)] for cell in counted.cells.tolist()] == steps.tolist()

    def test_design_effects_are_those_of_the_documents(self, rule):
        frame = documents()
        found = parts_of(frame, rule).design_effects(PATH)
        weight = frame["weight"]
        for vertex in range(len(PATH)):
            for row, positive in enumerate((1, 0)):
                kind = frame["positive"] == positive
                caught = flags(frame, vertex, rule) & kind
                # Where none is flagged, as all of the class.
                counted = weight * (caught if caught.any() else kind)
                deviations = counted - weight * counted.sum() / weight.sum()
                alone = (deviations**2).sum()
                between = (deviations.groupby(frame["part"]).sum() ** 2).sum() * 40 / 39
                expected = max(1.0, between / alone) if alone > 0 else 1.0
                assert found[row, vertex] == pytest.approx(expected)
        assert found.max() > 2

    def test_resamples_vary_as_resampled_parts_do(self, rule):
        frame = documents()
        parts, counted = parts_of(frame, rule), cells_of(frame)
        steps = parts.steps(AXES, counted.cells)
        sample = cell_sample_of_cells(counted, parts, steps)
        drawn = sample.draw(np.random.default_rng(1), 4000)
        assert drawn.sum(axis=(1, 2)) == pytest.approx(frame["weight"].sum())
        times = np.random.default_rng(2).multinomial(40, np.full(40, 1 / 40), 4000)
        expected = np.einsum("bp,psk->bsk", times, parts.weights)
        expected *= frame["weight"].sum() / expected.sum(axis=(1, 2), keepdims=True)
        for vertex in range(3):
            # TP and FP, and how they go together: four numbers of one standard error of 2 to 3 % each.
            own = drawn[:, :, steps > vertex].sum(axis=2)
            other = expected[:, vertex + 1 :, ::-1].sum(axis=1)
            assert own.mean(axis=0) == pytest.approx(other.mean(axis=0), rel=0.02)
            scale = np.cov(other.T).diagonal().max()
            assert np.cov(own.T) / scale == pytest.approx(np.cov(other.T) / scale, abs=0.12)


def test_table_that_has_grown_since_is_resampled_at_its_own_size():
    frame = documents()
    counted, parts = cells_of(frame), parts_of(pd.concat([frame, frame]), "any")
    sample = cell_sample_of_cells(counted, parts, parts.steps(AXES, counted.cells))
    drawn = sample.draw(np.random.default_rng(1), 2000)
    np.testing.assert_allclose(drawn.mean(axis=0)[::-1].T, counted.weights, rtol=0.25, atol=0.5)
