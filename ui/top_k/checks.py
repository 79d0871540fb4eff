"""Verify Theorem 1 on random draws, show where early stopping fails."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import expected_losses
from multiloss_core.figures import CurveMark, loss_curve, sorted_probabilities, verified_draws
from multiloss_core.formatting import plural, short_loss
from multiloss_core.losses import EARLY_STOP, best_k, early_stop_k, verify_theorem_1
from ui.shared.choices import ask_number, in_url
from ui.shared.long_work import stoppable
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import show_chart
from ui.top_k.items import Settings, chosen_losses


def many_draws(settings: Settings) -> None:
    """Offer a verification of the theorem on many draws."""
    st.markdown(f"For each draw of items, this tries all {2**settings.n:,} predictions under each loss.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = "Number of draws"
        draws = ask_number(
            st.number_input, label, (10, 1000), 200, 10, key="topk_draws", persist_state="session", width=240
        )
        is_asked = st.button("Verify", key="topk_verify", type="primary")
    if is_asked:
        verify(settings, int(draws))
    verification_result(settings, int(draws))


def verify(settings: Settings, draws: int) -> None:
    """Count top-k optima over many draws, with progress; any other input stops it."""
    losses = list(chosen_losses(settings.beta).values())
    # The first draw of this generator is the items shown above.
    generator = np.random.default_rng(settings.seed)
    with stoppable("topk_cancel") as show:
        for state in verify_theorem_1(generator, losses, n=settings.n, scale=settings.scale, draws=draws):
            session().top_k.verified = (settings._replace(choice=""), draws), state
            words = f"{state.done:,} of {draws:,} draws"
            show(state.done / draws, words, partial(verified_draws, state, theme=theme()))


def verification_result(settings: Settings, draws: int) -> None:
    """Show how many optima were top-k sets."""
    kept = session().top_k.verified
    if kept is None or kept[0] != (settings._replace(choice=""), draws):
        return
    state = kept[1]
    if state.done < draws:
        st.info(f"Stopped after {state.done:,} of {draws:,} draws.")
    if not state.failures:
        st.success(
            f"On all {state.done:,} draws and under all {len(state.top_k)} losses, the best of the "
            f"{2**settings.n:,} predictions was a top-k set."
        )
    else:
        st.error(
            f"On {plural(len(state.failures), 'occasion')} no top-k set was best; the first was under "
            f"{state.failures[0].loss_name}, with the probabilities "
            f"{', '.join(f'{probability:.6f}' for probability in state.failures[0].probabilities)}."
        )
    results = [(name, f"{count:,} of {state.done:,} draws were top-k") for name, count in state.top_k.items()]
    st.dataframe(pd.DataFrame(results, columns=["Loss", "Result"]), hide_index=True, width=420)


def early_stop(_: Settings) -> None:
    """Show stored items on which stopping at the first rise of L_k misses the optimum."""
    words, items = st.columns([3, 1], vertical_alignment="bottom")
    # The last example has the largest loss.
    last, choices = len(EARLY_STOP) - 1, list(EARLY_STOP)
    choice = items.selectbox("Items", choices, index=last, **in_url("topk_early"), persist_state="session")
    example = EARLY_STOP[choice]
    name, probabilities = example.loss.name, np.array(example.probabilities)
    values = expected_losses(probabilities, example.loss).values
    stopped, best = early_stop_k(values), best_k(values)
    words.markdown(
        "The paper's Algorithm 1 stops at the first *k* ≥ 1 where the expected loss no longer falls. But the loss can "
        f"rise and later fall below that value. Here the stop flags {plural(stopped, 'item')}, with an expected {name} "
        f"loss of {short_loss(values[stopped])}. The optimum flags {best}, with {short_loss(values[best])}. The early "
        f"stop loses {short_loss(values[stopped] - values[best])}."
    )
    curve_column, sorted_column = st.columns(2)
    marks = [CurveMark("stop at the first rise", stopped, "x"), CurveMark("optimum", best, "star")]
    curve = loss_curve(values, marks, loss_name=name, theme=theme())
    # Flagging nothing costs several times as much: with k = 0 on the axis, the rise is too small to see.
    margin = 0.1 * np.ptp(values[1:])
    curve.update_xaxes(range=[0.5, values.size - 0.5], dtick=1)
    curve.update_yaxes(range=[values[1:].min() - margin, values[1:].max() + margin])
    show_chart(
        curve,
        key="topk_early_curve",
        alt=f"The expected {name} loss against k. It rises after k = {stopped} and is smallest at k = {best}.",
        place=curve_column,
    )
    curve_column.caption(f"From k = 1 on; k = 0 costs {short_loss(values[0])}.")
    flagged, title = np.arange(probabilities.size) < best, f"The best prediction under {name}"
    show_chart(
        sorted_probabilities(probabilities, flagged, title=title, theme=theme()),
        key="topk_early_sorted",
        alt=f"The {probabilities.size} probabilities as bars. The best prediction flags the first {best}.",
        place=sorted_column,
    )
