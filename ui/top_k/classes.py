"""Theorem 2: one label among n classes, with the items of the page or the user's classes."""

import re

import numpy as np
import streamlit as st

from multiloss_core import DataError, ScoredItems, multinomial_top_k
from multiloss_core.figures import CurveMark, loss_curve, sorted_probabilities
from multiloss_core.formatting import count, short_percent
from multiloss_core.losses import multinomial_losses
from multiloss_core.numerics import Floats
from multiloss_core.tables import MAX_PASTED, read_pasted
from ui.shared.formatting import as_text
from ui.shared.page_setup import theme
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
