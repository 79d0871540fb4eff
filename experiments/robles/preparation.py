"""From a table to the features of two related classifiers, as Robles et al. 2020 make them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from experiments.sets.robles import OutcomeTable
from multiloss_core.numerics.arrays import Bools, Floats, Indices

# In their order on the circle.
CYCLES = {
    "month": ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    "day_of_week": ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
}
HELD_OUT, COUNTED_APART = 0.25, 0.25
SHARED_COMPONENTS = 0.2
LEAST_VARIANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of one draw: `train` and `count` (75 % together) and `held_out` (25 %), all at random."""

    train: Indices
    count: Indices
    held_out: Indices

    @property
    def training(self) -> Indices:
        """The 75 % on which classifiers are trained where counts are taken on the same rows."""
        return np.concatenate([self.train, self.count])


def drawn_split(labels: Bools, draw: int) -> Split:
    """Split n rows at random: a half to train on, a quarter to count on, a quarter held out; the draw is the seed."""
    order = np.random.default_rng(draw).permutation(labels.size)
    held_out, counted = round(HELD_OUT * labels.size), round((HELD_OUT + COUNTED_APART) * labels.size)
    return Split(order[counted:], order[held_out:counted], order[:held_out])


def numeric_features(table: OutcomeTable) -> Floats:
    """Turn columns (n rows) into numbers: words one-hot, days and months points on the circle, blanks the mean."""
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
    """Make what each of two classifiers sees of features (n, d): principal components, (n, d_1) and (n, d_2).

    Standardised and rotated by the `training` rows; the fifth of the components with the largest variance goes to both,
    the rest to the two in turn.
    """
    scaler = StandardScaler().fit(features[training])
    rotation = PCA(random_state=0).fit(scaler.transform(features[training]))
    kept = int((rotation.explained_variance_ > LEAST_VARIANCE).sum())
    components = rotation.transform(scaler.transform(features))[:, :kept]
    shared = int(np.ceil(SHARED_COMPONENTS * kept))
    first, second = (np.r_[0:shared, shared + turn : kept : 2] for turn in (0, 1))
    return components[:, first], components[:, second]
