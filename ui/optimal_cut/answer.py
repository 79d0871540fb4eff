"""The parts of the page on the optimal cut."""

import math

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from multiloss_core.errors import DataError
from multiloss_core.figures.loss_curve import CurveMark, loss_curve
from multiloss_core.figures.reliability import reliability_chart
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import count, plural, short_percent, threshold
from multiloss_core.losses.reliability import Reliability
from multiloss_core.tables.item_columns import MAX_ITEMS, MAX_PASTED, ItemColumns
from multiloss_core.tables.spreadsheet_csv import frame_as_csv
from ui.data.scored_datasets import ScoredDataset, ScoredSource, pasted_source, scored_dataset, uploaded_source
from ui.data.scored_workspace import scored_workspace
from ui.optimal_cut.answers import (
    LOSS_CHOICES,
    Answer,
    WayToCut,
    answer,
    items_flagged,
    reliability_of,
    too_many_for,
)
from ui.shared.column_pickers import ask_column, ask_optional_column, ask_positive, offered_columns
from ui.shared.formatting import as_text
from ui.shared.loss_picker import ask_beta, named_loss
from ui.shared.page_setup import theme
from ui.shared.slider_scale import HIGHEST, LOWEST, STEP

NO_LABEL = "(none: no outcome is known)"
PREVIEW_ROWS = 100
# Above this, comparing all losses takes more than a moment.
MANY_ITEMS = 10_000
KEY_COLUMN = "k*: items flagged"
# Half of the items below this: linear axes would show them all in one corner.
RARE = 0.05
SYMBOLS = {"optimum k*": "star", "threshold 0.5": "circle", "tuned threshold": "diamond"}


def introduction() -> None:
    """What the page answers."""
    st.title("Optimal cut")
    st.markdown(
        "Items with a probability each: how many of the most probable ones should be flagged? For each loss there is one "
        "best number *k\\**, and it seldom is where the probability passes 0.5. A simulated sample is loaded; bring your "
        "own items any time.",
        width=860,
    )


def ask_items() -> None:
    """The uploader and the box for pasted items, each with the complaint about what was given last."""
    space = scored_workspace()
    space.ask_upload(
        "Your own items: CSV or Parquet",
        uploaded_source,
        key="scored_upload",
        hint=f"One row for each item, one column with its probability, up to {MAX_ITEMS:,} rows; if outcomes are known, a "
        "column with them (0/1, true/false or two words). The file stays in this session.",
    )
    with st.expander("Paste items", icon=":material/content_paste:", expanded=space.paste_complaint is not None):
        text = st.text_area(
            "One probability on each line, or a table with a header",
            key="scored_paste",
            max_chars=MAX_PASTED,
            height=140,
            placeholder="0.91\n0.40\n0.07",
        )
        if st.button("Use these items", key="scored_use"):
            space.paste_complaint = space.take(lambda: pasted_source(text))
        if space.paste_complaint:
            st.error(as_text(space.paste_complaint), icon=":material/error:")


def ask_item_columns(source: ScoredSource) -> ItemColumns:
    """Let the user correct what the columns mean."""
    known, tag = scored_workspace().choice_for(source), source.fingerprint[:24]
    columns = offered_columns(source.frame)
    expander = st.expander("What the columns mean", icon=":material/table_chart:")
    with expander:
        probability = ask_column(expander, "Probability", columns, known.probability, key=f"probability_{tag}")
        label = ask_optional_column(
            expander,
            "Outcome (label), if known",
            columns,
            known.label,
            none=NO_LABEL,
            key=f"label_{tag}",
            hint="Two values, one of them positive; blank where the outcome is not known.",
        )
        positive = None
        if label is not None:
            guess = known.positive if label == known.label else None
            positive = ask_positive("Outcome that is positive", source.frame, label, guess, tag, "outcome")
        shown = source.frame.head(PREVIEW_ROWS)
        st.dataframe(shown.set_index(shown.index + 1), height=180, alt=f"First rows of {source.name}.")
        st.caption(f"The first {len(shown):,} of {len(source.frame):,} rows.")
    return ItemColumns(str(probability), label, positive)


