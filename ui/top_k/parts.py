"""The parts below the first screen: a tab for each, computed only while it is open."""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.figures import regret_by_training_rows, small_loss_curves, sorted_probabilities
from multiloss_core.losses import TRAINING_SIZES, Loss, observed_counts, promised_counts, training_regrets
from multiloss_core.numerics import Floats
from ui.shared.choices import UrlParameter, ask_number, choose
from ui.shared.long_work import stoppable
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import LOSS_CHOICES, lesson_plan, show_formula
from ui.top_k.assumptions import broken_assumption
from ui.top_k.checks import early_stop, many_draws
from ui.top_k.items import PART, Settings, shown_items
from ui.top_k.more_of_the_paper import monotone_losses
from ui.top_k.optimum import first_items, found_optimum, is_hidden
from ui.top_k.several_classifiers import one_label_among_classes, sliding_along_the_curve, threshold_graph_of_two

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


@st.fragment(key=PART)
def expected_loss(settings: Settings) -> None:
    """Show the formula of the loss, and its mean over every outcome of three items."""
    probabilities = shown_items(settings)
    if is_hidden(settings):
        show_formula(settings.loss)
    else:
        top_k = found_optimum(probabilities, settings).top_k
        counts, expected = promised_counts(probabilities, top_k.selected), f"{top_k.expected_loss:.4f}"
        relation = "here the same number" if f"{counts.loss(settings.loss):.4f}" == expected else "another number"
        about = (
            "The formula at the mean counts of the best prediction. The expected loss is the mean of the losses of all "
            f"outcomes, not the loss of the mean outcome: {expected}, {relation}."
        )
        show_formula(settings.loss, counts, about)
    st.subheader("Three items, eight outcomes")
    eight_outcomes(probabilities, settings.loss)


def eight_outcomes(probabilities: Floats, loss: Loss) -> None:
    """Show every outcome of three items, its loss, and the mean loss."""
    few = spread_out(probabilities)
    st.markdown(
        f"The labels are unknown beforehand. So the {loss.name} loss is calculated for every outcome and weighted with "
        "its probability. The three items are the most probable, the middle and the least probable one: "
        f"{', '.join(f'{value:.4f}' for value in few)}.",
        width=860,
    )
    k = ask_number(
        st.slider,
        "How many of the three to flag",
        (0, few.size),
        1,
        key="topk_by_hand",
        persist_state="session",
        width=360,
    )
    table = outcome_table(few, loss, int(k))
    st.dataframe(
        table,
        hide_index=True,
        alt="Every outcome of three items: its probability, the counts, the loss, and their product.",
        column_config={
            "Labels": st.column_config.TextColumn(help="1: positive, from the most probable item on."),
            **{name: st.column_config.NumberColumn(format="%.4f") for name in ("Probability", "Loss", "Product")},
            **{name: st.column_config.NumberColumn(format="%d") for name in ("TP", "FP", "FN", "TN")},
        },
    )
    expected = [float(outcome_table(few, loss, other)["Product"].sum()) for other in range(few.size + 1)]
    listed = ", ".join(f"{other}: {value:.4f}" for other, value in enumerate(expected))
    st.markdown(
        f"The products add up to the expected loss, **{expected[int(k)]:.4f}**. For every number flagged: {listed}. "
        f"The smallest is at **{int(np.argmin(expected))}**.",
        width=860,
    )


