"""The rows and columns of Tables 2 and 3, and what was open in the paper and is chosen here for each set."""

from dataclasses import dataclass
from types import MappingProxyType

from multiloss_core import LOSSES
from multiloss_core.losses import Loss

TABLE_LOSSES: tuple[Loss, ...] = tuple(LOSSES[name] for name in ("F1", "Jaccard", "AM", "G-TP/PR"))
PRINTED_METHODS = ("Proposed", "Baseline", "Tuning", "S-SVM")
ADDED_METHODS = ("Proposed, isotonic", "Proposed, Platt", "Tuning, out of fold")
METHODS = (*PRINTED_METHODS, *ADDED_METHODS)
# What cuts the ranking of the logistic regression, and so cannot go below its best cut.
CUTS_OF_ONE_RANKING = ("Proposed", "Baseline", "Tuning")


@dataclass(frozen=True)
class Recipe:
    """What was chosen for a set: `name` as printed.

    `svm_strengths`: the values of C of the structured SVM tried on a held-out third; `strengths`: those of C = 1 / L2
    tried by cross-validation; `scaling`: "standardised", "as they are" or "text"; `same_features`: whether these are
    the paper's, as far as known.
    """

    name: str
    svm_strengths: tuple[float, ...]
    strengths: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)
    scaling: str = "standardised"
    same_features: bool = True


_DECADES = (1e1, 1e2, 1e3, 1e4)
RECIPES: MappingProxyType[str, Recipe] = MappingProxyType(
    {
        "reuters": Recipe("REUTERS", (1e4, 1e6, 1e8), (1.0, 10.0, 100.0, 1000.0), "text", same_features=False),
        "letters": Recipe("LETTERS", (1e2, 1e3, 1e4)),
        "scene": Recipe("SCENE", (1e1, 1e2, 1e3)),
        "webpage": Recipe("WEB PAGE", (1e2, 1e3, 1e4, 1e5), (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0), "as they are"),
        "image": Recipe("IMAGE", _DECADES, same_features=False),
        "spambase": Recipe("SPAMBASE", _DECADES),
        "breast": Recipe("BREAST CANCER", _DECADES),
    }
)


@dataclass(frozen=True)
class TableRow:
    """One printed row: the key of its set in `RECIPES`, and the least number of positives of a class in it."""

    key: str
    least: int = 1

    @property
    def name(self) -> str:
        """The row's name as on the screen."""
        name = RECIPES[self.key].name
        return f"{name}, T = {self.least}" if self.key == "reuters" else name


TABLE_ROWS = (
    *(TableRow("reuters", least) for least in (1, 10, 50, 100)),
    *(TableRow(key) for key in ("letters", "scene", "webpage", "image", "spambase", "breast")),
)