def checked_items(source: ScoredSource, choice: ItemColumns) -> ScoredDataset:
    """The items under a choice of columns; after a wrong choice, under the last one that worked."""
    dataset = scored_workspace().checked(source, choice, scored_dataset, "items")
    if dataset is None:
        st.stop()
    return dataset


def show_facts(dataset: ScoredDataset) -> None:
    """What was read, in one line."""
    items = dataset.items
    promised = float(items.probabilities.sum())
    known = (
        "no outcomes are known"
        if items.labels is None
        else f"the outcome of {count(items.known_labels.size)} is known, {count(items.known_labels.sum())} of them positive"
    )
    st.caption(
        f"{plural(items.probabilities.size, 'item')}, probabilities from {items.probabilities.min():.4g} to "
        f"{items.probabilities.max():.4g}; they promise {promised:,.1f} positives; {known}."
    )


def ask_loss() -> tuple[str, float, bool]:
    """The loss, beta of F, and whether all losses are wanted."""
    loss_column, beta_column, all_column = st.columns([2, 1, 2], vertical_alignment="bottom")
    choice = loss_column.selectbox(
        "Loss",
        LOSS_CHOICES,
        key="cut_loss",
        bind="query-params",
        help="What a wrong prediction costs. F, Jaccard and G-TP/PR look at the positives only; AM, G-Mean and H-Mean weigh "
        "positives and negatives alike.",
    )
    beta = ask_beta(beta_column, "cut_beta")
    everything = all_column.toggle("Compare all seven losses", key="cut_all", bind="query-params")
    # The widgets' own limits hold in the browser only.
    if choice not in LOSS_CHOICES:
        st.error("That is not one of the losses; choose one from the list.")
        st.stop()
    if not 0.1 <= beta <= 10.0:
        st.error(f"Beta of F is {beta:g}; choose 0.1 to 10.")
        st.stop()
    return choice, beta, bool(everything)


def answered(dataset: ScoredDataset, choice: str, beta: float) -> Answer | None:
    """The answer of the chosen loss, or None and a word on why there is none."""
    try:
        return answer(dataset, choice, beta)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return None


def show_answer(dataset: ScoredDataset, found: Answer) -> None:
    """k* in one sentence, then every way to cut beside the others, and the selected rows to take away."""
    optimum, n = found.optimum, dataset.items.probabilities.size
    if optimum.k == 0:
        sentence = f"Under {found.loss_name}, flagging **nothing** is best."
    else:
        reach = _reach(optimum) if optimum.left_out else f"those with {_reach(optimum)}"
        sentence = (
            f"Under {found.loss_name}, flag the **{count(optimum.k)}** most probable of {plural(n, 'item')}: {reach}."
        )
    st.subheader(sentence, anchor=False)
    _show_ties(optimum)
    if found.loss_name == "AUC":
        st.info(
            "AUC charges only pairs put the wrong way round, so flagging nothing costs 0: it cannot choose a cut. Charging "
            "half for pairs flagged alike turns it into AM.",
            icon=":material/info:",
        )
    places = st.columns(3)
    with places[0].container(border=True, height="stretch"):
        st.markdown("**Optimum, k\\***")
        _show_way(dataset, found, optimum)
    with places[1].container(border=True, height="stretch"):
        st.markdown("**Constant threshold 0.5**")
        _show_way(dataset, found, found.at_half)
    with places[2].container(border=True, height="stretch"):
        st.markdown(
            "**Tuned constant threshold**",
            help="The threshold with the smallest loss on a random half of the labelled items, always the same half. It is "
            "then used for all items, and judged on the other half.",
        )
        if found.tuned is None:
            st.markdown(found.why_not_tuned)
        else:
            _show_way(dataset, found, found.tuned)
    st.caption(_how_known(dataset, found))
    if optimum.k:
        _offer_download(dataset, optimum)


