"""Compare documents with blank scores with counts of rows, where NaN is below all."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core import RatedDocuments, analytic_path, count_surfaces, graph_path, operating_points, smooth_path
from multiloss_core.inspection import borderline_documents
from multiloss_core.thresholds import classifier_margins


def rated_frame(classifiers, share, seed=0):
    """Draw rated rows with blank scores, each with a score at or above 0.5."""
    generator = np.random.default_rng(seed)
    fraud = generator.random(3_000) < 0.2
    scores = generator.normal(size=(3_000, classifiers)) + 1.3 * fraud[:, np.newaxis]
    scores[generator.random(scores.shape) < share] = np.nan
    rows = (scores >= 0.5).any(axis=1)
    frame = pd.DataFrame(scores[rows], columns=[f"s{j}" for j in range(classifiers)])
    return frame.assign(rating=fraud[rows].astype(int))


def counted(frame, names, thresholds, rule):
    reached = frame[names].to_numpy() >= thresholds
    flagged = reached.any(axis=1) if rule == "any" else reached.all(axis=1)
    return flagged, (float(frame["rating"][flagged].sum()), float((1 - frame["rating"][flagged]).sum()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "classifiers", "way"),
    [
        ("any", 2, "smooth"),
        ("all", 2, "smooth"),
        ("any", 3, "graph"),
        ("all", 2, "graph"),
        ("any", 2, "analytic"),
        ("all", 3, "analytic"),
    ],
)
def test_counts_on_paths_are_those_of_the_rows(rule, classifiers, way):
    frame = rated_frame(classifiers, 0.2)
    names = [*frame.columns[:-1]]
    documents = RatedDocuments.from_frame(frame, names, "rating", floors=[0.5] * classifiers)
    assert len(documents.labels) == len(frame)
    if way == "smooth":
        path = smooth_path(documents, rule=rule)
    elif way == "graph":
        path = graph_path(count_surfaces(documents, rule=rule, resolution=25))
    else:
        path = analytic_path(documents, rule=rule)
    for point in operating_points(path, [0.2, 0.4, 0.6]):
        flagged, expected = counted(frame, names, point.thresholds, rule)
        assert (point.tp, point.fp) == expected
        short = documents.round_thresholds(point.thresholds)
        assert (counted(frame, names, short, rule)[0] == flagged).all()
        near = borderline_documents(documents, point.thresholds, rule)
        assert flagged[near.flagged.positions].all()
        assert not flagged[near.not_flagged.positions].any()
        assert len(classifier_margins(documents, point)) == classifiers


@pytest.mark.parametrize("share", [0.05, 0.4])
def test_floors_are_those_of_the_filled_scores(share):
    frame = rated_frame(2, share)
    documents = RatedDocuments.from_frame(frame, ["s0", "s1"], "rating", floor_method="corner")
    assert documents.floors == pytest.approx([0.5, 0.5], abs=0.02)
    assert (documents.floors >= frame[["s0", "s1"]].min()).all()


def test_rows_without_score_or_rule_are_left_out():
    frame = rated_frame(2, 0.1).head(200)
    frame["hit"] = 0
    frame.loc[[3, 4], ["s0", "s1"]] = np.nan
    frame.loc[4, "hit"] = 1
    documents = RatedDocuments.from_frame(frame, ["s0", "s1"], "rating", floors=[0.5, 0.5], alert_rules=["hit"])
    assert 3 not in documents.rows
    assert 4 in documents.rows
    assert documents.funnel.complete == len(frame) - 1
