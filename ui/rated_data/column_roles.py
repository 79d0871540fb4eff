"""The parts of the page on rated data."""

import plotly.graph_objects as go
import streamlit as st

from multiloss_core import CountSurfaces, RatedDocuments
from multiloss_core.figures.histogram import score_histogram
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import count, share, threshold
from multiloss_core.thresholds.data.flagging import Rule
from ui.data.rated_datasets import ColumnChoice, Dataset, RatedSource, read_upload
from ui.data.rated_workspace import workspace
from ui.shared.column_pickers import ask_column, ask_optional_column, ask_positive, offered_columns
from ui.shared.formatting import FRAUD, as_text
from ui.shared.page_setup import theme

PREVIEW_ROWS = 100
TEMPLATE = (
    "document,model A,model B,rating\n"
    "1001,0.91,0.40,fraud\n"
    "1002,0.85,0.22,ok\n"
    "1003,0.31,0.88,fraud\n"
    "1004,0.77,0.79,ok\n"
    "1005,0.95,0.15,\n"
)
NO_WEIGHT = "(none: every document counts once)"
NO_GROUP = "(none: every row stands alone)"
NO_AMOUNT, NO_TIME, NO_SEGMENT = "(none: money is not counted)", "(none: no periods)", "(none: no segments)"
# What the keys of the widgets of a source begin with; those of a column's floor and positive rating name the column too.
ROLES = ("kind", "counted", "scores", "rating", "weight", "group", "amount", "time", "segment", "leave")


