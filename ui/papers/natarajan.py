"""Tables and figures of Natarajan et al. 2016 beside stored results."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from experiments.printed import natarajan_losses
from multiloss_core.figures import loss_by_regularisation, loss_by_size
from ui.papers.stored import draw_cells, offer_scores, results, show_compared, show_origin
from ui.shared.choices import ask_choice
from ui.shared.formatting import show_numbers
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart

TABLES = "natarajan"
EVERY_SET = "all"
MARKS = {"agrees": "agrees", "differs": "differs", "cannot be": "cannot be", None: "not in the paper"}
NAMES = {"0.5": "threshold 0.5"}
SETS = {"scene": "SCENE", "spambase": "SPAMBASE", "webpage": "WEB PAGE"}
PRINTED_HERE = ("Proposed", "Baseline")


def show_cells() -> None:
    """Show one loss: a chart of one method, and a table of all methods."""
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
    drawn = pd.DataFrame([{**cell, **cell["interval"]} for cell in shown if cell["method"] == method])
    values = drawn[["printed", "ours", "low", "high", "floor"]]
    draw_cells("paper_cells", drawn["row"].tolist(), values, f"{loss} loss of {method}", f"{loss} loss")
    show_compared(
        [_row(cell) for cell in shown if row in (EVERY_SET, cell["row"])],
        ("Printed", "Here", "95 % from", "95 % to", "Floor"),
        f"{loss} loss of every method, printed and found here, with intervals, floors and marks.",
    )
    st.caption(
        "*Floor*: the smallest loss of any cut of the same ranking with known outcomes. *Cannot be*: below that floor, "
        "or contradicted by another printed figure; *agrees*: within the interval, or within the range of one more "
        "draw."
    )
    show_origin(held)
    offer_scores()


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


def show_summary() -> None:
    """Show wins of Proposed, and pairs of methods in the printed order."""
    held = results(TABLES)
    if held is None:
        return
    summary = held["summary"]
    orders, as_printed = summary["orders"], summary["orders_as_printed"]
    st.markdown(f"{as_printed} of {orders} pairs of methods within a set and a loss are in the printed order.")
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
    st.dataframe(chosen, hide_index=True, alt="The parameters chosen on training rows for each set, with run times.")


def show_small_sets() -> None:
    """Show the mean loss of the optimal k and of thresholds over batches of each size."""
    held = results("natarajan_small_sets")
    if held is None:
        return
    losses = {way["loss"]: way["loss"] for way in held["ways"]}
    loss = ask_choice(st.segmented_control, "Loss", losses, key="small_loss", required=True)
    here = [way for way in held["ways"] if way["loss"] == loss]
    intervals = {
        name: [way["interval"] for way in here if way["way"] == name] for name in dict.fromkeys(w["way"] for w in here)
    }
    show_chart(
        loss_by_size(
            list(dict.fromkeys(way["size"] for way in here)),
            {
                NAMES.get(name, name): (_of(found, "mean"), _of(found, "low"), _of(found, "high"))
                for name, found in intervals.items()
            },
            title=f"Mean {loss} loss in batches of a size",
            measure=f"mean {loss} loss (0 to 1)",
            theme=theme(),
        ),
        key="paper_small_sets_chart",
        alt=f"Mean {loss} loss over batches against their size, of the optimal k and of three thresholds.",
    )
    st.caption(
        f"{held['settings']['batches']} random batches of test items of LETTERS (letter B), isotonic "
        "probabilities; bars: 95 %. In large sets a tuned threshold is as good; in small sets the best number to flag "
        "depends on the items."
    )


def _of(intervals: Sequence[Mapping[str, float]], part: str) -> list[float]:
    return [one[part] for one in intervals]


def show_strength() -> None:
    """Show the loss against C with the printed figures, and the losses at one C."""
    held = results("natarajan_l2_strength")
    if held is None:
        return
    losses = {curve["loss"]: curve["loss"] for curve in held["curves"]}
    left, middle, right = st.columns([3, 3, 4])
    with left:
        key = ask_choice(st.segmented_control, "Set", SETS, key="strength_set", required=True)
    with middle:
        loss = ask_choice(st.segmented_control, "Loss", losses, key="strength_loss", required=True)
    shown = {curve["method"]: curve for curve in held["curves"] if (curve["key"], curve["loss"]) == (key, loss)}
    strengths = next(iter(shown.values()))["strengths"]
    chosen = right.select_slider(
        "C, the inverse strength of L2", strengths, value=1.0, format_func="{:.2g}".format, key="strength_c"
    )
    printed = {one.method: one.value for one in natarajan_losses() if (one.data_set, one.loss) == (SETS[key], loss)}
    show_chart(
        loss_by_regularisation(
            strengths,
            {method: curve["losses"] for method, curve in shown.items()},
            {method: printed[method] for method in PRINTED_HERE},
            title=f"{loss} loss on {SETS[key]} against C",
            measure=f"{loss} loss on test items (0 to 1)",
            chosen=chosen,
            theme=theme(),
        ),
        key="paper_strength_chart",
        alt=f"{loss} loss on {SETS[key]} against C, the inverse strength of L2, for each way to cut.",
    )
    at = strengths.index(chosen)
    show_numbers(
        [{"At this C": method, "Loss": round(curve["losses"][at], 3)} for method, curve in shown.items()],
        {},
        alt=f"{loss} loss of each way to cut at the chosen C.",
    )
    st.caption(
        "A strong L2 (left) shrinks probabilities towards the base rate: 0.5 then flags almost nothing, and the "
        "optimal k is wrong too. Calibration corrects this at nearly any strength."
    )
