"""Segmented documents for the tests, and counts of them in plain NumPy."""

from dataclasses import replace

import numpy as np

from multiloss_core import RatedDocuments
from multiloss_core.segments import segment_paths
from multiloss_core.segments.held_out_gain import closed_gate


def segmented(
    seed, rows=500, shares=(0.5, 0.3, 0.2), rates=(0.25, 0.25, 0.25), *, scores=2, weighted=False, groups=None
):
    """Draw documents with scores on a grid of tenths, and a segment name for each."""
    generator = np.random.default_rng(seed)
    code = generator.choice(len(shares), rows, p=shares)
    labels = generator.random(rows) < np.asarray(rates)[code]
    values = np.round(generator.normal(size=(rows, scores)) + 1.2 * labels[:, np.newaxis], 1)
    weights = generator.integers(1, 9, rows) / 4 if weighted else None
    group = None if groups is None else generator.integers(0, groups, rows)
    documents = RatedDocuments(values, labels, weights, floors=values.min(axis=0).tolist(), groups=group)
    return documents, np.array([f"s{number}" for number in code], dtype=object)


def gated_paths(*segmented, is_open, **options):
    """Paths without the held-out comparison, as if it had this result."""
    return with_gate(segment_paths(*segmented, hold_out=False, **options), is_open=is_open)


def with_gate(paths, *, is_open):
    gate = closed_gate(len(paths.names), "not held out")
    return replace(paths, gate=replace(gate, is_open=is_open))


def chosen(scores, thresholds, rule):
    above = np.asarray(scores) >= np.asarray(thresholds)
    return above.any(axis=1) if rule == "any" else above.all(axis=1)


def counted(documents, names, members, thresholds, rule):
    """Count TP, FP and squared weights of the documents of some segments."""
    flags = chosen(documents.scores, thresholds, rule) & np.isin(names.astype(str), members)
    weights = documents.weights
    return (
        weights[flags & documents.labels].sum(),
        weights[flags & ~documents.labels].sum(),
        (weights[flags] ** 2).sum(),
    )
