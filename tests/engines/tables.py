"""Make tables of edge cases on which engines differ, and count them with NumPy."""

import datetime as dt

import numpy as np
import pyarrow as arrow

from multiloss_core.engines import RatedColumns

RATING = 'What "was" it?'
FRAUD, FINE, OPEN = "it's \\fraud%s", "not: fraud", "pending"
NAMES = ("model a", 'rule "b"', "c`%d", "d:e.f")
WEIGHT, TIME, SEGMENT, GROUP = "weight", "seen at", "country", "customer"
FLOOR = -0.5


def awkward_table(rows=4_000, seed=0):
    """Make rated documents with ties, nulls, NaN, signed zeros and extreme numbers."""
    generator = np.random.default_rng(seed)
    fraud = generator.random(rows) < 0.2
    columns = {}
    for place, name in enumerate(NAMES):
        scores = generator.normal(size=rows) + fraud * (place + 1) / 2
        scores[generator.random(rows) < 0.3] = np.round(scores[generator.random(rows) < 0.3].mean(), 1)
        special = [0.0, -0.0, 5e-324, -5e-324, 1e99, -1e99, 0.1, np.nextafter(0.1, 1), np.nextafter(0.1, 0)]
        at = generator.integers(0, rows, 20 * len(special))
        scores[at] = np.tile(special, 20)
        scores[generator.random(rows) < 0.01] = np.nan
        columns[name] = arrow.array(scores, mask=generator.random(rows) < 0.01)
    words = np.where(fraud, FRAUD, FINE).astype(object)
    words[generator.random(rows) < 0.05] = OPEN
    columns[RATING] = arrow.array(words, mask=generator.random(rows) < 0.02, type=arrow.string())
    # Quarters, so that their sums and those of their squares are the same in any order.
    columns[WEIGHT] = generator.integers(1, 80, rows) / 4
    start = np.datetime64("2026-03-27T00:00:00", "us")
    columns[TIME] = start + generator.integers(0, 40 * 86_400_000_000, rows).astype("timedelta64[us]")
    columns[SEGMENT] = arrow.array(
        generator.choice(["Österreich", "x'y", "", "US"], rows), mask=generator.random(rows) < 0.05, type=arrow.string()
    )
    columns[GROUP] = generator.integers(0, 300, rows)
    return arrow.table(columns)


def meaning(classifiers, *, floors=True, weight=WEIGHT, **others):
    """Say what the columns of `awkward_table` mean."""
    return RatedColumns(
        scores=NAMES[:classifiers],
        rating=RATING,
        positive=(FRAUD,),
        negative=(FINE,),
        floors=(FLOOR,) * classifiers if floors else (),
        weight=weight,
        time=TIME,
        segment=SEGMENT,
        group=GROUP,
        **others,
    )


class Expected:
    """Compute with NumPy the counts of a table under a meaning of its columns."""

    def __init__(self, table, columns):
        self.table = table
        self.scores = np.column_stack([table[name].to_numpy(zero_copy_only=False) for name in columns.scores])
        # A blank reaches no threshold.
        self.scores[np.isnan(self.scores)] = -np.inf
        words = table[columns.rating].to_pylist()
        self.rated = np.array([word in (*columns.positive, *columns.negative) for word in words])
        self.positive = np.array([word in columns.positive for word in words])
        usable = (self.scores < 1e100) & ((self.scores > -1e100) | np.isneginf(self.scores))
        self.complete = self.rated & usable.all(axis=1) & (self.scores > -np.inf).any(axis=1)
        reaching = np.ones(len(words), bool) if not columns.floors else (self.scores >= columns.floors).any(axis=1)
        self.usable = self.complete & reaching
        self.weights = table[columns.weight].to_numpy() if columns.weight else np.ones(len(words))

    def days(self):
        return self.table[TIME].to_numpy(zero_copy_only=False).astype("datetime64[D]")[self.usable]

    def grouped(self, *keys):
        """Sum n, w and w2 of usable documents by keys and class, as a dictionary."""
        found = {}
        values = zip(*keys, self.positive[self.usable], self.weights[self.usable], strict=True)
        for *key, positive, weight in values:
            entry = found.setdefault((*key, int(positive)), [0, 0.0, 0.0])
            entry[0] += 1
            entry[1] += weight
            entry[2] += weight * weight
        return {key: tuple(entry) for key, entry in found.items()}


def day(text):
    return dt.date.fromisoformat(text)
