"""Count the documents flagged by each combination of classifiers at a point."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.inspection.document_subset import DocumentSubset, document_subset
from multiloss_core.thresholds.data.counts import Rule, checked_thresholds, require_rule
from multiloss_core.thresholds.data.rated_documents import RatedDocuments

MAX_CLASSIFIERS = 4


@dataclass(frozen=True, eq=False)
class Contribution:
    """Documents that reach exactly the thresholds of these classifiers (rising positions).

    `flagged`: whether the rule flags them. If not, the one missing classifier alone holds them back.
    """

    classifiers: tuple[int, ...]
    flagged: bool
    documents: DocumentSubset


def contributions(documents: RatedDocuments, thresholds: ArrayLike, rule: Rule) -> tuple[Contribution, ...]:
    """Count documents of each combination of at most 4 classifiers at thresholds (k,).

    Under `any`, one for each of the 2^k - 1 combinations, single classifiers first: together they are all flagged
    documents, and those of a single classifier would be lost without it. Under `all` every classifier reaches all
    flagged documents, so the contribution of each is what it alone holds back: the first one counts the flagged
    documents, then one for each of k >= 2 classifiers counts those that only it misses, which would be flagged without
    it. Of the latter only rated documents count: all there are, unless the others' thresholds lie below all of their
    floors.

    Raises DataError: more than 4 classifiers, or not one usable threshold for each.
    """
    require_rule(rule)
    count = len(documents.names)
    if count > MAX_CLASSIFIERS:
        raise DataError(f"Contributions are available for at most {MAX_CLASSIFIERS} classifiers, not {count}.")
    reached = documents.scores >= checked_thresholds(thresholds, documents.names)
    code = reached @ (1 << np.arange(count))
    everyone = tuple(range(count))
    if rule == "any":
        wanted = [(members, True) for size in range(1, count + 1) for members in combinations(everyone, size)]
    else:
        held_back = [(tuple(i for i in everyone if i != missing), False) for missing in everyone if count > 1]
        wanted = [(everyone, True), *held_back]
    return tuple(
        Contribution(members, flagged, document_subset(documents, code == sum(1 << i for i in members)))
        for members, flagged in wanted
    )


def contribution_words(contribution: Contribution, names: Sequence[str]) -> str:
    """Name the classifiers that flag these documents, or the one that holds them back."""
    members = [names[j] for j in contribution.classifiers]
    if not contribution.flagged:
        missing = next(name for name in names if name not in members)
        return f"held back by {missing} alone"
    if len(members) == 1:
        return f"{members[0]} alone" if len(names) > 1 else members[0]
    return f"{', '.join(members[:-1])} and {members[-1]}"
