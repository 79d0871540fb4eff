"""Choose thresholds from rated predicted positives; find optimal predictions under losses.

A table becomes `RatedDocuments`, `CountSurfaces`, a `ThresholdPath`, its `OperatingPoint` and a `DecisionRecord`
(Robles, Zaidouni, Mavromoustaki, Refael 2020); probabilities become `expected_losses` and a `TopK` (Natarajan,
Koyejo, Ravikumar, Dhillon 2016). Packages: `tables` reads files and columns; `datasets` builds documents;
`thresholds` finds paths, and its `targets` turn goals into points; `generalisation` estimates performance on new
data; `inspection` explains a point; `losses`, `decisions` and `figures`.
"""

from importlib.util import find_spec

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
# A star import loads every name that it gives: packages are found by tab completion alone, and some names need a
# package that may not be installed.
_NEEDS = {
    "sklearn": ("ThresholdSelector", "TopKClassifier"),
    "pyarrow": ("read_rated", "read_table"),
    "pydantic": ("DecisionRecord",),
}
_left_out = {name for name in __all__ if find_spec(f"{__name__}.{name}") is not None}
_left_out.update(*(names for package, names in _NEEDS.items() if find_spec(package) is None))
__all__ = [name for name in __all__ if name not in _left_out]
