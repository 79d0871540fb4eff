"""Puts an export together: a style, some decoys, shuffled columns."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tests.tables.exports.cells import Alerts
from tests.tables.exports.decoys import DECOYS
from tests.tables.exports.styles import STYLES
from tests.tables.exports.truth import Truth


@dataclass
class Export:
    name: str
    frame: pd.DataFrame
    truth: Truth


def export(seed):
    """The export of a seed: styles come in turn."""
    rng = np.random.default_rng([seed, 11])
    alerts = Alerts(rng, rows=int(rng.integers(260, 420)))
    style = STYLES[seed % len(STYLES)]
    columns, truth = style(alerts)
    taken = {name.lower() for name in columns}
    for decoy in rng.choice(list(DECOYS), rng.integers(2, 7), replace=False):
        if decoy.lower() not in taken:
            columns[str(decoy)] = DECOYS[decoy](alerts)
    order = rng.permutation(list(columns))
    frame = pd.DataFrame({str(name): columns[name] for name in order})
    return Export(f"{seed}-{style.__name__}", frame, truth)
