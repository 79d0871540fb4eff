"""Ask for the roles of the columns of a rated table."""

import re
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core.datasets import RatedSource
from multiloss_core.formatting import MINUS, direction, plural, score_name, score_value, shortened
from multiloss_core.numerics import typed_number
from multiloss_core.tables import (
    RECIPROCAL,
    ColumnMeanings,
    DecimalSign,
    Keep,
    Meaning,
    RepeatedRows,
    find_falling,
)
from multiloss_core.thresholds import Rule
from ui.data.rated import needs_answers, rated_uploads
from ui.rated_data.alert_sources import ask_alert_rules
from ui.rated_data.column_summary import ask_meanings, meaning_key, show_column_table
from ui.rated_data.connected_tables import ask_connected_table
from ui.shared.choices import choose, chosen, withdraw
from ui.shared.formatting import as_label, as_text, vocabulary
from ui.shared.widgets import ask_column, ask_optional_column, offered_columns

TEMPLATE = (
    "document,model A,model B,rating\n"
    "1001,0.91,0.40,fraud\n"
    "1002,0.85,0.22,ok\n"
    "1003,0.31,0.88,fraud\n"
    "1004,0.77,0.79,ok\n"
    "1005,0.95,0.15,\n"
)

DOCUMENTS, COUNTS = "a rated document", "counts at a pair of thresholds"
RULES: dict[str, Rule | None] = {"from the counts": None, "any": "any", "all": "all"}


@dataclass(frozen=True, kw_only=True)
class ColumnRole:
    """An optional column role: `key` is the field of the choice, `none` explains its absence.

    The noun for rows is filled in later.
    """

    key: str
    label: str
    none: str
    hint: str


WEIGHT = ColumnRole(
    key="weight",
    label="Weight (optional)",
    none="(none: every {document} counts once)",
    hint="How many {documents} each rated one stands for, when only a sample was rated.",
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
    hint="How much money each {document} is about, 0 or more. With it, money caught and money in false alerts are "
    "shown beside the counts, and thresholds can be chosen by money.",
)
TIME = ColumnRole(
    key="time",
    label="Time (optional)",
    none="(none: no periods)",
    hint="When each {document} came, as a date or a date with a time.",
)
SEGMENT = ColumnRole(
    key="segment",
    label="Segment (optional)",
    none="(none: no segments)",
    hint="A column of few words to look at {documents} by: country, channel, product.",
)
ROLES = (WEIGHT, GROUP, AMOUNT, TIME, SEGMENT)


def ask_upload(place: DeltaGenerator) -> None:
    """Draw the uploader and the complaint about the last file."""
    with place:
        rated_uploads().ask_upload()
        ask_connected_table()


def offer_template() -> None:
    """Offer a file that shows the expected columns."""
    name, mime = "multiloss-template.csv", "text/csv"
    st.download_button("Template (CSV)", TEMPLATE, name, mime, icon=":material/download:", on_click="ignore")


def ask_columns(source: RatedSource, questions: DeltaGenerator) -> ColumnMeanings:
    """Let the user correct the column roles; ambiguous ones are asked in `questions`."""
    known = rated_uploads().choice_for(source)
    overview = st.container(key="column_table")
    unsure = needs_answers(source)
    expander = st.expander("What the columns mean", icon=":material/table_chart:")
    if source.name in rated_uploads().state.sources:
        with expander:
            _ask_settings_file(source)
    if unsure:
        questions.markdown("#### Please check")
    with expander:
        kind = st.segmented_control(
            "Each row is",
            [DOCUMENTS, COUNTS],
            default=COUNTS if known.is_counts else DOCUMENTS,
            required=True,
            format_func=lambda kind: f"a rated {vocabulary().document}" if kind == DOCUMENTS else kind,
            key=_key(source, "kind"),
            persist_state="session",
        )
        if kind == COUNTS:
            return _ask_count_columns(source, known)
        choice = _ask_document_columns(source, known, questions)
    if source.name in rated_uploads().state.sources:
        with overview:
            show_column_table(source, choice)
    return choice


def _ask_settings_file(source: RatedSource) -> None:
    """Offer the column roles as a file, and read them from one."""
    store, key = rated_uploads(), _key(source, "settings")
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
    of_columns = [f"{part}_{name}" for part in ("floor", "turn", "decimal") for name in offered_columns(source.frame)]
    for name in (
        "kind",
        "counted",
        "scores",
        "alert_rules",
        "rating",
        "leave",
        "repeats",
        *(role.key for role in ROLES),
        *of_columns,
    ):
        withdraw(_key(source, name))
    choice = rated_uploads().choice_for(source)
    for value, _ in choice.meanings:
        withdraw(meaning_key(str(choice.rating), value, _tag(source)))


