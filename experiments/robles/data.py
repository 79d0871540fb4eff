"""Load the sets for Robles et al. 2020, and make features of two related classifiers."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments.files import DataFile, checked_file, require_counts
from multiloss_core.numerics.arrays import Bools, Floats, Indices

BANK_FILE = DataFile(
    "bank_marketing/bank-additional-full.csv.gz", "25ef5a7f820659c9010405d079b068761b9e4a75c232a6271ee6a77fc3de52ae"
)
MAMMOGRAPHY_FILE = DataFile(
    "mammography/mammography.csv.gz", "f0552558cd84c77c5bc2f0af705be22168a5147697f2310ba7a3781ebf319718"
)
CREDIT_CARD_FILE = DataFile(
    "creditcard_casecontrol/creditcard_casecontrol.npz",
    "7b809a3c576b5cf926a2df7d76833190997860d84ceab705434f3de81ae405d9",
)


@dataclass(frozen=True, eq=False)
class OutcomeTable:
    """A table of n rows: `columns`, `labels` (n,) bool, `weights` (n,) in population rows."""

    name: str
    columns: pd.DataFrame
    labels: Bools
    weights: Floats


def bank_marketing(folder: Path | None = None) -> OutcomeTable:
    """Load bank marketing: 41,188 calls, 20 columns; positive = a deposit was made (11.3 %)."""
    frame = pd.read_csv(checked_file(BANK_FILE, folder), sep=";")
    labels = (frame.pop("y") == "yes").to_numpy(dtype=bool)
    require_counts("bank_marketing", labels, rows=41188, positives=(4640,))
    return OutcomeTable("bank_marketing", frame, labels, np.ones(labels.size))


def mammography(folder: Path | None = None) -> OutcomeTable:
    """Load mammography: 11,183 regions, 6 measures; positive = a microcalcification (2.3 %)."""
    with gzip.open(checked_file(MAMMOGRAPHY_FILE, folder), "rt", encoding="ascii") as file:
        rows = [line.strip().split(",") for line in file if line.strip()]
    labels = np.array([row[-1].strip("'") == "1" for row in rows])
    require_counts("mammography", labels, rows=11183, positives=(260,))
    measures = np.array([row[:-1] for row in rows], dtype=np.float64)
    names = [f"measure {j + 1}" for j in range(measures.shape[1])]
    return OutcomeTable("mammography", pd.DataFrame(measures, columns=names), labels, np.ones(labels.size))


def credit_card(folder: Path | None = None) -> OutcomeTable:
    """Load credit card, case-control: 492 frauds, 7,287 legitimate rows of weight 39.02."""
    with np.load(checked_file(CREDIT_CARD_FILE, folder)) as held:
        frame = pd.DataFrame(held["X"], columns=held["columns"].astype(str))
        labels, weights = held["y"] == 1, held["weight"].astype(np.float64)
    require_counts("creditcard_casecontrol", labels, rows=7779, positives=(492,))
    return OutcomeTable("creditcard_casecontrol", frame, labels, weights)


ROBLES_SETS: MappingProxyType[str, Callable[..., OutcomeTable]] = MappingProxyType(
    {"bank": bank_marketing, "mammography": mammography, "creditcard": credit_card}
)


# In their order on the circle.
CYCLES = {
    "month": ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    "day_of_week": ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
}
HELD_OUT, COUNTED_APART = 0.25, 0.25
SHARED_COMPONENTS = 0.2
MIN_VARIANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of a draw at random: `train` and `count` (75 % together), `held_out` (25 %)."""

    train: Indices
    count: Indices
    held_out: Indices

    @property
    def training(self) -> Indices:
        """The 75 % on which classifiers are trained where counts are taken on the same rows."""
        return np.concatenate([self.train, self.count])


def drawn_split(labels: Bools, draw: int) -> Split:
    """Split n rows at random into train (50 %), count (25 %) and held out; seed is the draw."""
    order = np.random.default_rng(draw).permutation(labels.size)
    held_out, counted = round(HELD_OUT * labels.size), round((HELD_OUT + COUNTED_APART) * labels.size)
    return Split(order[counted:], order[held_out:counted], order[:held_out])


def numeric_features(table: OutcomeTable) -> Floats:
    """Encode columns: words one-hot, days and months on the circle, blanks as the mean."""
    parts: list[pd.DataFrame] = []
    for name in table.columns.columns:
        column = table.columns[name]
        if name in CYCLES:
            turn = 2 * np.pi * column.map(CYCLES[name].index).to_numpy(dtype=np.float64) / len(CYCLES[name])
            parts.append(pd.DataFrame({f"{name} sin": np.sin(turn), f"{name} cos": np.cos(turn)}))
        elif pd.api.types.is_numeric_dtype(column):
            parts.append(column.fillna(column.mean()).to_frame())
        else:
            parts.append(pd.get_dummies(column, prefix=name))
    return pd.concat(parts, axis=1).to_numpy(dtype=np.float64)


def two_views(features: Floats, training: Indices) -> tuple[Floats, Floats]:
    """Make the features of two classifiers: principal components, (n, d_1) and (n, d_2).

    Standardised and rotated by the `training` rows; the fifth of the components with the largest variance goes to both,
    the rest to the two in turn.
    """
    rotation = make_pipeline(StandardScaler(), PCA(random_state=0)).fit(features[training])
    kept = int((rotation[-1].explained_variance_ > MIN_VARIANCE).sum())
    components = rotation.transform(features)[:, :kept]
    shared = int(np.ceil(SHARED_COMPONENTS * kept))
    first, second = (np.r_[0:shared, shared + turn : kept : 2] for turn in (0, 1))
    return components[:, first], components[:, second]
