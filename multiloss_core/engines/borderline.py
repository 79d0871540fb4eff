"""Find the documents nearest to thresholds in an engine, and fetch only these."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from multiloss_core.engines.columns import RatedColumns
from multiloss_core.engines.engine import Engine
from multiloss_core.engines.run_queries import documents_between
from multiloss_core.numerics.arrays import Floats
from multiloss_core.tables.column_values import column_of, numbers
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.data.rated_counts import RatedCounts

# Fetched of one side at a time, and how many are aimed at where there are more.
MAX_FETCHED, AIMED_AT = 1_000, 500


@dataclass(frozen=True, eq=False, kw_only=True)
class BorderlineRows:
    """Hold rows on either side of thresholds, nearest first, with the deciding classifiers."""

    flagged: pd.DataFrame
    not_flagged: pd.DataFrame
    deciding: tuple[tuple[str, ...], tuple[str, ...]]


def borderline_rows(
    engine: Engine, table: str, columns: RatedColumns, counts: RatedCounts, thresholds: Floats, *, most: int = 50
) -> BorderlineRows:
    """Fetch at most `most` rows on either side of thresholds (k,) in one or two passes each.

    `counts` of the same rows limit the search to the nodes of each axis that hold `most` documents. A
    distance is a part of the way that each threshold was moved, so that scores of all kinds compare. Which classifier
    decides is as for `borderline_documents`. Raises EngineError and Cancelled, see `Engine.query`.
    """
    sides = [
        _nearest(engine, table, columns, counts, np.asarray(thresholds, dtype=np.float64), most, outwards=outwards)
        for outwards in (False, True)
    ]
    (flagged, first), (not_flagged, second) = sides
    return BorderlineRows(flagged=flagged, not_flagged=not_flagged, deciding=(first, second))


def _nearest(
    engine: Engine,
    table: str,
    columns: RatedColumns,
    counts: RatedCounts,
    thresholds: Floats,
    most: int,
    *,
    outwards: bool,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    moved, between = _moved(counts, thresholds, most, outwards=outwards)
    if not between:
        return pd.DataFrame(columns=list(columns.used)), ()

    def fetched(limit: Floats) -> pd.DataFrame:
        loose, strict = (limit, thresholds) if outwards else (thresholds, limit)
        return documents_between(engine, table, columns, loose, strict, counts.rule, most=MAX_FETCHED)

    way = np.subtract(moved, thresholds, out=np.full(len(moved), np.nan), where=np.isfinite(thresholds))
    spans = np.abs(way)
    rows = fetched(moved)
    distances, deciding = _distances(rows, columns, thresholds, spans, counts.rule, outwards=outwards)
    if len(rows) == MAX_FETCHED < between:
        # Any rows may have come: search again, only as far as the nearest ones reach.
        part = float(np.quantile(distances, AIMED_AT / between))
        closer = np.where(np.isnan(way), thresholds, thresholds + part * way)
        rows = fetched(closer)
        distances, deciding = _distances(rows, columns, thresholds, spans, counts.rule, outwards=outwards)
    order = np.argsort(distances, kind="stable")[:most]
    return rows.iloc[order].reset_index(drop=True), tuple(columns.classifiers[j] for j in deciding[order])


def _moved(counts: RatedCounts, thresholds: Floats, most: int, *, outwards: bool) -> tuple[Floats, int]:
    """Move thresholds until `most` documents lie between, and count them."""
    places = [int(np.searchsorted(axis, value)) for axis, value in zip(counts.axes, thresholds, strict=True)]
    own = _flagged(counts, thresholds)
    longest, step = max(map(len, counts.axes)), 1
    while True:
        moved = np.array(
            [
                np.inf
                if np.isinf(value)
                else axis[max(place - step, 0) if outwards else min(place + step, len(axis) - 1)]
                for axis, place, value in zip(counts.axes, places, thresholds, strict=True)
            ]
        )
        between = abs(_flagged(counts, moved) - own)
        if between >= most or step >= longest:
            return moved, between
        step = min(2 * step, longest)


def _flagged(counts: RatedCounts, thresholds: Floats) -> int:
    return int(counts.flagged_or_not(thresholds, counts.rule).documents[1].sum())


def _distances(
    rows: pd.DataFrame, columns: RatedColumns, thresholds: Floats, spans: Floats, rule: Rule, *, outwards: bool
) -> tuple[Floats, "np.ndarray[tuple[int], np.dtype[np.intp]]"]:
    """Measure distances to thresholds in spans (k,), and find the deciding classifiers."""
    scores = np.column_stack([numbers(column_of(rows, name))[0] for name in columns.classifiers])
    with np.errstate(invalid="ignore", divide="ignore"):
        away = (thresholds - scores if outwards else scores - thresholds) / spans
    # A score on the other side, or a threshold of never, has no part in the decision.
    furthest = (rule == "any") != outwards
    inside = (away > 0) if outwards else (away >= 0)
    away = np.where(inside & np.isfinite(away), away, -np.inf if furthest else np.inf)
    deciding = away.argmax(axis=1) if furthest else away.argmin(axis=1)
    return away[np.arange(len(away)), deciding], deciding
