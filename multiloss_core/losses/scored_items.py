"""Represent items with a probability each, and their known outcomes."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from multiloss_core.errors import DataError
from multiloss_core.numerics.arrays import Bools, Floats, Indices, number_array
from multiloss_core.tables.column_values import group_numbers
from multiloss_core.tables.item_columns import item_groups, outcome_column, probability_column, require_few_items


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """n items, each with the probability that it is positive.

    `probabilities` (n,) in [0, 1]. `labels` (n,) bool, or None without any outcome; where `labelled` (n,) bool is
    False the outcome is unknown and the label is False. By default all labels are known. `groups` (n,): numbers or
    words that say which outcomes depend on each other; kept as numbers 0..g-1. Raises DataError unless all of this
    holds.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core import ScoredItems
    >>> ScoredItems(np.array([0.9, 0.2]), np.array([True, False])).probabilities
    array([0.9, 0.2])
    """

    probabilities: Floats
    labels: Bools | None = None
    labelled: Bools | None = None
    groups: Indices | None = None

    def __post_init__(self) -> None:
        probabilities = number_array(self.probabilities, "Probabilities")
        if probabilities.ndim != 1 or not probabilities.size:
            raise DataError("There are no probabilities; give at least one.")
        require_few_items(probabilities.size)
        if not np.all((probabilities >= 0.0) & (probabilities <= 1.0)):
            raise DataError("Probabilities must be numbers between 0 and 1.")
        object.__setattr__(self, "probabilities", probabilities)
        if self.groups is not None:
            object.__setattr__(self, "groups", group_numbers(self.groups, probabilities.size))
        if self.labels is None:
            object.__setattr__(self, "labelled", None)
            return
        labels = np.asarray(self.labels, dtype=bool)
        labelled = np.ones(labels.shape, bool) if self.labelled is None else np.asarray(self.labelled, dtype=bool)
        if not labels.shape == labelled.shape == probabilities.shape:
            raise DataError(f"{labels.size:,} labels do not fit {probabilities.size:,} probabilities; give one each.")
        object.__setattr__(self, "labels", labels & labelled)
        object.__setattr__(self, "labelled", labelled)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        probability: str,
        label: str | None = None,
        positive: object | None = None,
        group: str | None = None,
    ) -> "ScoredItems":
        """Take the items of a table: one row each, at most 1,000,000.

        `probability` names the column with numbers in [0, 1]; `label` one with two values (0/1, true/false, two words),
        `positive` the positive one, needed if that is not obvious; blank labels are unknown. A label column
        with a single value is accepted if its meaning is clear. Outcomes of rows with the same value of `group` depend
        on each other. Raises DataError, naming column and row.
        """
        require_few_items(len(frame))
        if not len(frame):
            raise DataError("The table has no rows; give at least one item with its probability.")
        probabilities = probability_column(frame, probability)
        groups = None if group is None else item_groups(frame, group)
        if label is None:
            return cls(probabilities, groups=groups)
        known = outcome_column(frame, label, positive)
        labelled = ~np.isnan(known)
        return cls(probabilities, known == 1, labelled, groups)

    @property
    def known_probabilities(self) -> Floats:
        """Return the probabilities (m,) of items with a known outcome."""
        return self.probabilities[:0] if self.labelled is None else self.probabilities[self.labelled]

    @property
    def known_labels(self) -> Bools:
        """Return the outcomes (m,) of items with a known outcome."""
        return np.zeros(0, bool) if self.labels is None or self.labelled is None else self.labels[self.labelled]

    @property
    def known_groups(self) -> Indices | None:
        """Return the groups (m,) of items with a known outcome, renumbered from 0."""
        if self.groups is None or self.labelled is None:
            return None
        return np.unique(self.groups[self.labelled], return_inverse=True)[1]