def _show_way(dataset: ScoredDataset, found: Answer, way: WayToCut) -> None:
    n = dataset.items.probabilities.size
    flagged, expected = st.columns(2)
    flagged.metric("Items flagged (k)", count(way.k), help=f"{100 * way.k / n:.3g} % of {plural(n, 'item')}.")
    expected.metric("Expected loss", f"{way.expected_loss:.4f}", help="From 0 to 1; lower is better.")
    lines = []
    if way is not found.optimum:
        lines.append(f"**{_worse(way, found.optimum)}**")
    lines.append("Nothing is flagged, so there is no cut." if math.isnan(way.threshold) else f"Flags {_reach(way)}")
    if not math.isnan(way.observed):
        lines.append(f"Observed loss on {count((~dataset.tuning).sum())} labelled items: {way.observed:.4f}")
    if not math.isnan(way.threshold):
        lines.append(f"Marginal precision at this cut: **{short_percent(way.threshold)}**")
    st.markdown("  \n".join(lines))
    if not math.isnan(way.threshold):
        _link_to_operating_point(way)


def _link_to_operating_point(way: WayToCut) -> None:
    """The operating point with the marginal precision of a cut, where the slider there can be set to it."""
    percent = STEP * round(100 * way.threshold / STEP)
    if not LOWEST <= percent <= HIGHEST:
        st.caption(
            f"The slider of the operating point goes from {LOWEST:g} % to {HIGHEST:g} %, so it cannot be set to this cut."
        )
        return
    st.page_link(
        "pages/operating_point.py",
        label=f"Operating point at {percent:g} %",
        icon=":material/tune:",
        query_params={"m": f"{percent:g}"},
        help="Cutting where the probability is c is the operating point at marginal precision c: of the items at the cut, "
        f"a share c is positive. The slider there moves in steps of {STEP:g} %.",
    )


def _reach(way: WayToCut) -> str:
    """Which probabilities are flagged."""
    if way.left_out:
        return f"down to a probability of {threshold(way.threshold)}"
    return f"a probability of {threshold(way.printed)} or more"


def _show_ties(optimum: WayToCut) -> None:
    if optimum.left_out:
        st.caption(
            f"{plural(optimum.left_out, 'more item')} {'has' if optimum.left_out == 1 else 'have'} exactly the probability of "
            "the last one flagged; of equal ones, the first in the file are flagged."
        )


def _how_known(dataset: ScoredDataset, found: Answer) -> str:
    error = found.curve.error_bound
    proven = "exact up to rounding" if error == 0 else f"proven to within {error:.1g}"
    judged_on = count((~dataset.tuning).sum())
    if found.tuned is not None:
        tuned = (
            f" The threshold was tuned on {count(dataset.tuning.sum())} labelled items drawn at random, the same at every "
            f"visit; the observed losses are those of the other {judged_on}."
        )
    elif dataset.items.labels is not None:
        tuned = (
            f" The observed losses are those of {judged_on} labelled items drawn at random, the same at every visit."
        )
    else:
        tuned = ""
    return (
        f"Expected losses are {proven} (method: {found.curve.method.replace('_', '-')}), for independent outcomes that have "
        f"these probabilities.{tuned}"
    )


def _offer_download(dataset: ScoredDataset, optimum: WayToCut) -> None:
    frame = dataset.frame
    st.download_button(
        f"Download the {plural(optimum.k, 'selected item')} (CSV)",
        # Called at the click only: a million rows take seconds to write.
        lambda: frame_as_csv(frame, rows=items_flagged(dataset, optimum.k)),
        "selected-items.csv",
        "text/csv",
        key="cut_download",
        icon=":material/download:",
        on_click="ignore",
        help="The rows of the optimum, in the order of the file, with all their columns. Text that a spreadsheet would take "
        "for a formula gets an apostrophe in front.",
    )


