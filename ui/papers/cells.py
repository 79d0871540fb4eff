"""Tables 2 and 3 of Natarajan et al. 2016: every printed loss beside the one found here."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from multiloss_core.figures import printed_beside_found
from ui.papers.stored_results import results, show_origin
from ui.shared.lazy_section import shown_when_open
from ui.shared.page_setup import theme
from ui.shared.url_params import ask_choice

TABLES = "natarajan"
EVERY_SET = "all"
DIGITS = st.column_config.NumberColumn(format="%.3f")
SIGNED = st.column_config.NumberColumn(format="%+.3f")
MARKS = {"agrees": "agrees", "differs": "differs", "cannot be": "cannot be", None: "not in the paper"}


def show_cells() -> None:
    """Show one loss on all sets or one: a chart of one method, and the table of all."""
    held = results(TABLES)
    if held is None:
        return
    cells = held["cells"]
    losses, methods, rows = (list(dict.fromkeys(cell[part] for cell in cells)) for part in ("loss", "method", "row"))
    loss_box, method_box, row_box = st.columns([3, 3, 2])
    with loss_box:
        loss = ask_choice(st.segmented_control, "Loss", {one: one for one in losses}, key="paper_loss", required=True)
    with method_box:
        method = ask_choice(st.selectbox, "Method in the chart", {one: one for one in methods}, key="paper_method")
    with row_box:
        offered = {EVERY_SET: "all sets", **{one: one for one in rows}}
        row = ask_choice(st.selectbox, "Set in the table", offered, key="paper_set")
    shown = [cell for cell in cells if cell["loss"] == loss]
    st.plotly_chart(
        _chart([cell for cell in shown if cell["method"] == method], loss, method),
        theme=None,
        config={"displayModeBar": False},
        key="paper_cells",
        alt=f"{loss} loss of {method} on each set: printed, and found here with its 95 % interval and the floor.",
    )
    table = pd.DataFrame([_row(cell) for cell in shown if row in (EVERY_SET, cell["row"])])
    st.dataframe(
        table,
        hide_index=True,
        placeholder="",
        column_config={
            **dict.fromkeys(("Printed", "Here", "95 % from", "95 % to", "Floor"), DIGITS),
            "Here less printed": SIGNED,
            "Why": st.column_config.TextColumn(width="large"),
        },
        alt=f"{loss} loss of every method, printed and found here, with intervals, floors and marks.",
    )
    st.caption(
        "*Floor*: the least loss of any cut of the same ranking, the outcomes of the test items known. *Cannot be*: "
        "below that floor, or contradicted by another printed figure; *agrees*: within the interval, or where one more "
        "draw would lie."
    )
    show_origin(held)


def _chart(cells: Sequence[Mapping[str, Any]], loss: str, method: str) -> go.Figure:
    columns = pd.DataFrame([{**cell, **cell["interval"]} for cell in cells])
    return printed_beside_found(
        columns["row"].tolist(),
        *(columns[part].astype(float) for part in ("printed", "ours", "low", "high", "floor")),
        title=f"{loss} loss of {method}: printed and found here",
        measure=f"{loss} loss (0 to 1)",
        theme=theme(),
    )


def _row(cell: Mapping[str, Any]) -> dict[str, str | float | None]:
    printed, ours, interval = cell["printed"], cell["ours"], cell["interval"]
    return {
        "Set": cell["row"],
        "Method": cell["method"],
        "Printed": printed,
        "Here": ours,
        "95 % from": interval["low"],
        "95 % to": interval["high"],
        "Here less printed": None if printed is None else ours - printed,
        "Floor": cell["floor"],
        "Mark": MARKS[cell["mark"]],
        "Why": cell["reason"] or "",
    }


@shown_when_open("What the cells say together", key="paper_summary")
def show_summary() -> None:
    """Count marks, wins of Proposed, and pairs of methods that are ordered as printed."""
    held = results(TABLES)
    if held is None:
        return
    summary = held["summary"]
    marks = ", ".join(f"{number} *{mark}*" for mark, number in summary["marks"].items())
    st.markdown(
        f"Marks of the printed cells: {marks}. Of {summary['orders']} pairs of methods within a set and a loss, "
        f"{summary['orders_as_printed']} are in the printed order."
    )
    wins = pd.DataFrame(
        {
            "Loss": win["loss"],
            "Proposed has less than": win["method"],
            "Rows": win["rows"],
            "As printed": win["printed"],
            "Here": win["ours"],
            "Here, beyond the interval": win["clearly"],
            "The other way, beyond it": win["clearly_not"],
        }
        for win in summary["wins"]
    )
    st.dataframe(wins, hide_index=True, alt="In how many rows Proposed has a smaller loss than each other method.")
    chosen = pd.DataFrame(
        {
            "Set": one["set"],
            "Draws": one["draws"],
            "Classes": one["classes"],
            "C of the logistic regression": ", ".join(f"{value:g}" for value in one["strengths"]),
            "C of the structured SVM": ", ".join(f"{value:g}" for value in one["svm_strengths"]),
            "SVM fits": one["svm_fits"],
            "cut short": one["svm_cut_short"],
            "Processor, s": one["cpu_seconds"],
        }
        for one in held["chosen"]
    )
    st.markdown("Chosen on training rows alone:")
    st.dataframe(chosen, hide_index=True, alt="What was chosen on training rows for each set, and how long it took.")
