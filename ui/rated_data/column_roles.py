"""Ask what the columns of a rated table mean, and for the rating floors of its scores."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core.datasets import RatedSource
from multiloss_core.formatting import MINUS, direction, score_name, score_value, shortened
from multiloss_core.numerics import typed_number
from multiloss_core.tables import ColumnMeanings
from multiloss_core.thresholds import Rule
from ui.data.rated import rated_uploads
from ui.rated_data.column_table import ColumnTable, key_of
from ui.rated_data.connected_tables import ask_connected_table
from ui.rated_data.rating_meanings import meaning_key
from ui.shared.choices import choose, chosen, withdraw
from ui.shared.formatting import as_label, as_text, vocabulary

TEMPLATE = (
    "document,model A,model B,rating\n1001,0.91,0.40,fraud\n1002,0.85,0.22,ok\n1003,0.31,0.88,fraud\n"
    "1004,0.77,0.79,ok\n1005,0.95,0.15,\n"
)
LIMITS = (
    "Alerts below every floor are not rated, so false negatives and true negatives are unknown. So are recall, the "
    "false positive rate and F1. True and false positives and precision are known from the floors up."
)
DOCUMENTS, COUNTS = "a rated document", "counts at a pair of thresholds"
RULES: dict[str, Rule | None] = {"from the counts": None, "any": "any", "all": "all"}


def ask_upload(place: DeltaGenerator) -> None:
    """Draw the uploader and the complaint about the last file."""
    with place:
        rated_uploads().ask_upload()
        ask_connected_table()


def ask_columns(source: RatedSource) -> ColumnMeanings:
    """Ask for the use of each column, and under *More* for what few users change."""
    known = rated_uploads().choice_for(source)
    table, more = st.container(key="column_table"), st.expander("More", icon=":material/more_horiz:")
    with more, st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.segmented_control(
            "Each row is",
            [DOCUMENTS, COUNTS],
            default=COUNTS if known.is_counts else DOCUMENTS,
            required=True,
            format_func=lambda kind: f"a rated {vocabulary().document}" if kind == DOCUMENTS else kind,
            key=key_of(source, "kind"),
            persist_state="session",
        )
        st.download_button("Template (CSV)", TEMPLATE, "multiloss-template.csv", "text/csv", on_click="ignore")
        if source.name in rated_uploads().state.sources:
            _ask_settings_file(source)
    with table:
        choice = _ask_count_columns(source, known) if kind == COUNTS else ColumnTable.of(source, known).ask()
    if kind == DOCUMENTS:
        with more:
            choice = _ask_floors(source, known, choice)
    more.caption(LIMITS)
    return choice


def _ask_count_columns(source: RatedSource, known: ColumnMeanings) -> ColumnMeanings:
    picked = st.segmented_control(
        f"{vocabulary().a_document.capitalize()} was counted as flagged when its scores reached",
        list(RULES),
        default=next(words for words, rule in RULES.items() if rule == known.rule),
        required=True,
        format_func=lambda words: f"{words} of the thresholds" if RULES.get(words) else words,
        key=key_of(source, "counted"),
        persist_state="session",
    )
    return ColumnMeanings(is_counts=True, scores=(), rule=RULES.get(str(picked)))


def _ask_settings_file(source: RatedSource) -> None:
    """Offer the column roles as a file, and read them from one."""
    store, key = rated_uploads(), key_of(source, "settings")
    with st.popover("Settings file", icon=":material/settings:", type="tertiary"):
        st.caption("Columns, meanings of ratings and floors, for a colleague who loads the same data.")
        st.download_button(
            "Download settings (JSON)",
            store.settings_of(source),
            "multiloss-settings.json",
            "application/json",
            key=f"{key}_download",
            on_click="ignore",
        )
        st.file_uploader(
            "Use settings from a file",
            type=["json"],
            key=key,
            max_upload_size=1,
            on_change=_use_settings_file,
            # A callback that held the table would keep its memory when the table goes.
            args=(source.name, key),
        )
    if complaint := chosen(f"{key}_complaint"):
        st.error(as_text(complaint), icon=":material/error:")


def _use_settings_file(name: str, key: str) -> None:
    """Take the settings of an uploaded file, or keep the reason why they do not fit."""
    uploaded, source = chosen(key), rated_uploads().source(name)
    choose(f"{key}_complaint", uploaded and rated_uploads().use_settings(source, uploaded.getvalue()))
    if uploaded and not chosen(f"{key}_complaint"):
        forget(source)


def forget(source: RatedSource) -> None:
    """Set the widgets of a table to the stored choice of columns."""
    parts = ("used_as_", "words_", "floor_", f"floor_{MINUS}", "decimal_")
    withdraw(
        *(key_of(source, name) for name in ("kind", "counted", "leave", "repeats", "alert_sources")),
        *(key_of(source, f"{part}{name}") for part in parts for name in source.frame),
    )
    choice = rated_uploads().choice_for(source)
    for value, _ in choice.meanings:
        withdraw(meaning_key(str(choice.rating), value, source.fingerprint[:12]))


def _ask_floors(source: RatedSource, known: ColumnMeanings, choice: ColumnMeanings) -> ColumnMeanings:
    """Ask for the rating floors of the scores, and whether to skip rows without readable scores."""
    places = st.columns(len(choice.scores) or 1)
    floors = [_ask_floor(place, source, name, known) for place, name in zip(places, choice.scores, strict=False)]
    skips = st.checkbox(
        "Skip rows with unreadable scores",
        value=known.leave_out_unusable,
        key=key_of(source, "leave"),
        persist_state="session",
    )
    return replace(choice, floors=tuple(floors), leave_out_unusable=skips)


def _ask_floor(place: DeltaGenerator, source: RatedSource, name: str, known: ColumnMeanings) -> float | None:
    value = known.floors[known.scores.index(name)] if name in known.scores else None
    documents = vocabulary().documents
    side, end = ("above", "smallest") if direction(name) > 0 else ("below", "largest")
    own = score_value(name, value)
    # A box of numbers would read 1,000 as 1 and 0,9 as 9.
    text = place.text_input(
        f"Rating floor of {as_label(score_name(name))}",
        value="" if own is None else f"{own:.10g}",
        key=key_of(source, f"floor_{name}"),
        persist_state="session",
        placeholder="Estimated from the data",
        help=f"{documents.capitalize()} were rated when a score was at or {side} its floor. The {end} score in a "
        f"column is not its floor: other classifiers bring such {documents} in. Leave empty for an estimate.",
    )
    try:
        return score_value(name, typed_number(text)) if text.strip() else None
    except ValueError:
        place.error(f"'{as_text(shortened(text))}' is not one number; type the floor as 0.5.", icon=":material/error:")
        return value
