"""Where the optimal k pays: small batches."""

from collections.abc import Mapping, Sequence

import streamlit as st

from multiloss_core.figures import loss_by_size
from ui.papers.stored_results import results
from ui.shared.lazy_section import shown_when_open
from ui.shared.page_setup import theme
from ui.shared.url_params import ask_choice

NAMES = {"0.5": "threshold 0.5"}


@shown_when_open("Where the optimal k pays: small sets", key="paper_small_sets")
def show_small_sets() -> None:
    """Show the mean loss over batches of each size, of the optimal k and of thresholds."""
    held = results("natarajan_small_sets")
    if held is None:
        return
    losses = {way["loss"]: way["loss"] for way in held["ways"]}
    loss = ask_choice(st.segmented_control, "Loss", losses, key="small_loss", required=True)
    here = [way for way in held["ways"] if way["loss"] == loss]
    intervals = {
        name: [way["interval"] for way in here if way["way"] == name] for name in dict.fromkeys(w["way"] for w in here)
    }
    st.plotly_chart(
        loss_by_size(
            list(dict.fromkeys(way["size"] for way in here)),
            {
                NAMES.get(name, name): (_of(found, "mean"), _of(found, "low"), _of(found, "high"))
                for name, found in intervals.items()
            },
            title=f"Mean {loss} loss in batches of a size",
            measure=f"mean {loss} loss (0 to 1)",
            theme=theme(),
        ),
        theme=None,
        key="paper_small_sets_chart",
        alt=f"Mean {loss} loss over batches against their size, of the optimal k and of three thresholds.",
    )
    st.caption(
        f"{held['settings']['batches']} random batches of test items of LETTERS (letter B), isotonic "
        "probabilities; bars: 95 %. In large sets a threshold tuned on everything does as well; in small ones "
        "how many to flag depends on who is there."
    )


def _of(intervals: Sequence[Mapping[str, float]], part: str) -> list[float]:
    return [one[part] for one in intervals]
