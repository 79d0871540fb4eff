"""Several classifiers (Robles et al. 2020): tangent points and shortest path by step."""

import re

import numpy as np
import streamlit as st

from multiloss_core import (
    CountSurfaces,
    DataError,
    ScoredItems,
    ThresholdPath,
    count_surfaces,
    graph_path,
    multinomial_top_k,
    simulate_population,
)
from multiloss_core.figures import CurveMark, loss_curve, sliding_tangent, sorted_probabilities
from multiloss_core.formatting import count, plural, price, short_percent
from multiloss_core.inspection import GraphWalk, graph_walk, step_in_words
from multiloss_core.losses import multinomial_losses
from multiloss_core.numerics import Floats
from multiloss_core.tables import MAX_PASTED, read_pasted
from multiloss_core.thresholds import to_networkx
from ui.shared.choices import UrlParameter, ask_number
from ui.shared.formatting import as_text
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.top_k.items import PART, Settings, chosen_losses, shown_items

# More bars are too thin to see.
MAX_BARS = 60


@st.fragment(key=PART)
def one_label_among_classes(settings: Settings) -> None:
    """Show the best set of classes, of which exactly one is true."""
    st.markdown(
        "**One label among *n* classes.** Theorem 2: where exactly one class is true, the best set of classes to "
        "predict is a top-k set as well. The classes are your own or the items above, their probabilities divided by "
        "their sum.",
        width=860,
    )
    losses = chosen_losses(settings.beta)
    try:
        own = _ask_classes()
        classes = np.sort(_shared(shown_items(settings)) if own is None else own)[::-1]
        best = {choice: multinomial_top_k(classes, loss) for choice, loss in losses.items()}
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    name, chosen = settings.loss.name, best[settings.choice]
    left, right = st.columns(2)
    left.plotly_chart(
        sorted_probabilities(
            classes[:MAX_BARS], chosen.selected[:MAX_BARS], title=f"The best classes under {name}", theme=theme()
        ),
        key="topk_classes",
        alt=f"The probabilities of {classes.size} classes, largest first. The best set under {name} holds {chosen.k}.",
        theme=None,
    )
    if classes.size > MAX_BARS:
        left.caption(f"The {MAX_BARS} most probable of {count(classes.size)} classes.")
    right.plotly_chart(
        loss_curve(
            multinomial_losses(classes, settings.loss),
            [CurveMark("optimum k*", chosen.k, "star")],
            loss_name=name,
            theme=theme(),
        ),
        key="topk_classes_curve",
        alt=f"The expected {name} loss against the number of classes, smallest at k = {chosen.k}.",
        theme=None,
    )
    st.caption("k* under each loss: " + ", ".join(f"{losses[c].name} {found.k}" for c, found in best.items()) + ".")
    st.caption(
        f"Under {name} the predicted set holds the true class with a probability of "
        f"{short_percent(float(classes[: chosen.k].sum()))}."
        if chosen.k
        else f"Under {name} the empty set has the smallest loss: no class is chosen."
    )


def _shared(probabilities: Floats) -> Floats:
    """Divide the probabilities of the items by their sum. Raises DataError for a sum of 0."""
    if not probabilities.any():
        raise DataError("The probabilities of the items add up to 0; give at least one above 0.")
    return probabilities / probabilities.sum()


def _ask_classes() -> Floats | None:
    """Ask for the probabilities of the user's classes; None without. Raises DataError."""
    with st.expander("Your own classes", icon=":material/edit:"):
        text_column, file_column = st.columns(2)
        text = text_column.text_area(
            "Probabilities of the classes",
            key="topk_own_classes",
            max_chars=MAX_PASTED,
            height=100,
            persist_state="session",
            placeholder="0.6, 0.3, 0.1",
            help="Numbers from 0 to 1 that add up to 1, with commas or on lines of their own.",
        )
        file = file_column.file_uploader(
            "Or a text file", type=["csv", "txt"], key="topk_classes_file", max_upload_size=1
        )
    given = str(text) if file is None else file.getvalue().decode("utf-8", "replace")
    return class_probabilities(given) if given.strip() else None


def class_probabilities(text: str) -> Floats:
    """Parse numbers on one line or on many, or a table with a column of probabilities.

    Raises DataError, naming the line or row.
    """
    text = text.removeprefix("\ufeff")
    if "\n" not in text.strip():
        text = re.sub(r"[,;\s]+", "\n", text.strip())
    frame, columns = read_pasted(text)
    if columns.probability is None:
        raise DataError("Which column holds the probabilities is not certain; keep only that one.")
    return ScoredItems.from_frame(frame, probability=columns.probability).probabilities


TANGENT_DOCUMENTS, TANGENT_SEED, RESOLUTION = 200_000, 4, 60
DOCUMENTS = 200_000
SEED = 4