def show_curve(dataset: ScoredDataset, found: Answer) -> None:
    """The expected loss of every cut, with the ways to cut pointed out."""
    n = dataset.items.probabilities.size
    near = min(n, max(20, 3 * max(way.k for way in found.ways)))
    whole = near == n
    if not whole:
        whole = (
            st.segmented_control(
                "Part of the curve",
                ["around the cuts", "all cuts"],
                default="around the cuts",
                required=True,
                key="cut_part",
                bind="query-params",
                label_visibility="collapsed",
            )
            == "all cuts"
        )
    st.plotly_chart(
        _curve(dataset.key, found.loss_name, theme(), None if whole else near, found),
        theme=None,
        key="cut_curve",
        alt=f"The expected {found.loss_name} loss by how many items are flagged. The smallest is "
        f"{found.optimum.expected_loss:.4f}, at k = {found.optimum.k:,}.",
        width="stretch",
    )


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _curve(key: str, loss_name: str, shade: Theme, most: int | None, _found: Answer) -> go.Figure:
    marks = [CurveMark(way.name, way.k, SYMBOLS[way.name]) for way in _found.ways]
    return loss_curve(_found.curve.values, marks, loss_name=loss_name, theme=shade, height=460, most=most)


def compare_losses(dataset: ScoredDataset, beta: float) -> None:
    """Every loss in one table, filled as the answers come."""
    st.subheader("All seven losses", anchor=False)
    bar, table = st.empty(), st.empty()
    done = scored_workspace().compared
    show_progress = dataset.items.probabilities.size > MANY_ITEMS and (dataset.key, beta) not in done
    rows: list[dict[str, str]] = []
    for number, choice in enumerate(LOSS_CHOICES):
        name = named_loss(choice, beta).name
        if show_progress:
            bar.progress(number / len(LOSS_CHOICES), f"{name}: {number + 1} of {len(LOSS_CHOICES)}")
        try:
            rows.append(_row(answer(dataset, choice, beta)))
        except DataError as error:
            rows.append({"Loss": name, KEY_COLUMN: f"none: {too_many_for(choice, dataset) or error}"})
        if show_progress:
            _show_table(table, rows)
    bar.empty()
    _show_table(table, rows)
    done.add((dataset.key, beta))
    st.caption(
        "Losses of different rows cannot be compared with each other, only the cuts within a row. AUC cannot choose a cut: "
        "it charges only pairs put the wrong way round, so flagging nothing costs 0."
        + (
            " G-Mean and H-Mean take at most 20,000 items: their time grows with the square of the number."
            if any(too_many_for(choice, dataset) for choice in LOSS_CHOICES)
            else ""
        )
    )


def _row(found: Answer) -> dict[str, str]:
    optimum, half, tuned = found.optimum, found.at_half, found.tuned
    return {
        "Loss": found.loss_name,
        KEY_COLUMN: count(optimum.k) if found.loss_name != "AUC" else "0: chooses no cut",
        "Probability at the cut": "none" if math.isnan(optimum.threshold) else _probability(optimum.threshold),
        "Expected loss": f"{optimum.expected_loss:.4f}",
        "± at most": f"{found.curve.error_bound:.1g}" if found.curve.error_bound else "rounding",
        "0.5: k": count(half.k),
        "0.5: worse by": f"{half.worse:.4f}",
        "Tuned": "none"
        if tuned is None
        else "flags nothing"
        if math.isnan(tuned.threshold)
        else threshold(tuned.printed),
        "Tuned: k": "" if tuned is None else count(tuned.k),
        "Tuned: worse by": "" if tuned is None else f"{tuned.worse:.4f}",
    }


def _show_table(place: "st.delta_generator.DeltaGenerator", rows: list[dict[str, str]]) -> None:
    place.dataframe(
        pd.DataFrame(rows).fillna(""),
        hide_index=True,
        width="stretch",
        alt="The optimal cut under each loss.",
        column_config={
            "Loss": st.column_config.TextColumn(width=70),
            KEY_COLUMN: st.column_config.TextColumn(width=190),
            "Probability at the cut": st.column_config.TextColumn(
                help="Where probabilities are right, this is the marginal precision at the cut."
            ),
            "± at most": st.column_config.TextColumn(help="What the expected loss is proven to within."),
            "0.5: k": st.column_config.TextColumn(help="How many items the constant threshold 0.5 flags."),
            "Tuned": st.column_config.TextColumn(help="The threshold tuned on half of the labelled items."),
        },
    )