def _key(source: RatedSource, name: str) -> str:
    """Name the widget of a table that asks for `name`."""
    return f"{name}_{_tag(source)}"


def _tag(source: RatedSource) -> str:
    return source.fingerprint[:12]


def _ask_count_columns(source: RatedSource, known: ColumnMeanings) -> ColumnMeanings:
    picked = st.segmented_control(
        f"{vocabulary().a_document.capitalize()} was counted as flagged when its scores reached",
        list(RULES),
        default=next(words for words, rule in RULES.items() if rule == known.rule),
        required=True,
        format_func=lambda words: f"{words} of the thresholds" if RULES.get(words) else words,
        key=_key(source, "counted"),
        persist_state="session",
    )
    return ColumnMeanings(is_counts=True, scores=(), rule=RULES.get(str(picked)))


def _ask_document_columns(source: RatedSource, known: ColumnMeanings, questions: DeltaGenerator) -> ColumnMeanings:
    columns = offered_columns(source.frame)
    left, right = st.columns(2, gap="large")
    below = st.container()
    unsure = source.guess.unsure if source.guess is not None and needs_answers(source) else frozenset()

    def place(role: str, usual: DeltaGenerator) -> DeltaGenerator:
        """Return the place of a role's widget; an uncertain role is among the questions."""
        if source.guess is None or role not in unsure:
            return usual
        asked = questions.container()
        guessed, reason = getattr(source.guess, role, None), source.guess.reasons.get(role)
        # The reason is of the column that was guessed, not of another one chosen since.
        picked = chosen(_key(source, role), guessed)
        if reason and (not isinstance(guessed, str) or picked == guessed):
            about = f"*{as_text(shortened(guessed))}*: " if isinstance(guessed, str) else ""
            asked.caption(f"{about}{as_text(reason)}")
        return asked

    rating = ask_column(
        place("rating", right),
        "Rating",
        columns,
        known.rating,
        key=_key(source, "rating"),
        placeholder="Choose the column with the ratings",
    )
    meanings: tuple[tuple[str, Meaning | None], ...] = ()
    if rating in columns:
        of_known = dict(known.meanings) if rating == known.rating else {}
        # Another rating has other words, of which nothing was guessed.
        of_guess = source.guess is not None and rating == source.guess.rating
        asked_at = questions.container() if unsure & {"rating", "meanings"} else below
        meanings = ask_meanings(place("meanings", asked_at) if of_guess else asked_at, source, rating, of_known)
    scores = _ask_scores(place("scores", left), source, columns, known, rating, meanings)
    rules = ask_alert_rules(
        place("alert_rules", left), source, known, {*scores, rating}, key=_key(source, "alert_rules")
    )
    optional: dict[str, Any] = {}
    for usual, role in zip((right, right, *st.columns(3)), ROLES, strict=True):
        optional[role.key] = ask_optional_column(
            place(role.key, usual),
            role.label,
            _with_derived(columns, getattr(known, role.key)),
            getattr(known, role.key),
            none=vocabulary().in_words(role.none),
            key=_key(source, role.key),
            hint=vocabulary().in_words(role.hint),
        )
    floors = tuple(_ask_floor(left, source, name, known) for name in scores)
    leave_out = left.checkbox(
        "Skip rows with unreadable scores",
        value=known.leave_out_unusable,
        key=_key(source, "leave"),
        persist_state="session",
    )
    repeats = known.repeats and _ask_repeats(place("repeats", right), source, known.repeats)
    used = {*scores, optional["weight"], optional["amount"]}
    return ColumnMeanings(
        scores=scores,
        rating=rating,
        meanings=meanings,
        floors=floors,
        floor_method=known.floor_method,
        leave_out_unusable=leave_out,
        alert_rules=rules,
        repeats=repeats,
        since=known.since if optional["time"] == known.time else None,
        age_weights=known.age_weights,
        decimal_signs=tuple(
            (name, _ask_decimal_sign(questions, source, name, known))
            for name in source.ambiguous
            if used & {name, f"{MINUS}{name}", f"{RECIPROCAL}{name}"}
        ),
        **optional,
    )


