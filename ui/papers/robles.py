"""Tables of Robles et al. 2020 beside stored results, and an audit of the printed figures."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from experiments.printed.report import audit, audit_markdown
from ui.papers.stored import draw_cells, offer_rated, results, show_compared, show_origin
from ui.shared.choices import ask_choice
from ui.shared.formatting import AREA, show_numbers

TABLES = "robles"
SETS = {"Bank": "Bank marketing", "CreditCards": "Credit cards", "IEEEFraud": "IEEE-CIS fraud"}
MEASURES = {"precision": "Precision", "recall": "Recall", "F1": "F1"}
MODES = {"apart": "rows that trained no classifier", "in-sample": "the rows that trained the classifiers"}
NOT_FOUND = {"mean": None, "low": None, "high": None}
NOTHING_FLAGGED = "nothing flagged"


def show_audit() -> None:
    """Show recovered counts, contradictory figures and unsupported statements."""
    st.markdown(_audit_text())


@st.cache_data(show_spinner="Computing from the printed figures …")
def _audit_text() -> str:
    _, _, text = audit_markdown(audit()).partition("\n")
    return text.replace("\n## ", "\n#### ")


def show_robles() -> None:
    """Show the printed and recomputed values of a measure on a set, and the running times."""
    held = results(TABLES)
    if held is None:
        return
    set_box, measure_box, mode_box, row_box = st.columns([6, 4, 4, 2])
    with set_box:
        data_set = ask_choice(st.segmented_control, "Set", SETS, key="robles_set", required=True)
    with measure_box:
        measure = ask_choice(st.segmented_control, "Measure", MEASURES, key="robles_measure", required=True)
    with mode_box:
        mode = ask_choice(st.selectbox, "Thresholds were chosen on", MODES, key="robles_mode")
    cells = [cell for cell in held["compared"] if cell["mode"] == mode]
    shown = [cell for cell in cells if (cell["data_set"], cell["measure"]) == (data_set, measure)]
    with row_box:
        row = ask_choice(
            st.selectbox, "Row in the chart", {cell["row"]: cell["row"] for cell in shown}, key="robles_row"
        )
    drawn = [cell for cell in shown if cell["row"] == row]
    values = pd.DataFrame([{"printed": cell["printed"], **(cell["ours"] or NOT_FOUND)} for cell in drawn])
    title = f"{MEASURES[measure]} of {row} on {SETS[data_set]}"
    draw_cells("robles_cells", [cell["kind"] for cell in drawn], values, title, MEASURES[measure])
    alt = f"{MEASURES[measure]} on {SETS[data_set]}: printed and found here, for each kind of classifier and method."
    show_compared(map(_row, shown), ("Here", "95 % from", "95 % to"), alt)
    marks = Counter(cell["mark"] for cell in cells)
    st.caption(
        f"With thresholds from {MODES[mode]}, {marks['agrees']} figures agree and {marks['differs']} differ. "
        "Printed recall, precision and F1 are of a fully labelled hold-out, unlike rated alerts. For an unreachable "
        "target the paper prints a dash; here the status is *unreachable*."
    )
    st.markdown("**Running times on a table of 10,000 rows**")
    names = {"Method": "method", "Processor, s": "processor", "Wall, s": "wall", "Printed, s": "printed"}
    show_numbers(
        [{title: one[name] for title, name in names.items()} for one in held["times"]],
        {"Processor, s": AREA, "Wall, s": AREA},
        alt="Seconds of each path method on a table of counts, here and as printed.",
    )
    show_origin(held)
    offer_rated(held)


def _row(cell: Mapping[str, Any]) -> dict[str, str | float | None]:
    ours = cell["ours"] or NOT_FOUND
    return {
        "Classifiers": cell["kind"],
        "Row": cell["row"],
        "Printed": NOTHING_FLAGGED if cell["printed"] is None else f"{cell['printed']:.4f}",
        "Here": ours["mean"],
        "95 % from": ours["low"],
        "95 % to": ours["high"],
        "Here less printed": cell["deviation"],
        "Status here": cell["status"] or "",
        "Mark": cell["mark"],
        "Why": cell["reason"],
    }