def spread_out(probabilities: Floats) -> Floats:
    """Pick the largest, the middle and the smallest probability; of two items, both."""
    ordered = np.sort(probabilities)[::-1]
    return ordered[np.unique([0, ordered.size // 2, ordered.size - 1])]


def outcome_table(probabilities: Floats, loss: Loss, k: int) -> pd.DataFrame:
    """List the outcomes of a few items with probability, counts, loss at k and their product."""
    rows = []
    for number in range(2**probabilities.size):
        labels = (number >> np.arange(probabilities.size)) & 1 == 1
        counts = observed_counts(first_items(probabilities, k), labels)
        chance, charged = float(np.prod(np.where(labels, probabilities, 1 - probabilities))), counts.loss(loss)
        cells = (counts.tp, counts.fp, counts.fn, counts.tn)
        rows.append((" ".join(str(int(label)) for label in labels), chance, *cells, charged, chance * charged))
    columns = ["Labels", "Probability", "TP", "FP", "FN", "TN", "Loss", "Product"]
    return pd.DataFrame(rows, columns=columns)


@st.fragment(key=PART)
def every_loss(settings: Settings) -> None:
    """Show the optimum and the expected loss of every k under each loss."""
    if is_hidden(settings):
        st.info("Press *Show* first.")
        return
    probabilities = shown_items(settings)
    optima = [found_optimum(probabilities, settings._replace(choice=choice)) for choice in LOSS_CHOICES]
    st.dataframe(
        pd.DataFrame(
            {
                "loss": [optimum.name for optimum in optima],
                "k": [optimum.top_k.k for optimum in optima],
                "cut": [f"{optimum.top_k.cut:.4f}" if optimum.top_k.k else "none" for optimum in optima],
                "expected_loss": [optimum.search.expected_loss for optimum in optima],
                "is_top_k": ["yes" if optimum.search.is_top_k else "no" for optimum in optima],
            }
        ),
        hide_index=True,
        column_config={
            "loss": "Loss",
            "k": st.column_config.NumberColumn("k*: items flagged", alignment="left"),
            "cut": st.column_config.TextColumn("Cut: probability of the last one flagged"),
            "expected_loss": st.column_config.NumberColumn(
                "Smallest expected loss",
                format="%.4f",
                alignment="left",
                help="The smallest of all 2ⁿ, from 0 to 1. Different losses cannot be compared with each other.",
            ),
            "is_top_k": st.column_config.TextColumn(
                "Best of all 2ⁿ is a top-k set", help="Found by trying all 2ⁿ predictions, without Theorem 1."
            ),
        },
    )
    st.caption(
        "AUC counts only pairs in which the negative is flagged and the positive is not. Flagging nothing makes no "
        "such mistake, so AUC cannot choose a cut. With half a mistake for each pair treated alike, it becomes AM."
    )
    st.caption("P(Y = 1 | x) of each item, largest first. Strong colour: predicted positive.")
    places = [column for _ in range(0, len(optima), 4) for column in st.columns(4)]
    for place, (name, search, top_k) in zip(places, optima, strict=False):
        place.plotly_chart(
            sorted_probabilities(
                probabilities, search.best, title=f"{name}: k* = {top_k.k}", theme=theme(), height=180, small=True
            ),
            key=f"topk_small_{name}",
            alt=f"The best prediction under {name} flags {int(search.best.sum())} items.",
            theme=None,
            config={"displayModeBar": False},
        )
    st.plotly_chart(
        small_loss_curves({name: search.top_k_values for name, search, _ in optima}, theme=theme()),
        key="topk_small_curves",
        alt="The expected loss against k under each loss, smallest at "
        + ", ".join(f"k = {top_k.k} for {name}" for name, _, top_k in optima)
        + ".",
        theme=None,
        config={"displayModeBar": False},
    )
    st.caption("Each loss has a scale of its own: different losses cannot be compared with each other.")


class Part(NamedTuple):
    """The label of a tab, its content, and whether it shows the items of the first screen."""

    label: str
    show: Callable[[Settings], None]
    shows_items: bool = False


# By the name in the URL.
PARTS = MappingProxyType(
    {
        "loss": Part("Expected loss", expected_loss, shows_items=True),
        "losses": Part("All losses", every_loss, shows_items=True),
        "draws": Part("Many draws", many_draws),
        "early": Part("Early stop", early_stop),
        "assumption": Part("Broken assumption", broken_assumption),
        "monotone": Part("Monotone losses", monotone_losses),
        "classes": Part("Theorem 2", one_label_among_classes, shows_items=True),
        "training": Part("Theorem 3", more_training),
        "graph": Part("Threshold graph", threshold_graph_of_two),
        "tangent": Part("Tangent", sliding_along_the_curve),
        "lesson": Part("Lesson", lambda _: lesson_plan()),
    }
)
TABS = "topk_tab"
IN_URL: UrlParameter[str] = UrlParameter("step", lambda text: text if text in PARTS else None, str)
SCROLL = f"<script>document.querySelector('.st-key-{TABS}')?.scrollIntoView()</script>"


def show_parts(settings: Settings) -> None:
    """Draw the tabs and the open part; a link with `?step=` opens its part and scrolls to it."""
    first = next(iter(PARTS))
    asked, is_linked = IN_URL.asked(if_gone=first), IN_URL.shown() is not None
    if asked is not None:
        choose(TABS, PARTS[asked].label)
    tabs = st.tabs([part.label for part in PARTS.values()], key=TABS, on_change="rerun")
    for (name, part), tab in zip(PARTS.items(), tabs, strict=True):
        if tab.open:
            IN_URL.show(None if name == first else name)
            session().top_k.part_shows_items = part.shows_items
            with tab:
                part.show(settings)
    if asked is not None and is_linked:
        st.html(SCROLL, unsafe_allow_javascript=True)
