"""Running time of the methods, measured while the user watches."""

from functools import partial

import pandas as pd
import streamlit as st

from multiloss_core.figures import running_times
from multiloss_core.formatting import plural
from multiloss_core.losses import METHODS, Loss, TimedRun, methods_for, sizes_of, timed_runs
from ui.shared.long_work import stoppable
from ui.shared.loss_picker import LOSS_CHOICES, named_loss
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.top_k.settings import Settings


def timing(settings: Settings) -> None:
    """Offer to measure the methods under one loss, and show what was measured."""
    st.subheader("How long it takes")
    st.markdown(
        "Theorem 1 leaves *n* + 1 predictions instead of 2ⁿ. How long it takes to find the expected loss of all of "
        "them depends on the method. Measure it here, on the machine that runs this page: each method gets ever more "
        "items until its next run would take more than a second.",
        width=860,
    )
    choice = st.selectbox(
        "Loss to measure", LOSS_CHOICES, index=1, key="topk_timed_loss", bind="query-params", width=240
    )
    loss = named_loss(choice, settings.beta)
    if st.button("Measure", key="topk_measure", help="About 10 seconds; at most 30."):
        measure(loss)
    measured(loss)


def measure(loss: Loss) -> None:
    """Time every method that takes the loss, with progress; any other input stops it."""
    methods = methods_for(loss)
    runs: list[TimedRun] = []
    session().top_k.timed = (loss.name, runs, False)
    with stoppable("topk_measure_cancel") as show:
        for run in timed_runs(loss, methods=methods):
            runs.append(run)
            position, sizes = methods.index(run.method), sizes_of(run.method)
            share = (position + (sizes.index(run.n) + 1) / len(sizes)) / len(methods)
            words = f"{METHODS[run.method].label}: {run.n:,} items in {run.seconds:.3g} s"
            show(share, words, partial(running_times, tuple(runs), loss_name=loss.name, theme=theme()))
        session().top_k.timed = (loss.name, runs, True)


def measured(loss: Loss) -> None:
    """Show what was measured for this loss, as a chart and a table."""
    name, runs, complete = session().top_k.timed
    if name != loss.name or not runs:
        return
    if not complete:
        st.info(f"Stopped after {plural(len(runs), 'measurement')}.")
    # Of each method the last run, with the most items.
    last_runs = {run.method: run for run in runs}.values()
    largest = (f"{METHODS[run.method].label}, {run.n:,} items in {run.seconds:.3g} s" for run in last_runs)
    st.plotly_chart(
        running_times(runs, loss_name=loss.name, theme=theme()),
        key="topk_times",
        alt=f"Running time against the number of items, both axes logarithmic. Largest measured: {'; '.join(largest)}.",
        theme=None,
    )
    st.caption(
        "Where time grows with n³ the line rises by three decades per decade of n, with n² by two, with n by one. "
        "Few items take about the same time with any method. The exhaustive method goes through every outcome, up "
        "to 14 items. Windowed and near-linear find each loss to within 10⁻⁹, the others up to rounding."
    )
    table = pd.DataFrame(
        [(METHODS[run.method].label, METHODS[run.method].growth, run.n, run.seconds) for run in runs],
        columns=["method", "grows_with", "n", "seconds"],
    )
    with st.expander("The measurements as a table"):
        st.dataframe(
            table,
            hide_index=True,
            width=560,
            column_config={
                "method": "Method",
                "grows_with": "Time grows with",
                "n": st.column_config.NumberColumn("Items (n)", format="localized", alignment="left"),
                "seconds": st.column_config.NumberColumn("Seconds", format="%.6f", alignment="left"),
            },
        )
    st.download_button(
        "Download the measurements (CSV)",
        table.assign(loss=loss.name).to_csv(index=False),
        f"running times {loss.name.replace('/', '-')}.csv",
        "text/csv",
        key="topk_times_csv",
        on_click="ignore",
    )
