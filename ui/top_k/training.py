"""Theorem 3: the loss above the optimum against the number of training rows."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.figures import regret_by_training_rows
from multiloss_core.losses import TRAINING_SIZES, training_regrets
from ui.shared.long_work import stoppable
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.top_k.items import Settings

DRAWS = 100


def more_training(settings: Settings) -> None:
    """Offer to measure the loss of estimated probabilities, and show the measurement."""
    st.markdown(
        "**Estimated probabilities.** Theorem 3: where estimated probabilities come closer to the true ones, "
        "the expected loss of the prediction comes closer to the optimum. For each draw of "
        f"{settings.n} items, a logistic regression with an L2 penalty learns from *N* rows with labels, and the page "
        "predicts with its estimates. Regret is the expected loss, under the true probabilities, above the smallest of "
        "all 2ⁿ predictions.",
        width=860,
    )
    about = settings.loss.name, settings.n, settings.scale, settings.seed
    if st.button("Measure", key="topk_train", help="About 20 seconds."):
        with stoppable("topk_train_cancel") as show:
            generator = np.random.default_rng(settings.seed)
            for state in training_regrets(generator, settings.loss, n=settings.n, scale=settings.scale, draws=DRAWS):
                session().top_k.regrets = about, state
                draw = partial(regret_by_training_rows, state, loss_name=settings.loss.name, theme=theme())
                show(state.done / DRAWS, f"{state.done} of {DRAWS} draws", draw)
    kept = session().top_k.regrets
    if kept is None or kept[0] != about:
        return
    found = kept[1]
    if found.done < DRAWS:
        st.info(f"Stopped after {found.done} of {DRAWS} draws.")
    chart, table = st.columns([3, 2])
    listed = ", ".join(f"{regret:.2g} for {size:,} rows" for size, regret in zip(found.sizes, found.mean, strict=True))
    chart.plotly_chart(
        regret_by_training_rows(found, loss_name=settings.loss.name, theme=theme()),
        key="topk_regret",
        alt=f"The mean regret against the number of training rows, both axes logarithmic: {listed}.",
        theme=None,
    )
    table.dataframe(
        pd.DataFrame({"rows": found.sizes, "regret": found.mean, "optimal": 100 * found.optimal}),
        hide_index=True,
        alt="The mean regret and the share of optimal predictions for each number of training rows.",
        column_config={
            "rows": st.column_config.NumberColumn("Training rows (N)", format="localized"),
            "regret": st.column_config.NumberColumn("Mean regret", format="%.2g"),
            "optimal": st.column_config.NumberColumn("Optimal predictions", format="%.0f %%"),
        },
    )
    table.caption(
        f"Means of {found.done} draws, from {TRAINING_SIZES[0]} to {TRAINING_SIZES[-1]:,} rows. A regret of 0 has no "
        "place on the logarithmic axis."
    )
