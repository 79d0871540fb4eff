"""Write the library's reference from its docstrings to site/; a warning is an error."""

import warnings
from pathlib import Path

import pdoc

import multiloss_core

warnings.simplefilter("error")
# Pydantic annotates its own methods with names that exist for type checkers only.
warnings.filterwarnings("ignore", message=".*PydanticDataclass")
# Pandas' columns have a type within for type checkers only.
warnings.filterwarnings("ignore", message=r".*pd\.Series\[")
# It is imported only when asked for, as it needs scikit-learn; pdoc looks without asking.
multiloss_core.ThresholdSelector = multiloss_core.ThresholdSelector
# What applications and notebooks import from besides the library itself.
PARTS = (
    "datasets",
    "decisions",
    "engines",
    "figures",
    "generalisation",
    "inspection",
    "losses",
    "numerics",
    "tables",
    "thresholds",
)
pdoc.pdoc(
    "multiloss_core",
    *(f"multiloss_core.{part}" for part in PARTS),
    output_directory=Path(__file__).resolve().parents[1] / "site",
)
