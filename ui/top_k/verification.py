"""Theorem 1 verified on many random draws, while the user watches."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.figures import verified_draws
from multiloss_core.losses import verify_theorem_1
from ui.shared.long_work import stoppable
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.url_params import ask_number
from ui.top_k.settings import Settings, chosen_losses


def many_draws(settings: Settings) -> None:
    """Offer to verify the theorem on many draws."""
    st.subheader("Verify on many draws")
    st.markdown(
        f"Draws new items again and again, tries all {2**settings.n:,} predictions under each loss, and "
        "counts how often the best one is a top-k set. The bars grow while it runs."
    )
    draws = ask_number(st.number_input, "Number of draws", (10, 1000), 200, 10, key="topk_draws", width=240)
    if st.button("Verify", key="topk_verify", type="primary"):
        verify(settings, int(draws))
    verification_result(settings, int(draws))


def verify(settings: Settings, draws: int) -> None:
    """Draw, search and count, with progress; any other input stops it."""
    losses = list(chosen_losses(settings.beta).values())
    # The first draw of this generator is the items shown above.
    generator = np.random.default_rng(settings.seed)
    with stoppable("topk_cancel") as show:
        for state in verify_theorem_1(generator, losses, n=settings.n, scale=settings.scale, draws=draws):
            session().top_k.verified = (settings, draws), state
            words = f"{state.done:,} of {draws:,} draws"
            show(state.done / draws, words, partial(verified_draws, state, theme=theme()))


def verification_result(settings: Settings, draws: int) -> None:
    """Say how many draws were top-k."""
    kept = session().top_k.verified
    if kept is None or kept[0] != (settings, draws):
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
            f"On {len(state.failures):,} occasions no top-k set was best; the first was under "
            f"{state.failures[0].loss_name}, with the probabilities "
            f"{', '.join(f'{probability:.6f}' for probability in state.failures[0].probabilities)}."
        )
    results = [(name, f"{count:,} of {state.done:,} draws were top-k") for name, count in state.top_k.items()]
    st.dataframe(pd.DataFrame(results, columns=["Loss", "Result"]), hide_index=True, width=420)