def show_calibration(dataset: ScoredDataset) -> None:
    """How far the probabilities can be believed, as far as labels tell."""
    st.subheader("Can the probabilities be believed?", anchor=False)
    st.markdown(
        "The answer is only as good as the probabilities: *k\\** is best when, of all items given 30 %, about 30 % are positive.",
        width=860,
    )
    if dataset.items.labels is None:
        st.info(
            "Without outcomes this cannot be checked. Choose a column with outcomes (labels) to see promised against observed "
            "shares.",
            icon=":material/visibility_off:",
        )
        return
    found = reliability_of(dataset)
    (st.warning if found.is_doubtful else st.success)(
        _verdict(found), icon=":material/warning:" if found.is_doubtful else ":material/check:"
    )
    axes = st.segmented_control(
        "Axes",
        ["automatic axes", "linear", "logarithmic"],
        default="automatic axes",
        required=True,
        key="cut_axes",
        bind="query-params",
        label_visibility="collapsed",
    )
    rare = float(found.promised[found.promised.size // 2]) < RARE
    logarithmic = axes == "logarithmic" or (axes != "linear" and rare)
    chart, words = st.columns([3, 2])
    chart.plotly_chart(
        _reliability_figure(dataset.key, theme(), logarithmic, found),
        theme=None,
        key="cut_reliability",
        alt=f"Observed share of positives against the mean probability in {found.items.size} groups of items; "
        f"{int(found.outside.sum())} of the intervals miss the line where the two are equal.",
        width="stretch",
    )
    with words:
        st.dataframe(
            pd.DataFrame(
                {
                    "Items": found.items,
                    "Promised positives": found.promised * found.items,
                    "Observed": found.positives,
                }
            ),
            hide_index=True,
            height=360,
            column_config={
                "Items": st.column_config.NumberColumn(format="localized"),
                "Promised positives": st.column_config.NumberColumn(format="%.1f"),
                "Observed": st.column_config.NumberColumn(format="localized"),
            },
            alt="Promised and observed positives of each group.",
        )
        st.caption("From the least to the most probable group; bars in the chart are 95 % intervals (Wilson).")


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
def _reliability_figure(key: str, shade: Theme, logarithmic: bool, _found: Reliability) -> go.Figure:
    return reliability_chart(_found, theme=shade, logarithmic=logarithmic)


def _verdict(found: Reliability) -> str:
    promised, observed = found.expected_positives, found.observed_positives
    facts = (
        f"Among {plural(int(found.items.sum()), 'labelled item')} the probabilities promise {promised:,.1f} positives; "
        f"{count(observed)} {'was' if observed == 1 else 'were'} found."
    )
    outside, groups = int(found.outside.sum()), found.items.size
    if not found.is_doubtful:
        return f"{facts} Chance alone explains differences like these."
    return (
        f"{facts} In {outside} of {plural(groups, 'group')} the promise lies outside the 95 % interval, more than chance "
        "explains: correct (calibrate) the probabilities before relying on these cuts."
    )


def _worse(way: WayToCut, optimum: WayToCut) -> str:
    if way.worse < 5e-7:
        return "As good as the optimum"
    relative = f" ({100 * way.worse / optimum.expected_loss:.2g} %)" if optimum.expected_loss > 1e-9 else ""
    difference = f"{way.worse:.4f}" if way.worse >= 0.001 else f"{way.worse:.2g}"
    return f"Worse than the optimum by {difference}{relative}"


def _probability(value: float) -> str:
    return f"{value:.4f}" if value >= 0.001 else f"{value:.3g}"
