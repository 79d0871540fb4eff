"""Scored items of one session: simulated samples, uploaded files and pasted text, and the choice of their columns."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import pandas as pd
import streamlit as st
from scipy.special import expit

from multiloss_core import DataError, ScoredItems
from multiloss_core.losses import probability_order, random_half
from multiloss_core.numerics import Bools, Indices
from multiloss_core.tables import (
    MAX_ITEMS,
    READ_AS_IT_LOOKS,
    ItemColumns,
    ReadOptions,
    read_items_in_process,
    read_pasted,
)
from ui.data.uploads import UploadStore
from ui.shared.session import Source, session

SAMPLE_ITEMS = 2_000
PASTED = "Pasted items"
# How many times further from the middle the log odds are than they should be, and a seed.
SAMPLES = MappingProxyType({"Calibrated alerts": (1.0, 31), "Overconfident alerts": (1.8, 32)})

ScoredSource: TypeAlias = Source[ItemColumns]


@dataclass(frozen=True, eq=False)
class ScoredDataset:
    """Items ready to be cut. `key` changes with the file and with the choice of columns.

    `order` (n,): positions from the most to the least probable. `tuning`: which of the labelled items a threshold is
    tuned on; the others judge it. `calibration`: by what the probabilities were corrected, empty where they are as
    given; equal ones are then in the order of the given ones.
    """

    name: str
    key: str
    frame: pd.DataFrame
    items: ScoredItems
    order: Indices
    tuning: Bools
    calibration: str = ""


def uploaded_source(data: bytes, name: str, options: ReadOptions = READ_AS_IT_LOOKS) -> ScoredSource:
    """Read an uploaded file and guess its columns. Raises DataError where it is no usable table."""
    file, choice = read_items_in_process(data, name, options=options)
    fingerprint = hashlib.sha256(data + options.key.encode()).hexdigest()
    return ScoredSource(name, fingerprint, file.frame, choice, notes=file.notes, sheets=file.sheets, sheet=file.sheet)


def pasted_source(text: str) -> ScoredSource:
    """Read pasted text. Raises DataError where it is neither numbers nor a usable table."""
    frame, choice = read_pasted(text)
    return ScoredSource(PASTED, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), frame, choice)


def scored_dataset(source: ScoredSource, choice: ItemColumns) -> ScoredDataset:
    """Check the items of a source under a choice of columns. Raises DataError."""
    key = json.dumps([source.fingerprint, asdict(choice)], sort_keys=True)
    return _checked(hashlib.sha256(key.encode()).hexdigest(), source, choice)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Checking and sorting the items …")
def _checked(key: str, _source: ScoredSource, _choice: ItemColumns) -> ScoredDataset:
    if _choice.probability is None:
        raise DataError("Which column holds the probabilities is not certain; choose it under What the columns mean.")
    items = ScoredItems.from_frame(
        _source.frame, probability=_choice.probability, label=_choice.label, positive=_choice.positive
    )
    # The same half every time: a figure must not change because the page ran again.
    tuning = random_half(items.known_labels.size, np.random.default_rng(0))
    order = probability_order(items.probabilities)
    return ScoredDataset(_source.name, key, _source.frame, items, order, tuning)


@st.cache_resource(max_entries=4, show_spinner=False)
def scored_sample(name: str) -> ScoredSource:
    """Simulate a sample, the same for everybody."""
    exaggeration, seed = SAMPLES[name]
    generator = np.random.default_rng(seed)
    log_odds = -3.0 + 1.9 * generator.standard_normal(SAMPLE_ITEMS)
    fraud = generator.random(SAMPLE_ITEMS) < expit(log_odds)
    frame = pd.DataFrame(
        {
            "alert": [f"A-{number:05d}" for number in range(1, SAMPLE_ITEMS + 1)],
            "probability": expit(-1.5 + exaggeration * (log_odds + 1.5)).round(6),
            "outcome": np.where(fraud, "fraud", "ok"),
        }
    )
    return ScoredSource(name, f"sample {name}", frame, ItemColumns("probability", "outcome", "fraud"))


def scored_uploads() -> UploadStore[ItemColumns, ScoredDataset]:
    """Return this session's scored items."""
    return UploadStore(
        state=session().scored,
        key="scored_data",
        samples=dict.fromkeys(SAMPLES, scored_sample),
        label="Items",
        hint="Two simulated samples, and what you uploaded or pasted in this session.",
        read=uploaded_source,
        build=scored_dataset,
        upload_key="scored_upload",
        upload_label="Your own items: CSV, Excel or Parquet",
        upload_hint=f"One row for each item, one column with its probability, up to {MAX_ITEMS:,} rows; if outcomes "
        "are known, a column with them (0/1, true/false or two words).",
        choice_type=ItemColumns,
        of_other_files=lambda choice: choice,
    )


def choose_scored_source(load: Callable[[], None] | None = None) -> ScoredSource:
    """Let the user pick a sample or what was loaded; `load` draws what brings items in."""
    return scored_uploads().pick(load)
