"""Build scored items from a table of probabilities."""

import hashlib
from dataclasses import dataclass

import numpy as np
import pandas as pd

from multiloss_core.datasets.source import ScoredSource, source_key
from multiloss_core.errors import DataError
from multiloss_core.losses import probability_order, random_half
from multiloss_core.losses.scored_items import ScoredItems
from multiloss_core.numerics import Bools, Indices
from multiloss_core.tables import READ_AS_IT_LOOKS, ItemColumns, ReadOptions, read_items_in_process, read_pasted

PASTED = "Pasted items"


@dataclass(frozen=True, eq=False)
class ScoredDataset:
    """Hold checked items. `key` changes with the file and with the choice of columns.

    `order` (n,): positions from the most to the least probable. `tuning`: the labelled items that a threshold is tuned
    on; the others judge it. `calibration`: the method that corrected the probabilities, empty for none; equal ones are
    then in the order of the given ones.
    """

    name: str
    key: str
    frame: pd.DataFrame
    items: ScoredItems
    order: Indices
    tuning: Bools
    calibration: str = ""

    @classmethod
    def of(cls, source: ScoredSource, columns: ItemColumns) -> "ScoredDataset":
        """Build and check the items of a table. Raises DataError."""
        if columns.probability is None:
            raise DataError(
                "Which column holds the probabilities is not certain; choose it under What the columns mean."
            )
        items = ScoredItems.from_frame(
            source.frame,
            probability=columns.probability,
            label=columns.label,
            positive=columns.positive,
            group=columns.group,
        )
        # The same half every time: a figure must not change because the page ran again.
        tuning = random_half(items.known_labels.size, np.random.default_rng(0))
        order = probability_order(items.probabilities)
        return cls(source.name, source_key(source.fingerprint, columns), source.frame, items, order, tuning)

    def flagged(self, k: int) -> Bools:
        """Return a mask (n,) of the k most probable items."""
        mask = np.zeros(self.order.size, dtype=bool)
        mask[self.order[:k]] = True
        return mask


def read_scored_source(data: bytes, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> ScoredSource:
    """Read a file of items and guess its columns. Raises DataError where it is no usable table."""
    file, columns = read_items_in_process(data, name, options=options)
    fingerprint = hashlib.sha256(data + options.key.encode()).hexdigest()
    return ScoredSource(name, fingerprint, file.frame, columns, notes=file.notes, sheets=file.sheets, sheet=file.sheet)


def read_pasted_source(text: str) -> ScoredSource:
    """Read pasted text. Raises DataError where it is neither numbers nor a usable table."""
    frame, columns = read_pasted(text)
    return ScoredSource(PASTED, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), frame, columns)
