"""What the columns of a rated table mean: the widgets that ask for it."""

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core.thresholds import Rule
from ui.data.rated_datasets import ColumnChoice, RatedSource, read_upload
from ui.data.rated_workspace import rated_uploads
from ui.shared.column_pickers import ask_column, ask_optional_column, ask_positive, offered_columns

TEMPLATE = (
    "document,model A,model B,rating\n"
    "1001,0.91,0.40,fraud\n"
    "1002,0.85,0.22,ok\n"
    "1003,0.31,0.88,fraud\n"
    "1004,0.77,0.79,ok\n"
    "1005,0.95,0.15,\n"
)
DOCUMENTS, COUNTS = "a rated document", "a node of a table of counts"
RULES: dict[str, Rule | None] = {"told by the counts": None, "any": "any", "all": "all"}


@dataclass(frozen=True, kw_only=True)
class ColumnRole:
    """What a column that may be missing means. `key` is the field of the choice; `none` says what its absence means."""

    key: str
    label: str
    none: str
    hint: str


WEIGHT = ColumnRole(
    key="weight",
    label="Weight (optional)",
    none="(none: every document counts once)",
    hint="How many documents each rated one stands for, when only a sample was rated.",
)
GROUP = ColumnRole(
    key="group",
    label="Group column (optional)",
    none="(none: every row stands alone)",
    hint="Which rows belong together, as several alerts of one customer do. Rows of one customer belong together; "
    "held-out numbers and intervals respect it.",
)
AMOUNT = ColumnRole(
    key="amount",
    label="Amount (optional)",
    none="(none: money is not counted)",
    hint="How much money each document is about, 0 or more. With it, money caught and money in false alerts are shown "
    "beside the counts, and thresholds can be chosen by money.",
)
TIME = ColumnRole(
    key="time",
    label="Time (optional)",
    none="(none: no periods)",
    hint="When each document came, as a date or a date with a time.",
)
SEGMENT = ColumnRole(
    key="segment",
    label="Segment (optional)",
    none="(none: no segments)",
    hint="A column of few words to look at documents by: country, channel, product.",
)
ROLES = (WEIGHT, GROUP, AMOUNT, TIME, SEGMENT)


def ask_upload(place: DeltaGenerator) -> None:
    """Draw the uploader, the complaint about the last file, and a template."""
    with place:
        rated_uploads().ask_upload(
            "Your own file: CSV or Parquet",
            read_upload,
            key="upload",
            hint="Rated documents, or a ready table of counts (T1, T2, …, TP, FP). The file stays in this session.",
        )
        st.download_button(
            "Template (CSV)",
            TEMPLATE,
            "multiloss-template.csv",
            "text/csv",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )


def ask_columns(source: RatedSource) -> ColumnChoice:
    """Let the user correct what the columns mean."""
    known = rated_uploads().choice_for(source)
    expander = st.expander(
        "What the columns mean", icon=":material/table_chart:", expanded=source.name in rated_uploads().state.sources
    )
    with expander:
        kind = st.segmented_control(
            "Each row is",
            [DOCUMENTS, COUNTS],
            default=COUNTS if known.is_counts else DOCUMENTS,
            required=True,
            key=_key(source, "kind"),
            persist_state="session",
        )
        return _ask_count_columns(source, known) if kind == COUNTS else _ask_document_columns(source, known)


def forget(source: RatedSource) -> None:
    """Have the widgets of a table show the choice of columns that is kept, not what they showed last."""
    of_columns = [f"{part}_{name}" for part in ("floor", "positive") for name in offered_columns(source.frame)]
    for name in ("kind", "counted", "scores", "rating", "leave", *(role.key for role in ROLES), *of_columns):
        st.session_state.pop(_key(source, name), None)


def _key(source: RatedSource, name: str) -> str:
    """Name the widget of a table that asks for `name`."""
    return f"{name}_{_tag(source)}"


def _tag(source: RatedSource) -> str:
    return source.fingerprint[:12]


def _ask_count_columns(source: RatedSource, known: ColumnChoice) -> ColumnChoice:
    picked = st.segmented_control(
        "A document was counted as flagged when its scores reached",
        list(RULES),
        default=next(words for words, rule in RULES.items() if rule == known.rule),
        required=True,
        format_func=lambda words: f"{words} of the thresholds" if RULES.get(words) else words,
        key=_key(source, "counted"),
        persist_state="session",
    )
    return ColumnChoice(is_counts=True, scores=(), rule=RULES.get(str(picked)))


def _ask_document_columns(source: RatedSource, known: ColumnChoice) -> ColumnChoice:
    columns = offered_columns(source.frame)
    left, right = st.columns(2, gap="large")
    scores = left.multiselect(
        "Scores (one for each classifier)",
        columns,
        default=[column for column in known.scores if column in columns],
        key=_key(source, "scores"),
        persist_state="session",
        max_selections=4,
    )
    rating = ask_column(
        right,
        "Rating",
        columns,
        known.rating,
        key=_key(source, "rating"),
        placeholder="Choose the column with the ratings",
    )
    positive = None
    if rating in columns:
        label = "Rating that means fraud (positive)"
        key = _key(source, f"positive_{rating}")
        positive = ask_positive(label, source.frame, rating, known.positive, _tag(source), "rating", key=key)
    optional: dict[str, Any] = {}
    for place, role in zip((right, right, *st.columns(3)), ROLES, strict=True):
        optional[role.key] = ask_optional_column(
            place,
            role.label,
            columns,
            getattr(known, role.key),
            none=role.none,
            key=_key(source, role.key),
            hint=role.hint,
        )
    floors = tuple(_ask_floor(left, source, name, known) for name in scores)
    leave_out = left.checkbox(
        "Leave out rows whose score is no finite number",
        value=known.leave_out_unusable,
        key=_key(source, "leave"),
        persist_state="session",
    )
    return ColumnChoice(
        is_counts=False,
        scores=tuple(scores),
        rating=rating,
        positive=positive,
        floors=floors,
        leave_out_unusable=leave_out,
        **optional,
    )


def _ask_floor(place: DeltaGenerator, source: RatedSource, name: str, known: ColumnChoice) -> float | None:
    value = known.floors[known.scores.index(name)] if name in known.scores else None
    return place.number_input(
        f"Rating floor of {name}",
        value=value,
        format="%.10g",
        key=_key(source, f"floor_{name}"),
        persist_state="session",
        placeholder="Suggested from the data",
        help="Documents were rated when a score was at or above its floor. The smallest score in a column is not its "
        "floor: other classifiers bring such documents in. Leave empty for a suggestion.",
    )
