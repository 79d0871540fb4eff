"""A cut for each batch of items, beside one cut for all."""

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import ScoredDataset
from multiloss_core.formatting import plural, short_loss
from multiloss_core.losses import BatchCuts, batch_cuts
from multiloss_core.tables import frame_as_csv
from ui.optimal_cut.answer import with_calibrated
from ui.optimal_cut.comparison import Answer
from ui.shared.formatting import as_text
from ui.shared.widgets import ask_column, offered_columns

OWN, COMMON = "Own cut for each batch", "One cut for all"


def show_batches(dataset: ScoredDataset, found: Answer) -> None:
    """Ask for the column that names the batches; compare cuts, list the batches and offer rows."""
    st.markdown(
        "Where each batch of items (the alerts of a day, the labels of a document) is judged by itself, each has its "
        "own *k\\**. Macro figures are means over batches; micro figures take all items together.",
        width=860,
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
    rows_place, table_place, _ = st.columns([2, 2, 3])
    rows_place.download_button(
        f"Download the {plural(int(own.k.sum()), 'selected item')} (CSV)",
        lambda: frame_as_csv(with_calibrated(dataset), rows=np.flatnonzero(own.selected)),
        "selected-items-by-batch.csv",
        "text/csv",
        key="cut_batch_rows",
        icon=":material/download:",
        on_click="ignore",
    )
    table_place.download_button(
        f"Download the {plural(len(table), 'cut')} (CSV)",
        lambda: frame_as_csv(table),
        "cuts-by-batch.csv",
        "text/csv",
        key="cut_batch_table",
        icon=":material/download:",
        on_click="ignore",
    )


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
    both = {OWN: own, COMMON: common}
    figures = {
        "": list(both),
        "Items flagged": [int(cuts.k.sum()) for cuts in both.values()],
        "Macro: expected loss": [cuts.macro_expected for cuts in both.values()],
        "Micro: loss at mean counts": [cuts.micro_expected for cuts in both.values()],
        "Macro: observed loss": [cuts.macro_observed for cuts in both.values()],
        "Micro: observed loss": [cuts.micro_observed for cuts in both.values()],
    }
    st.dataframe(
        pd.DataFrame(figures).dropna(axis=1),
        hide_index=True,
        alt="Macro and micro losses of own cuts and of one cut for all.",
        column_config={
            "Items flagged": st.column_config.NumberColumn(format="localized"),
            **{name: st.column_config.NumberColumn(format="%.4f") for name in list(figures)[2:]},
        },
    )
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
