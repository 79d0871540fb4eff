"""The stop at the first rise, where it fails."""

import numpy as np
import streamlit as st

from multiloss_core import expected_losses
from multiloss_core.figures import CurveMark, loss_curve, sorted_probabilities
from multiloss_core.formatting import plural
from multiloss_core.losses import EARLY_STOP, best_k, early_stop_k
from ui.shared.page_setup import theme


def early_stop() -> None:
    """Show the stop at the first rise of L_k, on stored items where it misses the optimum."""
    st.subheader("Why every k is tried")
    st.markdown(
        "It is tempting to add items only as long as the expected loss falls. The paper's Algorithm 1 does so: it "
        "stops at the first *k* ≥ 1 where the loss does not fall any more. But the loss can rise and then fall below "
        "where it was. On these items that rule misses the optimum.",
        width=860,
    )
    # The last one loses most.
    choice = st.selectbox(
        "Items", list(EARLY_STOP), index=len(EARLY_STOP) - 1, key="topk_early", bind="query-params", width=240
    )
    example = EARLY_STOP[choice]
    name, probabilities = example.loss.name, np.array(example.probabilities)
    values = expected_losses(probabilities, example.loss).values
    stopped, best = early_stop_k(values), best_k(values)
    st.info(
        f"Stopping at the first rise flags {plural(stopped, 'item')}, with an expected {name} loss of "
        f"{values[stopped]:.4f}. The optimum flags {best}, with {values[best]:.4f}. The early stop loses "
        f"{values[stopped] - values[best]:.4f}."
    )
    curve_column, sorted_column = st.columns(2)
    marks = [CurveMark("stop at the first rise", stopped, "x"), CurveMark("optimum", best, "star")]
    curve = loss_curve(values, marks, loss_name=name, theme=theme())
    # Flagging nothing costs several times as much; next to it the rise could not be seen.
    margin = 0.1 * np.ptp(values[1:])
    curve.update_xaxes(range=[0.5, values.size - 0.5], dtick=1)
    curve.update_yaxes(range=[values[1:].min() - margin, values[1:].max() + margin])
    curve_column.plotly_chart(
        curve,
        key="topk_early_curve",
        alt=f"The expected {name} loss against k. It rises after k = {stopped} and is smallest at k = {best}.",
        theme=None,
    )
    curve_column.caption(f"From k = 1 on; k = 0 costs {values[0]:.4f}.")
    sorted_column.plotly_chart(
        sorted_probabilities(
            probabilities,
            np.arange(probabilities.size) < best,
            title=f"The best prediction under {name}",
            theme=theme(),
        ),
        key="topk_early_sorted",
        alt=f"The {probabilities.size} probabilities as bars. The best prediction flags the first {best}.",
        theme=None,
    )
