"""Make decisions with the core alone, on the app's samples and on typical uploads."""

import hashlib
import io

import numpy as np
import pandas as pd

from multiloss_core import DecisionRecord, RatedDocuments, operating_point, simulate_population, smooth_path
from multiloss_core.decisions import (
    ExpectedCounts,
    GoalValue,
    RecordedColumns,
    RecordedData,
    RecordedSettings,
    RecordedTarget,
    data_fingerprint,
    recorded_thresholds,
)
from ui.data.rated import sample


def rated_frame(seed=3):
    population = simulate_population(
        np.random.default_rng(seed), documents=60_000, prevalence=0.005, names=("card", "device"), rated_share=0.02
    )
    documents = population.rated()
    frame = pd.DataFrame(documents.scores, columns=list(documents.names))
    frame["verdict"] = np.where(documents.labels, "fraud", "ok")
    return frame


def decision(frame, columns, name, fingerprint, *, percent=35.0, rule="all", spacing="quantile", resolution=50):
    """A record by the core alone."""
    documents = RatedDocuments.from_frame(
        frame, columns.scores, columns.rating, columns.positive, floors=list(columns.floors)
    )
    path = smooth_path(documents, rule=rule)
    point = operating_point(path, percent / 100)
    target = RecordedTarget(
        "marginal precision",
        (GoalValue("marginal precision", point.marginal_precision),),
        point.marginal_precision,
        point.status,
    )
    return DecisionRecord(
        author="A. Nalyst",
        reason="Fewer false alerts.",
        data=RecordedData(name, data_fingerprint(fingerprint, columns), documents.funnel, documents.totals.alerts),
        columns=columns,
        settings=RecordedSettings(rule, "smooth", spacing, resolution),
        target=target,
        thresholds=recorded_thresholds(documents.round_thresholds(point.thresholds)),
        expected=ExpectedCounts.of(point.tp, point.fp, positives=(documents.totals.tp, path.reachable.tp)),
    )


def sample_decision(name="Card alerts", **options):
    source = sample(name)
    choice = source.first_choice
    meanings = dict(choice.meanings)
    columns = RecordedColumns(choice.scores, choice.floors, choice.rating, choice.only_positive, meanings=meanings)
    return decision(source.frame, columns, name, source.fingerprint, **options)


def file_decision(data, name="june.csv", floors=None, **options):
    frame = pd.read_csv(io.BytesIO(data))
    floors = floors or tuple(RatedDocuments.from_frame(frame, ["card", "device"], "verdict", "fraud").floors.tolist())
    columns = RecordedColumns(("card", "device"), floors, "verdict", "fraud")
    return decision(frame, columns, name, hashlib.sha256(data).hexdigest(), **options)


def as_csv(frame):
    return frame.to_csv(index=False).encode()