@st.fragment
def sliding_along_the_curve(_: Settings) -> None:
    """Show a sliding tangent on the curve of the graph path, and explain its slope."""
    st.markdown(
        "Lower thresholds along the path add true and false positives at each step. **Marginal precision** is the "
        "share of true positives in the last step; the **slope** of the tangent is the same as odds: *m* / (1 - *m*). "
        "The operating point is where they fall to your limit.",
        width=860,
    )
    path = _path()
    precisions = path.majorant.marginal_precisions
    chart, words = st.columns([3, 2], gap="large")
    with words:
        label, middle = "Slide from the strictest thresholds to the loosest", 1 + precisions.size // 2
        position = (
            ask_number(st.slider, label, (1, precisions.size), middle, key="topk_tangent_at", persist_state="session")
            - 1
        )
        st.metric("Marginal precision", short_percent(precisions[position]), border=True)
        st.markdown(tangent_in_words(path, position))
    start, end = path.majorant.vertices[position : position + 2]
    chart.plotly_chart(
        sliding_tangent(path, position, theme=theme()),
        key="topk_tangent_figure",
        alt=f"True against false positives; the tangent touches the curve from FP {path.fp[start]:,.0f}, TP "
        f"{path.tp[start]:,.0f} to FP {path.fp[end]:,.0f}, TP {path.tp[end]:,.0f}.",
        theme=None,
    )
    st.caption(
        "The same simulated documents as in the tab *Threshold graph*, on a finer grid. The curve is uneven, as counts "
        "are; the concave majorant, the tight string over it, is where tangents touch."
    )


def tangent_in_words(path: ThresholdPath, position: int) -> str:
    """Describe the counts that one step of the majorant adds, and its slope."""
    start, end = path.majorant.vertices[position : position + 2]
    tp, fp = float(path.tp[end] - path.tp[start]), float(path.fp[end] - path.fp[start])
    m = float(path.majorant.marginal_precisions[position])
    added = f"This step adds **{plural(tp, 'true positive')}** and **{plural(fp, 'false positive')}**."
    if fp == 0:
        return f"{added} The tangent is vertical: no cost."
    if tp == 0:
        return f"{added} The tangent is horizontal: no gain."
    slope = f"Slope {count(tp)} / {count(fp)} = {tp / fp:.3g}"
    return f"{added} {slope}; marginal precision {count(tp)} / {count(tp + fp)} = {short_percent(m)}: {price(m)}."


@st.cache_resource(show_spinner=False)
def _path() -> ThresholdPath:
    population = simulate_population(np.random.default_rng(TANGENT_SEED), documents=TANGENT_DOCUMENTS)
    return graph_path(count_surfaces(population.rated(), resolution=RESOLUTION, spacing="positives"))


@st.fragment
def threshold_graph_of_two(_: Settings) -> None:
    """Draw the threshold graph of two classifiers and the shortest-path search by step."""
    # Imported here because networkx loads slowly.
    from ui.shared.graph_search import show_search  # noqa: PLC0415

    st.markdown(
        "The other paper (Robles et al. 2020, Algorithm 3) chooses thresholds for several classifiers. Each **node** "
        "is a pair of thresholds; each **edge** raises one of them by a step. Its **weight** is minus the area of a "
        "trapezoid in the plane of TP and FP: the false positives it gives up, times the mean of the true positives "
        "before and after. So the **shortest path** from the loosest pair to the strictest is the one with the "
        "largest area under its curve. *Operating point* walks it on a fine grid.",
        width=860,
    )
    chart, controls = st.columns([3, 2], gap="large")
    with controls:
        resolution = ask_number(
            st.slider, "Nodes on each axis", (3, 12), 6, key="topk_graph_steps", persist_state="session"
        )
        surfaces = _surfaces(resolution)
        walk, graph = _walk(resolution), to_networkx(surfaces)
        step = _ask_step(resolution, last=len(walk.settled) + 1)
        st.markdown(step_in_words(walk, surfaces.names, step))
    show_search(graph, walk, step, chart, key="topk_graph_figure")


def _ask_step(resolution: int, *, last: int) -> int:
    """Draw the buttons of the steps and return the current one; another grid starts again."""
    asked = IN_URL.asked(if_gone=0)
    grid, step = session().top_k.walked
    step = asked if asked is not None else step if grid == resolution else 0
    step = min(step, last)
    session().top_k.walked = resolution, step
    IN_URL.show(step or None)
    back, following, end = st.columns(3)
    for place, label, to, key, off in (
        (back, "Back", step - 1, "back", step == 0),
        (following, "Next", step + 1, "next", step == last),
        (end, "Back to the start" if step == last else "Run to the end", 0 if step == last else last, "end", False),
    ):
        place.button(
            label,
            key=f"topk_graph_{key}",
            disabled=off,
            width="stretch",
            type="primary" if key == "next" else "secondary",
            on_click=_go_to,
            args=(resolution, to),
        )
    return step


def _go_to(resolution: int, step: int) -> None:
    session().top_k.walked = resolution, step
    IN_URL.show(step or None)


@st.cache_resource(max_entries=10, show_spinner=False)
def _surfaces(resolution: int) -> CountSurfaces:
    population = simulate_population(np.random.default_rng(SEED), documents=DOCUMENTS)
    return count_surfaces(population.rated(), resolution=resolution)


@st.cache_resource(max_entries=10, show_spinner=False)
def _walk(resolution: int) -> GraphWalk:
    return graph_walk(_surfaces(resolution))


def _read(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None


IN_URL: UrlParameter[int] = UrlParameter("topk_step", _read, str)
