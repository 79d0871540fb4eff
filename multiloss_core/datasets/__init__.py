"""Tables with the meanings of their columns, and the checked data that are built from them."""

from multiloss_core.datasets.rated import OverTime, RatedDataset
from multiloss_core.datasets.samples import RATED_SAMPLES, SCORED_SAMPLES
from multiloss_core.datasets.scored import ScoredDataset, read_pasted_source, read_scored_source
from multiloss_core.datasets.source import RatedSource, ScoredSource, Source, source_key

__all__ = [
    "RATED_SAMPLES",
    "SCORED_SAMPLES",
    "OverTime",
    "RatedDataset",
    "RatedSource",
    "ScoredDataset",
    "ScoredSource",
    "Source",
    "read_pasted_source",
    "read_scored_source",
    "source_key",
]
