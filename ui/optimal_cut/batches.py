"""A cut for each batch of items, beside one cut for all."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import ScoredDataset
from multiloss_core.formatting import plural, short_loss
from multiloss_core.losses import BatchCuts, batch_cuts
from multiloss_core.tables import frame_as_csv
from ui.optimal_cut.answer import offer_csv, with_calibrated
from ui.optimal_cut.comparison import Answer
from ui.shared.formatting import AREA, COUNT, as_text, show_numbers
from ui.shared.widgets import ask_column, offered_columns

OWN, COMMON = "Own cut for each batch", "One cut for all"


def show_batches(dataset: ScoredDataset, found: Answer) -> None:
    """Ask for the column that names the batches; compare cuts, list the batches and offer rows."""
    st.markdown(
        "Where each batch of items (the alerts of a day, the labels of a document) is judged by itself, each has its "
        "own *k\\**. Macro figures are means over batches; micro figures take all items together."
    )
    tag = dataset.key[:24]
    column = ask_column(
        st.container(width=420),
        "Column with the batch of each item",
        offered_columns(dataset.frame),
        None,
        key=f"cut_batch_{tag}",
        placeholder="Choose a column",
    )
    if column is None:
        return
    try:
        own, common = _cuts(dataset.key, column, repr(found.loss), found.at_least, dataset, found)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    _show_figures(found, own, common)
    table = _table(own)
    st.dataframe(
        table,
        hide_index=True,
        height=300,
        alt=f"The cut, the items flagged and the losses of {plural(len(table), 'batch')}.",
        column_config={
            **{name: st.column_config.NumberColumn(format="localized") for name in ("Items", "Flagged")},
            "Cut": st.column_config.NumberColumn(format="%.4g", help="The smallest flagged probability."),
            **{name: st.column_config.NumberColumn(format="%.4f") for name in ("Expected loss", "Observed loss")},
        },
    )
    with st.container(horizontal=True):
        offer_csv(
            plural(int(own.k.sum()), "selected item"),
            lambda: frame_as_csv(with_calibrated(dataset), rows=np.flatnonzero(own.selected)),
            "selected-items-by-batch.csv",
            key="cut_batch_rows",
        )
        offer_csv(plural(len(table), "cut"), lambda: frame_as_csv(table), "cuts-by-batch.csv", key="cut_batch_table")


def _show_figures(found: Answer, own: BatchCuts, common: BatchCuts) -> None:
    """Show macro and micro figures of own cuts and of one cut for all."""
    lost = common.macro_expected - own.macro_expected
    difference = f"{short_loss(abs(lost))} {'more' if lost > 0 else 'less'}" if abs(lost) >= 5e-5 else "as much"
    st.markdown(
        f"**{plural(len(own.names), 'batch')}**: the mean expected {found.loss_name} loss is "
        f"**{short_loss(own.macro_expected)}** with own cuts and **{short_loss(common.macro_expected)}** with one cut, "
        f"{difference}."
        + (f" At least {plural(found.at_least, 'item', 'are')} flagged in each batch." if found.at_least else ""),
        width=860,
    )
    rows = [
        {
            "": name,
            "Items flagged": int(cuts.k.sum()),
            "Macro: expected loss": cuts.macro_expected,
            "Micro: loss at mean counts": cuts.micro_expected,
        }
        | (
            {}
            if math.isnan(cuts.macro_observed)
            else {"Macro: observed loss": cuts.macro_observed, "Micro: observed loss": cuts.micro_observed}
        )
        for name, cuts in ((OWN, own), (COMMON, common))
    ]
    kinds = {"Items flagged": COUNT} | dict.fromkeys(list(rows[0])[2:], AREA)
    show_numbers(rows, kinds, alt="Macro and micro losses of own cuts and of one cut for all.")
    st.caption("Own cuts minimise the expected macro loss, one cut for all the micro loss. Observed ones are one draw.")


def _table(cuts: BatchCuts) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Batch": cuts.names,
            "Items": cuts.items,
            "Flagged": cuts.k,
            "Cut": cuts.cut,
            "Expected loss": cuts.expected,
            "Observed loss": cuts.observed,
        }
    ).dropna(axis=1, how="all")


@st.cache_resource(scope="session", max_entries=4, show_spinner="Finding the cut of every batch …")
def _cuts(
    key: str, column: str, about: str, at_least: int, _dataset: ScoredDataset, _found: Answer
) -> tuple[BatchCuts, BatchCuts]:
    flagged, names = _dataset.flagged(_found.optimum.k), _dataset.frame[column]
    return batch_cuts(_dataset.items, names, _found.loss, flagged, at_least=at_least, order=_dataset.order)
