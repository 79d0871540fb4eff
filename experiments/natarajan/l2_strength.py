"""Loss against the strength of L2, the one choice of the paper's estimator that decides its picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.natarajan.cells import losses_of_cuts
from experiments.natarajan.predictions import cuts_of_ranking
from experiments.natarajan.runs import Part, Progress, generator_of, one_class, parts_of, processes_of
from experiments.natarajan.table_rows import METHODS, RECIPES, TABLE_LOSSES
from multiloss_core.numerics.arrays import Floats

STRENGTHS = (1e-4, 10**-3.5, 1e-3, 10**-2.5, 1e-2, 10**-1.5, 1e-1, 1.0, 10.0)
SETS = ("scene", "spambase", "webpage")
DRAWS = 3
CURVES = ("Baseline", "Proposed", "Proposed, isotonic", "Proposed, Platt", "Tuning")
FLOOR = "floor"


@dataclass(frozen=True, eq=False)
class StrengthCurve:
    """The mean test `losses` (strengths,) of a method, or of the floor, on a set; `strengths` are C = 1 / L2."""

    key: str
    loss: str
    method: str
    strengths: tuple[float, ...]
    losses: Floats


def strength_curves(
    keys: Sequence[str] = SETS,
    *,
    strengths: Sequence[float] = STRENGTHS,
    draws: int = DRAWS,
    processes: int,
    progress: Progress,
) -> list[StrengthCurve]:
    """Cut the rankings at each strength, averaged over classes and draws."""
    given = [(part, strength) for part in parts_of(keys, draws) for strength in strengths]
    found: dict[tuple[Part, float], Floats] = {}
    with processes_of(processes) as each:
        for one, losses in each(_losses_at, given):
            found[one] = losses
            progress(len(found), len(given), f"{RECIPES[one[0].key].name} at C = {one[1]:.2g}")
    return [curve for key in keys for curve in _curves_of(key, tuple(strengths), found)]


def _losses_at(given: tuple[Part, float]) -> Floats:
    """Compute the losses (losses, methods and floor) of a part at a strength."""
    part, strength = given
    one = one_class(part)
    cuts = cuts_of_ranking(one, [strength], generator_of(part))
    return np.array([[*losses_of_cuts(cuts, one.test_labels, at), cuts.floors[at]] for at in range(len(TABLE_LOSSES))])


def _curves_of(key: str, strengths: tuple[float, ...], found: dict[tuple[Part, float], Floats]) -> list[StrengthCurve]:
    means = [
        np.mean([losses for (part, at), losses in found.items() if part.key == key and at == strength], axis=0)
        for strength in strengths
    ]
    columns = {**{method: METHODS.index(method) for method in CURVES}, FLOOR: len(METHODS)}
    return [
        StrengthCurve(key, loss.name, method, strengths, np.array([mean[at, column] for mean in means]))
        for at, loss in enumerate(TABLE_LOSSES)
        for method, column in columns.items()
    ]
