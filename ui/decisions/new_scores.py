"""Put new scores in the place of those of a decision, such as those of a retrained model."""

from difflib import SequenceMatcher

import pandas as pd
import streamlit as st

from multiloss_core import DataError, DecisionRecord, figures
from multiloss_core.datasets import RatedSource
from multiloss_core.formatting import count, percent, plural, score_name, score_threshold, shortened
from multiloss_core.model_change import ModelChange, model_change, record_of_change, rows_to_rate
from ui.decisions.reopening import reopen, tables_at_hand
from ui.shared.formatting import as_label, as_text, vocabulary
from ui.shared.page_setup import theme
from ui.shared.session import session
from ui.shared.widgets import offered_columns, show_chart, shown_when_open

AS_BEFORE = "(as before)"


def show_new_scores(record: DecisionRecord, tag: str) -> None:
    """Offer new scores for a decision; opened, compare what old and new scores flag."""
    show = shown_when_open("New scores for this decision", key=f"change_{tag}", icon=":material/swap_horiz:")
    show(_show_change)(record, tag)


def _show_change(record: DecisionRecord, tag: str) -> None:
    sources = {source.name: source for source in tables_at_hand(record)}
    if not sources:
        st.info(
            "Give a table with the old and the new scores of the same documents above, rated or not; thresholds are "
            "found that flag as many alerts.",
            icon=":material/upload_file:",
        )
        return
    source = sources[st.selectbox("Table with the new scores", list(sources), key=f"change_table_{tag}")]
    new_scores = _ask_columns(record, source, tag)
    if not new_scores:
        return
    try:
        change = _changed(record, source, new_scores, tag)
        if change is None:
            return
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.markdown(f"**{as_text(change.words)}**")
    numbers, chart = st.columns(2, gap="large")
    with numbers:
        _show_thresholds(record, change)
        st.caption(as_text(change.rating_words))
        with st.container(horizontal=True):
            _offer_decision(record, change, source, tag)
            if len(change.to_rate):
                st.download_button(
                    f"{plural(len(change.to_rate), 'alert')} to rate, in this order",
                    lambda: rows_to_rate(change, source.frame),
                    "alerts-to-rate.csv",
                    "text/csv",
                    key=f"change_rate_{tag}",
                    icon=":material/download:",
                    on_click="ignore",
                )
    if change.old is not None:
        named = {"both": change.both, "only before": change.only_old, "only now": change.only_new}
        sets = {name: (one.positives, one.negatives, one.unrated) for name, one in named.items()}
        drawn = figures.swapped_alerts(sets, theme=theme(), vocabulary=vocabulary())
        show_chart(drawn, key=f"change_chart_{tag}", alt=f"Alerts of both scores. {change.words}", place=chart)
    st.caption(
        "Without a rating, an alert may be either: the precision lies between the two extremes. Rated in the order of "
        "the list, alerts below the rating floors are a random sample, and the range becomes a 95 % interval.",
        width=860,
    )


def _ask_columns(record: DecisionRecord, source: RatedSource, tag: str) -> dict[str, str]:
    """Ask for the new column of each score of the decision."""
    scores = record.columns.scores[: record.columns.score_count]
    columns = offered_columns(source.frame)
    taken = {*map(score_name, record.columns.read_columns), record.columns.rating}
    numeric = [name for name in columns if pd.api.types.is_numeric_dtype(source.frame[name].dtype)]
    found = {}
    with st.container(horizontal=True):
        for place, score in enumerate(scores):
            others = [name for name in numeric if name not in taken]
            likely = max(others, key=lambda name: SequenceMatcher(None, name, score).ratio(), default=AS_BEFORE)
            options = [AS_BEFORE, *columns]
            picked = st.selectbox(
                f"New column of {as_label(shortened(score_name(score)))}",
                options,
                index=options.index(likely if len(scores) == 1 or _is_like(likely, score) else AS_BEFORE),
                key=f"change_{tag}_{source.fingerprint[:12]}_{place}",
            )
            if picked != AS_BEFORE:
                found[score] = f"{score.removesuffix(score_name(score))}{picked}"
    return found


def _is_like(name: str, score: str) -> bool:
    return SequenceMatcher(None, name, score_name(score)).ratio() > 0.6


def _changed(record: DecisionRecord, source: RatedSource, new_scores: dict[str, str], tag: str) -> ModelChange | None:
    """Find the change; ask for the number of alerts where the table has no old scores."""
    if source.is_sample:
        raise DataError(
            f"Only a sample of '{source.name}' is loaded; choose fewer days on Rated data to load all rows."
        )
    if all(score_name(name) in source.frame.columns for name in record.columns.score_columns):
        return model_change(record, source.frame, new_scores)
    wanted = st.number_input(
        "Alerts to flag in this table",
        min_value=1,
        value=None,
        key=f"change_alerts_{tag}",
        help="The table does not have the scores of the decision, so how many alerts it flags there is not known.",
    )
    return None if wanted is None else model_change(record, source.frame, new_scores, alerts=wanted)


def _show_thresholds(record: DecisionRecord, change: ModelChange) -> None:
    names = change.columns.scores
    rows = pd.DataFrame(
        {"Score": [*map(score_name, names)], "Threshold": [*map(score_threshold, names, change.thresholds)]}
    )
    target = record.target.marginal_precision
    if change.at_marginal_precision is not None and target is not None:
        at = [*map(score_threshold, names, change.at_marginal_precision)]
        rows[f"At marginal precision {percent(target)}"] = at
    st.dataframe(rows, hide_index=True, alt="The threshold of each new score.")
    low, high = change.alerts_interval
    st.caption(f"In as long a period to come: {count(round(low))} to {plural(round(high), 'alert')} (95 % interval).")


def _offer_decision(record: DecisionRecord, change: ModelChange, source: RatedSource, tag: str) -> None:
    """Offer to go on with the new thresholds on the operating point, where they are saved."""
    if not st.button("Make it a decision", key=f"change_use_{tag}", type="primary", icon=":material/check:"):
        return
    try:
        made = record_of_change(record, change, source.frame, name=source.name, fingerprint=source.fingerprint)
        choices = reopen(made, source, same=True)
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    session().point.reopened = None
    st.switch_page("pages/operating_point.py", query_params=choices)