def ask_upload() -> None:
    """The uploader, the complaint about the last file, and a template."""
    workspace().ask_upload(
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
    known = workspace().choice_for(source)
    tag = source.fingerprint[:12]
    expander = st.expander(
        "What the columns mean", icon=":material/table_chart:", expanded=source.name in workspace().uploads
    )
    with expander:
        is_counts = (
            st.segmented_control(
                "Each row is",
                ["a rated document", "a node of a table of counts"],
                default="a node of a table of counts" if known.is_counts else "a rated document",
                required=True,
                key=f"kind_{tag}",
                persist_state="session",
            )
            == "a node of a table of counts"
        )
        return _ask_count_columns(known, tag) if is_counts else _ask_document_columns(source, known, tag)


def forget(source: RatedSource) -> None:
    """Let the widgets of a source show what is known of its columns, instead of what they showed last."""
    tag = source.fingerprint[:12]
    of_columns = [f"{part}_{name}" for part in ("floor", "positive") for name in offered_columns(source.frame)]
    for part in (*ROLES, *of_columns):
        st.session_state.pop(f"{part}_{tag}", None)


def show_funnel(dataset: Dataset, choice: ColumnChoice) -> None:
    """Rows read -> rated -> complete -> at or above a floor -> positives, and what was noticed on the way."""
    documents = dataset.source
    assert isinstance(documents, RatedDocuments)
    for column, (words, number) in zip(st.columns(5), documents.funnel.steps, strict=True):
        column.metric(words.capitalize(), count(number), border=True)
    floors = ", ".join(
        f"{name} {threshold(floor)}{' (suggested)' if given is None else ''}"
        for name, floor, given in zip(documents.names, documents.floors, choice.floors, strict=True)
    )
    st.caption(f"Rating floors: {as_text(floors)}. Thresholds below them cannot be judged.")
    if (documents.weights != 1).any():
        totals = documents.totals
        st.caption(
            f"With weights these stand for {count(totals.tp)} positive and {count(totals.fp)} negative "
            "documents; TP and FP everywhere are sums of weights."
        )
    if documents.groups is not None:
        st.caption(
            f"These {count(len(documents.groups))} rows form {count(documents.groups.max() + 1)} groups by "
            f"'{as_text(str(choice.group))}': rows of one group belong together, and held-out numbers and intervals respect it."
        )
    for note in documents.notes:
        st.info(as_text(note), icon=":material/info:")


def show_histograms(dataset: Dataset) -> None:
    """One histogram for each classifier, split by rating, with its floor."""
    documents = dataset.source
    assert isinstance(documents, RatedDocuments)
    width = min(2, len(documents.names))
    for j, name in enumerate(documents.names):
        if j % width == 0:
            # A row of its own for each pair keeps the order where columns are stacked, as on a phone.
            columns = st.columns(width)
        columns[j % width].plotly_chart(
            _histogram(dataset.key, j, theme(), documents),
            theme=None,
            key=f"histogram_{j}",
            alt=f"Histogram of the scores of {name}: rated positives and negatives, rating floor at "
            f"{documents.floors[j]:.6g}.",
        )


@st.cache_resource(scope="session", max_entries=20, show_spinner=False)
def _histogram(key: str, classifier: int, shade: Theme, _documents: RatedDocuments) -> go.Figure:
    return score_histogram(_documents, classifier, theme=shade, vocabulary=FRAUD)


def show_count_table(dataset: Dataset) -> None:
    """What a ready table of counts holds."""
    surfaces = dataset.source
    assert isinstance(surfaces, CountSurfaces)
    corner = (0,) * surfaces.tp.ndim
    tp, fp = float(surfaces.tp[corner]), float(surfaces.fp[corner])
    cells = (
        ("Nodes", count(surfaces.tp.size)),
        ("Grid", " × ".join(str(len(axis)) for axis in surfaces.axes)),
        ("TP at the floors", count(tp)),
        ("FP at the floors", count(fp)),
        ("Precision at the floors", share(tp / (tp + fp) if tp + fp else float("nan"), tp + fp)),
    )
    for column, (words, value) in zip(st.columns(len(cells)), cells, strict=True):
        column.metric(words, value, border=True)
    st.caption(
        f"The counts behave like the rule '{surfaces.rule}'. Floors: "
        + ", ".join(f"{name} {threshold(floor)}" for name, floor in zip(surfaces.names, surfaces.floors, strict=True))
        + "."
    )


def show_limits() -> None:
    """What cannot be known from rated predicted positives, said once."""
    st.info(
        "**What such data cannot tell.** Nobody rated the documents below the floors, so missed fraud (false negatives) and "
        "true negatives are unknown, and with them recall, the false positive rate and F1. Known are true and false "
        "positives, precision, and what each extra alert buys: enough to choose thresholds at or above the floors.",
        icon=":material/visibility_off:",
    )


def show_columns_preview(source: RatedSource) -> None:
    """The first rows of the table as they were read."""
    st.subheader("Preview")
    shown = source.frame.head(PREVIEW_ROWS)
    st.dataframe(shown.set_index(shown.index + 1), height=280, alt=f"First rows of {source.name}.")
    st.caption(
        f"The first {min(PREVIEW_ROWS, len(source.frame)):,} of {len(source.frame):,} rows. Messages count rows from 1 below the header."
    )


def _ask_count_columns(known: ColumnChoice, tag: str) -> ColumnChoice:
    words: dict[str, Rule | None] = {"told by the counts": None, "any": "any", "all": "all"}
    picked = st.segmented_control(
        "A document was counted as flagged when its scores reached",
        list(words),
        default=next(word for word, rule in words.items() if rule == known.rule),
        required=True,
        format_func=lambda word: {"any": "any of the thresholds", "all": "all of the thresholds"}.get(word, word),
        key=f"counted_{tag}",
        persist_state="session",
    )
    return ColumnChoice(is_counts=True, scores=(), rule=words.get(str(picked)))


def _ask_document_columns(source: RatedSource, known: ColumnChoice, tag: str) -> ColumnChoice:
    columns = offered_columns(source.frame)
    left, right = st.columns(2, gap="large")
    scores = left.multiselect(
        "Scores (one for each classifier)",
        columns,
        default=[column for column in known.scores if column in columns],
        key=f"scores_{tag}",
        persist_state="session",
        max_selections=4,
    )
    rating = ask_column(
        right,
        "Rating",
        columns,
        known.rating,
        key=f"rating_{tag}",
        placeholder="Choose the column with the ratings",
    )
    positive = None
    if rating in columns:
        label = "Rating that means fraud (positive)"
        positive = ask_positive(label, source.frame, rating, known.positive, tag, "rating")
    weight = ask_optional_column(
        right,
        "Weight (optional)",
        columns,
        known.weight,
        none=NO_WEIGHT,
        key=f"weight_{tag}",
        hint="How many documents each rated one stands for, when only a sample was rated.",
    )
    group = ask_optional_column(
        right,
        "Group column (optional)",
        columns,
        known.group,
        none=NO_GROUP,
        key=f"group_{tag}",
        hint="Which rows belong together, as several alerts of one customer do. Rows of one customer belong together; "
        "held-out numbers and intervals respect it.",
    )
    amount_box, time_box, segment_box = st.columns(3)
    amount = ask_optional_column(
        amount_box,
        "Amount (optional)",
        columns,
        known.amount,
        none=NO_AMOUNT,
        key=f"amount_{tag}",
        hint="How much money each document is about, 0 or more. With it, money caught and money in false alerts are shown "
        "beside the counts, and thresholds can be chosen by money.",
    )
    time = ask_optional_column(
        time_box,
        "Time (optional)",
        columns,
        known.time,
        none=NO_TIME,
        key=f"time_{tag}",
        hint="When each document came, as a date or a date with a time.",
    )
    segment = ask_optional_column(
        segment_box,
        "Segment (optional)",
        columns,
        known.segment,
        none=NO_SEGMENT,
        key=f"segment_{tag}",
        hint="A column of few words to look at documents by: country, channel, product.",
    )
    floors = tuple(_ask_floor(left, name, known, tag) for name in scores)
    leave_out = left.checkbox(
        "Leave out rows whose score is no finite number",
        value=known.leave_out_unusable,
        key=f"leave_{tag}",
        persist_state="session",
    )
    return ColumnChoice(
        False,
        tuple(scores),
        rating,
        positive,
        weight,
        floors,
        leave_out,
        group=group,
        amount=amount,
        time=time,
        segment=segment,
    )


def _ask_floor(place: "st.delta_generator.DeltaGenerator", name: str, known: ColumnChoice, tag: str) -> float | None:
    value = known.floors[known.scores.index(name)] if name in known.scores else None
    return place.number_input(
        f"Rating floor of {name}",
        value=value,
        format="%.10g",
        key=f"floor_{name}_{tag}",
        persist_state="session",
        placeholder="Suggested from the data",
        help="Documents were rated when a score was at or above its floor. The smallest score in a column is not its "
        "floor: other classifiers bring such documents in. Leave empty for a suggestion.",
    )
