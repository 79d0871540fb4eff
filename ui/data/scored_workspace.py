"""The scored items that one user loaded, kept while moving between pages."""

from dataclasses import dataclass, field

import streamlit as st

from multiloss_core.tables.item_columns import ItemColumns
from ui.data.scored_datasets import SAMPLES, ScoredSource, scored_sample
from ui.data.uploads import Shelf

MAX_UPLOADS = 2


@dataclass
class ScoredWorkspace(Shelf[ItemColumns]):
    """Also what became of the last paste, and which comparisons of all losses were made already."""

    paste_complaint: str | None = None
    compared: set[tuple[str, float]] = field(default_factory=set)


def scored_workspace() -> ScoredWorkspace:
    """This session's scored items."""
    found: ScoredWorkspace = st.session_state.setdefault(
        "scored_workspace", ScoredWorkspace("scored_data", MAX_UPLOADS)
    )
    return found


def choose_scored_source() -> ScoredSource:
    """Let the user pick a sample or what was loaded."""
    hint = "Two simulated samples, and what you uploaded or pasted in this session."
    return scored_workspace().pick("Items", SAMPLES, scored_sample, hint=hint)