def _ask_scores(
    place: DeltaGenerator,
    source: RatedSource,
    columns: list[str],
    known: ColumnMeanings,
    rating: str | None,
    meanings: tuple[tuple[str, Meaning | None], ...],
) -> tuple[str, ...]:
    turned = [name.removeprefix(MINUS) for name in known.scores if name not in columns]
    usual = [name if name in columns else name.removeprefix(MINUS) for name in known.scores]
    picked = place.multiselect(
        "Scores (one for each classifier)",
        columns,
        default=[name for name in usual if name in columns],
        key=_key(source, "scores"),
        persist_state="session",
        max_selections=4,
    )
    falling, surely = _falling(_tag(source), tuple(picked), rating, meanings, source.frame)
    # What the ratings show is preset; once the user chose otherwise, that stays.
    turned += [name for name in surely if name not in known.scores]
    more = source.guess.more_scores if source.guess is not None else ()
    if more:
        found = plural(len(more) + len(known.scores), "score")
        names = ", ".join(f"*{as_text(name)}*" for name in more)
        place.caption(f"{found} were found, {len(picked)} are used; not used: {names}.")
    return tuple(
        f"{MINUS}{name}"
        if (name in falling or name in turned)
        and place.toggle(
            f"Low values of {as_label(name)} are suspicious",
            value=name in turned,
            key=_key(source, f"turn_{name}"),
            persist_state="session",
            help="Rated fraud has rather low values of this score: alerts are then at or below its threshold.",
        )
        else name
        for name in picked
    )


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _falling(
    tag: str,
    scores: tuple[str, ...],
    rating: str | None,
    meanings: tuple[tuple[str, Meaning | None], ...],
    _frame: pd.DataFrame,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find scores that fall with fraud, and those that certainly do, once ratings are known."""
    if (
        rating is None
        or not scores
        or rating in scores
        or {"positive", "negative"} - {meaning for _, meaning in meanings}
    ):
        return (), ()
    given = (_frame, scores, rating, dict(meanings))
    return find_falling(*given), find_falling(*given, surely=True)


def _ask_repeats(place: DeltaGenerator, source: RatedSource, known: RepeatedRows) -> RepeatedRows:
    """Ask which rows count of an alert in several rows."""
    by = f" by {as_label(shortened(known.by))}" if known.by else " in the file"
    words: dict[Keep, str] = {"last": f"the last{by}", "first": f"the first{by}", "all": "all rows"}
    keep = place.segmented_control(
        f"Of rows with the same {as_label(shortened(known.identifier))}, use",
        list(words),
        default=known.keep,
        required=True,
        format_func=lambda keep: words.get(keep, keep),
        key=_key(source, "repeats"),
        persist_state="session",
    )
    return replace(known, keep=keep)


def _with_derived(columns: list[str], known: str | None) -> list[str]:
    """Offer a derived column, such as 1 / sampling rate, where it was proposed."""
    return columns if known is None or known in columns else [known, *columns]


def _ask_decimal_sign(
    place: DeltaGenerator, source: RatedSource, name: str, known: ColumnMeanings
) -> DecimalSign | None:
    """Ask how numbers such as 1,234 are meant, which alone can be read in two ways."""
    example = next((cell for cell in source.frame[name].dropna().astype(str) if re.search(r"\d[.,]\d", cell)), "1,234")
    sign: DecimalSign = "," if "," in example else "."
    other: DecimalSign = "." if sign == "," else ","
    meant: dict[DecimalSign, str] = {other: example.replace(sign, ""), sign: example.replace(",", ".")}
    return place.segmented_control(
        f"In {as_label(name)}, {as_label(shortened(example))} is",
        list(meant),
        default=dict(known.decimal_signs).get(name),
        format_func=lambda decimal: meant.get(decimal, decimal),
        key=_key(source, f"decimal_{name}"),
        persist_state="session",
    )


def _ask_floor(place: DeltaGenerator, source: RatedSource, name: str, known: ColumnMeanings) -> float | None:
    value = known.floors[known.scores.index(name)] if name in known.scores else None
    documents = vocabulary().documents
    side, end = ("above", "smallest") if direction(name) > 0 else ("below", "largest")
    own = score_value(name, value)
    # A box of numbers would read 1,000 as 1 and 0,9 as 9.
    text = place.text_input(
        f"Rating floor of {as_label(score_name(name))}",
        value="" if own is None else f"{own:.10g}",
        key=_key(source, f"floor_{name}"),
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
