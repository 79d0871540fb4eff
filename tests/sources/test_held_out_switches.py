"""Compare held-out shares of switches with loops over folds."""

from math import inf

import numpy as np
import pytest

from multiloss_core import DataError, RatedDocuments, smooth_path
from multiloss_core.generalisation import cross_fit
from multiloss_core.numerics import Floats
from multiloss_core.sources import RuleSet, held_out_switches
from multiloss_core.thresholds.data.folds import document_folds
from multiloss_core.thresholds.data.rated_counts import CellCounts, rated_counts
from tests.sources.test_rule_set import NAMES, queue


def shares(found: tuple[object, ...]) -> Floats:
    return np.array([[one.estimate, one.low, one.high] for one in found])


@pytest.mark.parametrize("thresholds", [(0.5, 0.6, 1.0, inf), (0.8, inf, inf, 1.0), (inf, inf, inf, inf)])
def test_equal_thresholds_in_all_folds_give_the_counts_of_all(thresholds: tuple[float, ...]) -> None:
    documents = queue()
    found = held_out_switches(documents, thresholds, np.tile(thresholds, (5, 1)))
    expected = tuple(source.switch_off for source in RuleSet.of(documents, thresholds).sources)
    assert shares(found) == pytest.approx(shares(expected), nan_ok=True)


def test_a_fold_counts_where_its_switch_stands_alike() -> None:
    """By a loop over documents; a fold without thresholds is left out."""
    documents, generator = queue(), np.random.default_rng(1)
    chosen = np.array([0.7, 0.8, 1.0, inf])
    of_folds = np.where(generator.random((4, 4)) < 0.4, inf, [0.6, 0.9, 1.0, 1.0])
    of_folds[2] = np.nan
    fold = document_folds(documents, 4, 3)
    found = held_out_switches(documents, chosen, of_folds, seed=3)
    for place in range(len(NAMES)):
        caught = total = 0.0
        for row, label, weight, number in zip(documents.scores, documents.labels, documents.weights, fold, strict=True):
            limits = of_folds[number]
            if np.isnan(limits).any() or np.isfinite(limits[place]) != np.isfinite(chosen[place]):
                continue
            would = limits[place] if place < 2 else 1.0
            others = [row[other] >= limits[other] for other in range(4) if other != place]
            if row[place] >= would and not any(others):
                total += weight
                caught += weight * label
        assert found[place].estimate == pytest.approx(caught / total if total else np.nan, nan_ok=True)


@pytest.mark.slow
def test_counted_documents_are_dealt_as_in_cross_fitting() -> None:
    """Rated counts: each fold is counted with the thresholds found without it."""
    generator = np.random.default_rng(4)
    scores = np.column_stack([generator.random(4_000).round(2) + 0.5, generator.random(4_000) < 0.1])
    labels = generator.random(4_000) < np.where(scores[:, 1] > 0, 0.4, 0.02 + 0.5 * (scores[:, 0] > 1.3))
    documents = RatedDocuments(scores, labels, names=["model", "rule"], floors=[0.5], alert_rules=1)
    axes = (np.append(np.unique(scores[:, 0]), 2.0), np.array([1.0]))
    cells = np.column_stack([np.searchsorted(axes[0], scores[:, 0], side="right"), scores[:, 1]]).astype(np.intp)
    cells, slots = np.unique(cells, axis=0, return_inverse=True)
    kinds = np.column_stack([np.bincount(slots, kind, len(cells)) for kind in (~labels, labels)])
    counts = CellCounts(cells, kinds.astype(np.intp), kinds, kinds)
    counted = rated_counts(axes, counts, rule="any", names=documents.names, alert_rules=1)
    thresholds = cross_fit(counted, {"smooth": smooth_path}, [0.2])["smooth"].thresholds[:, 0]
    assert np.isfinite(thresholds[:, 1]).all()
    found = held_out_switches(counted, [1.3, 1.0], thresholds)[1]
    assert found.low < RuleSet.of(documents, [1.3, 1.0]).sources[1].switch_off.estimate < found.high


def test_thresholds_that_fit_no_source_are_refused() -> None:
    with pytest.raises(DataError, match="one threshold"):
        held_out_switches(queue(), [0.5, 0.6], np.zeros((5, 4)))
