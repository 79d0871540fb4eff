"""Theorems 2 and 3 of Natarajan et al. 2016: one true class, estimated probabilities."""

import re
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError, ScoredItems, multinomial_top_k
from multiloss_core.figures import CurveMark, loss_curve, regret_by_training_rows, sorted_probabilities
from multiloss_core.formatting import count, rate, short_percent
from multiloss_core.losses import TRAINING_SIZES, multinomial_losses, training_regrets
from multiloss_core.numerics import Floats
from multiloss_core.tables import MAX_PASTED, read_pasted
from ui.shared.formatting import COUNT, RATIO, SHARE, as_text, show_numbers
from ui.shared.long_work import stoppable
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import show_chart
from ui.top_k.items import chosen_losses, chosen_settings, shown_items

# More bars are too thin to see.
MAX_BARS = 60
DRAWS = 100


def one_label_among_classes() -> None:
    """Show the best set of classes, of which exactly one is true."""
    settings, row = chosen_settings()
    st.markdown(
        "**Theorem 2**: where exactly one of *n* classes is true, the best set of classes to predict is a top-k set as "
        "well. The classes are your own, or the items of *Top-k* with probabilities divided by their sum."
    )
    losses = chosen_losses(settings.beta)
    try:
        own = _ask_classes(row.popover("Own classes", icon=":material/edit:", width=180))
        classes = np.sort(_shared(shown_items(settings)) if own is None else own)[::-1]
        best = {choice: multinomial_top_k(classes, loss) for choice, loss in losses.items()}
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    name, chosen = settings.loss.name, best[settings.choice]
    left, right = st.columns(2)
    show_chart(
        sorted_probabilities(
            classes[:MAX_BARS], chosen.selected[:MAX_BARS], title=f"The best classes under {name}", theme=theme()
        ),
        key="topk_classes",
        alt=f"The probabilities of {classes.size} classes, largest first. The best set under {name} holds {chosen.k}.",
        place=left,
    )
    if classes.size > MAX_BARS:
        left.caption(f"The {MAX_BARS} most probable of {count(classes.size)} classes.")
    mark, values = CurveMark("optimum k*", chosen.k, "star"), multinomial_losses(classes, settings.loss)
    show_chart(
        loss_curve(values, [mark], loss_name=name, theme=theme()),
        key="topk_classes_curve",
        alt=f"The expected {name} loss against the number of classes, smallest at k = {chosen.k}.",
        place=right,
    )
    share = short_percent(float(classes[: chosen.k].sum()))
    st.caption(
        (
            f"Under {name} the predicted set holds the true class with a probability of {share}."
            if chosen.k
            else f"Under {name} the empty set has the smallest loss: no class is chosen."
        )
        + f" k* under each loss: {', '.join(f'{losses[choice].name} {found.k}' for choice, found in best.items())}."
    )


def _shared(probabilities: Floats) -> Floats:
    """Divide the probabilities of the items by their sum. Raises DataError for a sum of 0."""
    if not probabilities.any():
        raise DataError("The probabilities of the items add up to 0; give at least one above 0.")
    return probabilities / probabilities.sum()


def _ask_classes(place: DeltaGenerator) -> Floats | None:
    """Ask for the probabilities of the user's classes; None without. Raises DataError."""
    text = place.text_area(
        "Probabilities of your own classes",
        key="topk_own_classes",
        max_chars=MAX_PASTED,
        height=100,
        persist_state="session",
        placeholder="0.6, 0.3, 0.1",
        help="Numbers from 0 to 1 that add up to 1, with commas or on lines of their own.",
    )
    file = place.file_uploader("Or a text file", type=["csv", "txt"], key="topk_classes_file", max_upload_size=1)
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


def estimated_probabilities() -> None:
    """Offer to measure the loss of estimated probabilities, and show the measurement."""
    settings = chosen_settings()[0]
    loss_name = settings.loss.name
    st.markdown(
        "**Theorem 3**: where estimated probabilities come closer to the true ones, the expected loss comes closer to "
        f"the optimum. For each draw of {settings.n} items, a logistic regression with an L2 penalty learns from *N* "
        "rows with labels. Regret is the expected loss above the smallest of all 2ⁿ predictions."
    )
    about = loss_name, settings.n, settings.scale, settings.seed
    if st.button("Measure", key="topk_train", help="About 20 seconds."):
        with stoppable("topk_train_cancel") as show:
            generator = np.random.default_rng(settings.seed)
            for state in training_regrets(generator, settings.loss, n=settings.n, scale=settings.scale, draws=DRAWS):
                session().top_k.regrets = about, state
                draw = partial(regret_by_training_rows, state, loss_name=loss_name, theme=theme())
                show(state.done / DRAWS, f"{state.done} of {DRAWS} draws", draw)
    kept = session().top_k.regrets
    if kept is None or kept[0] != about:
        return
    found = kept[1]
    if found.done < DRAWS:
        st.info(f"Stopped after {found.done} of {DRAWS} draws.")
    chart, table = st.columns([3, 2])
    listed = ", ".join(
        f"{rate(regret)} for {size:,} rows" for size, regret in zip(found.sizes, found.mean, strict=True)
    )
    show_chart(
        regret_by_training_rows(found, loss_name=loss_name, theme=theme()),
        key="topk_regret",
        alt=f"The mean regret against the number of training rows, both axes logarithmic: {listed}.",
        place=chart,
    )
    with table:
        show_numbers(
            [
                {"Training rows (N)": size, "Mean regret": regret, "Optimal predictions": share}
                for size, regret, share in zip(found.sizes, found.mean, found.optimal, strict=True)
            ],
            {"Training rows (N)": COUNT, "Mean regret": RATIO, "Optimal predictions": SHARE},
            alt="The mean regret and the share of optimal predictions for each number of training rows.",
        )
        st.caption(
            f"Means of {found.done} draws, from {TRAINING_SIZES[0]} to {TRAINING_SIZES[-1]:,} rows. A regret of 0 has "
            "no place on the logarithmic axis."
        )
