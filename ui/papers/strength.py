"""Loss against the strength of L2: the choice that the paper leaves open and that decides its picture."""

import streamlit as st

from experiments.printed import natarajan_losses
from multiloss_core.figures import loss_by_regularisation
from ui.papers.stored_results import results
from ui.shared.formatting import show_numbers
from ui.shared.lazy_section import shown_when_open
from ui.shared.page_setup import theme
from ui.shared.url_params import ask_choice

SETS = {"scene": "SCENE", "spambase": "SPAMBASE", "webpage": "WEB PAGE"}
PRINTED_HERE = ("Proposed", "Baseline")


@shown_when_open("Loss against the strength of L2", key="paper_strength")
def show_strength() -> None:
    """Show the stored curves of a set and a loss, the losses at one C, and the printed figures as lines."""
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
    st.plotly_chart(
        loss_by_regularisation(
            strengths,
            {method: curve["losses"] for method, curve in shown.items()},
            {method: printed[method] for method in PRINTED_HERE},
            title=f"{loss} loss on {SETS[key]} against C",
            measure=f"{loss} loss on test items (0 to 1)",
            chosen=chosen,
            theme=theme(),
        ),
        theme=None,
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
        "optimal k, which believes them, goes wrong as well. Calibration undoes it at nearly any strength."
    )
