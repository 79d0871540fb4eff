"""Choose which alert rules to keep beside the best thresholds of the scores."""

from itertools import product

import numpy as np

from multiloss_core.numerics.arrays import Bools, Floats, sums
from multiloss_core.thresholds.paths.smooth.cells import ExpectedCells

# Maximum number of rules of which every set is compared; with more, sets one rule apart from the best are.
MAX_EXACT = 12
# Nodes of all tables together, and of each.
MAX_NODES_TOGETHER, MIN_TABLE_NODES, MAX_TABLE_NODES = 4_000_000, 2_000, 200_000
NODES_OF_MANY_RULES = 8_000
# Combinations of rules with fewer documents get a bound without a table.
MAX_TABLES = 100
TOLERANCE = 1e-9
# What a rule must gain to be active: standard errors of one document at the target.
STANDARD_ERRORS_OF_RULE = 2.0


def price_of_rule(document: float, targets: Floats) -> Floats:
    """Compute the gain (t,) that a rule must bring to be active.

    `document` is the weight of one effective document. Of many rules with few alerts of their own, those would be
    chosen whose alerts happen to be positive: scores alone do better.
    """
    return np.asarray(STANDARD_ERRORS_OF_RULE * document * np.sqrt(targets * (1 - targets)))


def rule_choices(cells: ExpectedCells, targets: Floats, document: float = 0.0) -> tuple[Bools, Floats]:
    """Find the active alert rules with the largest expected (1 - m) TP - m FP at each target m.

    Beside them stand the best thresholds of a table. Returns the active rules (t, r) for targets (t,) and the gains
    (t,) that they reach, less their price: `price_of_rule` for an effective document of weight `document`.

    A document is flagged by an active rule or by a score. Exact for at most 12 rules by branch and bound over their
    2^r sets: what the documents of one combination of rules gain at the best thresholds for them alone bounds what they
    can add. With more rules sets are improved one rule at a time from all and from none. Each set that is looked at
    costs a table of nodes, which serves all targets.
    """
    search = _Search(cells, targets, price_of_rule(document, targets))
    rules = cells.cells.alert_rules
    for start in (np.zeros(rules, dtype=bool), np.ones(rules, dtype=bool)):
        search.improve(start)
    if rules <= MAX_EXACT:
        search.compare_all()
    return np.array([search.sets[number] for number in search.best]), search.gains


class _Search:
    """The sets of rules that were looked at, and the best of them at each target."""

    def __init__(self, cells: ExpectedCells, targets: Floats, price: Floats) -> None:
        grid = cells.cells
        # How documents combine rules: (p, r), and the combination of each cell; the first one may be no rule.
        raised: Bools = grid.cells[:, grid.score_count :] > 0
        combinations, place = np.unique(raised, axis=0, return_inverse=True)
        self.cells, self.targets, self.combinations, self.place = cells, targets, combinations, place
        self.price = price
        self.sets: list[Bools] = []
        self.known: dict[bytes, Floats] = {}
        self.gains, self.best = np.full(len(targets), -np.inf), np.zeros(len(targets), dtype=np.intp)
        tables = 1 + min(len(combinations), MAX_TABLES)
        # Of many rules hundreds of sets are looked at.
        most = MAX_TABLE_NODES if grid.alert_rules <= MAX_EXACT else NODES_OF_MANY_RULES
        self.max_nodes = int(np.clip(MAX_NODES_TOGETHER // tables, MIN_TABLE_NODES, most))
        tp, self.alerts = (sums(place, part, len(combinations)) for part in (cells.expected, cells.totals))
        # What each combination gains where it is flagged as a whole: (p, t).
        self.whole = tp[:, np.newaxis] - self.alerts[:, np.newaxis] * targets

    def look(self, active: Bools) -> Floats:
        """Compute the largest gain (t,) beside a set of active rules."""
        key = active.tobytes()
        if key not in self.known:
            hit: Bools = np.asarray((self.combinations & active).any(axis=1))
            found = self.whole[hit].sum(axis=0) + self._gain_by_scores(~hit) - self.price * active.sum()
            better = found > self.gains + TOLERANCE
            # Fewer rules at an equal gain.
            count = active.sum()
            better |= (np.abs(found - self.gains) <= TOLERANCE) & np.array(
                [count < self.sets[number].sum() if self.sets else True for number in self.best]
            )
            self.sets.append(active.copy())
            self.gains = np.where(better, found, self.gains)
            self.best = np.where(better, len(self.sets) - 1, self.best)
            self.known[key] = found
        return self.known[key]

    def improve(self, start: Bools) -> None:
        """Switch one rule at a time on or off while this gains at some target."""
        self.look(start)
        searched: set[int] = set()
        while left := set(self.best.tolist()) - searched:
            for number in left:
                searched.add(number)
                for rule in range(len(start)):
                    other = self.sets[number].copy()
                    other[rule] = ~other[rule]
                    self.look(other)

    def compare_all(self) -> None:
        """Look at every set whose bound is above the best gain of some target."""
        sets = np.array(list(product([False, True], repeat=self.combinations.shape[1])))
        hit = (sets @ self.combinations.T.astype(np.intp)) > 0
        bounds = hit @ self.whole + ~hit @ self._most_by_scores() - np.outer(sets.sum(axis=1), self.price)
        while True:
            excess = bounds - self.gains - TOLERANCE * (1 + np.abs(self.gains))
            number = int(excess.max(axis=1).argmax())
            if excess[number].max() <= 0:
                return
            bounds[number] = self.look(sets[number])

    def _most_by_scores(self) -> Floats:
        """Bound what thresholds gain from each combination (p, t)."""
        alerts = self.alerts
        most = np.empty((len(alerts), len(self.targets)))
        largest = set(np.argsort(-alerts, kind="stable")[:MAX_TABLES].tolist())
        for number in range(len(alerts)):
            mask = np.arange(len(alerts)) == number
            if number in largest:
                most[number] = self._gain_by_scores(mask)
            else:
                cells = self.place == number
                gains = self.cells.expected[cells, np.newaxis] - self.cells.totals[cells, np.newaxis] * self.targets
                most[number] = gains.clip(0.0).sum(axis=0)
        return most

    def _gain_by_scores(self, combinations: Bools) -> Floats:
        """Compute the largest gain (t,) of thresholds from the cells of some combinations (p,)."""
        table = self.cells.left_to_scores(combinations[self.place]).table("any", self.max_nodes)
        return table.gains(table.best(self.targets), self.targets)
