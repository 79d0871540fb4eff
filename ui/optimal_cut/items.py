"""Upload items with probabilities, choose their columns and describe them."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core.datasets import ScoredDataset, ScoredSource, read_pasted_source
from multiloss_core.formatting import count, plural
from multiloss_core.tables import MAX_PASTED, ItemColumns
from ui.data.scored import scored_uploads
from ui.shared.formatting import as_text, show_table
from ui.shared.session import session
from ui.shared.widgets import ask_column, ask_optional_column, ask_positive, offered_columns

NO_LABEL = "(none: no outcome is known)"
PREVIEW_ROWS = 100


def ask_items(place: DeltaGenerator) -> None:
    """Draw the uploader and the box for pasted items, with the last error of each."""
    with place:
        store, state = scored_uploads(), session().scored
        store.ask_upload()
        with st.expander("Paste items", icon=":material/content_paste:", expanded=state.paste_complaint is not None):
            text = st.text_area(
                "One probability on each line, or a table with a header",
                key="scored_paste",
                max_chars=MAX_PASTED,
                height=140,
                placeholder="0.91\n0.40\n0.07",
            )
            if st.button("Use these items", key="scored_use"):
                state.paste_complaint = store.take(lambda: read_pasted_source(text))
            if state.paste_complaint:
                st.error(as_text(state.paste_complaint), icon=":material/error:")


def ask_item_columns(source: ScoredSource) -> ItemColumns:
    """Ask for the roles of the columns."""
    known, tag = scored_uploads().choice_for(source), source.fingerprint[:24]
    columns = offered_columns(source.frame)
    is_asked = known.probability is None
    expander = st.expander("What the columns mean", icon=":material/table_chart:", expanded=is_asked)
    with expander:
        probability = ask_column(
            expander,
            "Probability",
            columns,
            known.probability,
            key=f"probability_{tag}",
            placeholder="Choose the column with the probabilities of a positive",
        )
        label = ask_optional_column(
            expander,
            "Outcome (label), if known",
            columns,
            known.label,
            none=NO_LABEL,
            key=f"label_{tag}",
            hint="Two values, one of them positive; blank for unknown outcomes.",
        )
        positive = None
        if label is not None:
            guess = known.positive if label == known.label else None
            positive = ask_positive(
                "Outcome that is positive", source.frame, label, guess, tag, "outcome", key=f"positive_{label}_{tag}"
            )
        group = ask_optional_column(
            expander,
            "Group (optional)",
            columns,
            known.group,
            none="(none: outcomes are independent)",
            key=f"group_{tag}",
            hint="Items whose outcomes depend on each other, as those of one customer do. The interval of k* is then "
            "wider.",
        )
        shown = source.frame.head(PREVIEW_ROWS)
        show_table(shown.set_index(shown.index + 1), height=180, alt=f"First rows of {source.name}.")
        st.caption(f"The first {len(shown):,} of {len(source.frame):,} rows.")
    return ItemColumns(probability, label, positive, group)


def show_facts(dataset: ScoredDataset) -> None:
    """Summarise the items in one line."""
    items = dataset.items
    known = (
        "no outcomes are known"
        if items.labels is None
        else f"{count(items.known_labels.sum())} of {plural(items.known_labels.size, 'known outcome')} are positive"
    )
    st.caption(
        f"{plural(items.probabilities.size, 'item')}, {items.probabilities.sum():,.1f} expected positives; {known}."
    )
