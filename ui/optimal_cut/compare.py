"""Every loss in one table, filled as the answers come."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError
from ui.data.scored_datasets import ScoredDataset
from ui.optimal_cut.cuts_compared import LOSS_CHOICES, Answer, answer, too_many_for
from ui.shared.formatting import EXACT
from ui.shared.loss_picker import named_loss
from ui.shared.session import session

# Above this, comparing all losses takes more than a moment.
MANY_ITEMS = 10_000
COUNTS = ("k*: items flagged", "0.5: k", "Tuned: k")


def compare_losses(dataset: ScoredDataset, beta: float, at_least: int) -> None:
    """Show the optimal cut under each loss."""
    st.subheader("All seven losses", anchor=False)
    bar, table = st.empty(), st.empty()
    done = session().scored.compared
    show_progress = dataset.items.probabilities.size > MANY_ITEMS and (dataset.key, beta, at_least) not in done
    rows: list[dict[str, str | float | None]] = []
    for number, choice in enumerate(LOSS_CHOICES):
        name = named_loss(choice, beta).name
        if show_progress:
            bar.progress(number / len(LOSS_CHOICES), f"{name}: {number + 1} of {len(LOSS_CHOICES)}")
        try:
            rows.append(_row(answer(dataset, choice, beta, at_least)))
        except DataError as error:
            rows.append({"Loss": name, "Note": too_many_for(choice, dataset) or str(error)})
        if show_progress:
            _show_table(table, rows)
    bar.empty()
    _show_table(table, rows)
    done.add((dataset.key, beta, at_least))
    limited = [choice for choice in LOSS_CHOICES if too_many_for(choice, dataset)]
    st.caption(
        "Losses of different rows cannot be compared with each other, only the cuts within a row. AUC cannot choose a "
        "cut: flagging nothing costs 0 under it."
        + (
            f" {' and '.join(limited)} take at most 20,000 items: their time grows with the square of the number."
            if limited
            else ""
        )
    )


def _row(found: Answer) -> dict[str, str | float | None]:
    optimum, half, tuned = found.optimum, found.at_half, found.tuned
    return {
        "Loss": found.loss_name,
        "k*: items flagged": optimum.k,
        "Probability at the cut": optimum.threshold,
        "Expected loss": optimum.expected_loss,
        "± at most": found.curve.error_bound,
        "0.5: k": half.k,
        "0.5: worse by": half.worse,
        "Tuned": None if tuned is None else tuned.printed,
        "Tuned: k": None if tuned is None else tuned.k,
        "Tuned: worse by": None if tuned is None else tuned.worse,
        "Note": "chooses no cut" if found.loss_name == "AUC" else "",
    }


def _show_table(place: DeltaGenerator, rows: list[dict[str, str | float | None]]) -> None:
    number = st.column_config.NumberColumn
    columns = {
        "Loss": st.column_config.TextColumn(width=70),
        "k*: items flagged": number(format="localized"),
        "Note": st.column_config.TextColumn(),
        "Probability at the cut": number(
            format="%.4g", help="Where probabilities are right, this is the marginal precision at the cut."
        ),
        "Expected loss": number(format="%.4f"),
        "± at most": number(format="%.1g", help="What the expected loss is proven to within; 0: exact up to rounding."),
        "0.5: k": number(format="localized", help="How many items the constant threshold 0.5 flags."),
        "0.5: worse by": number(format="%.4f"),
        "Tuned": number(format=EXACT, help="The threshold tuned on half of the labelled items."),
        "Tuned: k": number(format="localized"),
        "Tuned: worse by": number(format="%.4f"),
    }
    place.dataframe(
        pd.DataFrame(rows).astype(dict.fromkeys(COUNTS, "Int64")),
        hide_index=True,
        alt="The optimal cut under each loss.",
        column_config=columns,
    )
