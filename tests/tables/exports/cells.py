"""Make the cells of synthetic exports: rated alerts with scores and other columns."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass
class Alerts:
    """Alerts that are fraud or not: every value below is drawn for these."""

    rng: np.random.Generator
    rows: int
    fraud: np.ndarray = field(init=False)
    risk: np.ndarray = field(init=False)

    def __post_init__(self):
        everything = 12 * self.rows
        fraud = self.rng.random(everything) < 0.06
        risk = 1.6 * fraud + self.rng.normal(size=everything)
        seen = np.argsort(-(risk + 0.5 * self.rng.normal(size=everything)))[: self.rows]
        seen = self.rng.permutation(seen)
        self.fraud, self.risk = fraud[seen], risk[seen]

    def _noisy(self):
        return self.risk + 0.7 * self.rng.normal(size=self.rows)

    def probability(self, digits=4):
        return (1 / (1 + np.exp(-1.3 * (self._noisy() - 1)))).round(digits)

    def hundred(self, digits=1):
        return (100 * self.probability(6)).round(digits)

    def thousand(self):
        return np.rint(999 * self.probability(6)).astype(int)

    def log_odds(self):
        return (1.3 * (self._noisy() - 1)).round(3)

    def safe_thousand(self):
        return 1000 - self.thousand()

    def rated(self, positive, negative, undecided=(), wrong=0.0, blank=0.0):
        """Words for fraud, for no fraud, and for what is not decided (a tenth of the rows)."""
        rng, n = self.rng, self.rows
        fraud = self.fraud ^ (rng.random(n) < wrong)
        cells = np.where(fraud, rng.choice(np.array(positive, object), n), rng.choice(np.array(negative, object), n))
        if len(undecided):
            cells = np.where(rng.random(n) < 0.1, rng.choice(np.array(undecided, object), n), cells)
        return pd.Series(np.where(rng.random(n) < blank, None, cells), dtype=object)

    def flags(self, yes=1, no=0, share=0.3):
        return np.where(self.rng.random(self.rows) < share, yes, no)

    def marks(self, yes=1, no=0):
        """A flag of fraud itself."""
        return np.where(self.fraud, yes, no)

    def words(self, *choices):
        return self.rng.choice(np.array(choices, object), self.rows)

    def amounts(self):
        return self.rng.lognormal(4, 1.2, self.rows).round(2)

    def counts(self, most=30):
        return self.rng.poisson(most / 6, self.rows)

    def whole(self, low, high):
        return self.rng.integers(low, high, self.rows)

    def between(self, low, high, digits=5):
        return self.rng.uniform(low, high, self.rows).round(digits)

    def cases(self, prefix="", start=100_000):
        return [f"{prefix}{start + 7 * i + int(self.rng.integers(0, 7))}" for i in range(self.rows)]

    def owners(self, prefix="C"):
        return [f"{prefix}{number}" for number in self.rng.integers(10_000, 10_000 + self.rows // 3, self.rows)]

    def times(self, written="%Y-%m-%d %H:%M:%S", start="2026-01-03"):
        minutes = np.sort(self.rng.integers(0, 90 * 1440, self.rows))
        return (pd.Timestamp(start) + pd.to_timedelta(minutes, unit="min")).strftime(written).to_numpy(dtype=object)
