"""Ask where all documents are, and divide the unrated ones into strata."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.audit import MAX_DOCUMENTS, AuditStrata, audit_scores, halved_strata, score_strata
from multiloss_core.datasets import simulated_documents
from multiloss_core.engines import Cancelled, count_strata, strata_in
from multiloss_core.formatting import direction, plural, score_name, score_side
from multiloss_core.numerics import Floats, Indices
from multiloss_core.sql_dialects import SqlDialect
from multiloss_core.tables import MAX_FILE_BYTES, TableFile, base_of, read_in_process
from ui.data.engine_connections import answered, connection_names, engine_of, table_names
from ui.data.rated import is_built_in
from ui.operating_point.analysis import Analysis
from ui.operating_point.audits import block_thresholds
from ui.shared.formatting import as_text, unrated
from ui.shared.session import session

SIMULATED, FILE = "All simulated", "A file of scores"
CONNECTED, BY_HAND = "A connected source", "Numbers by hand"
FILE_TYPES = ["csv", "tsv", "txt", "xlsx", "parquet"]
MAX_KEPT = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """Strata with their sizes (h,), and where their documents are.

    `frame`: all documents, where the file of the upload `file_id` holds them; `table`: the source and the table that
    was counted. `counted_from`: how many documents of the strata a sample holds that `sizes` are scaled up from.
    `ratings`: those of a simulation, beside `frame`.
    """

    strata: AuditStrata
    sizes: Indices
    frame: pd.DataFrame | None = None
    file_id: str = ""
    table: tuple[str, str] | None = None
    counted_from: int | None = None
    ratings: "pd.Series[Any] | None" = None


def ask_population(analysis: Analysis) -> Population | None:
    """Ask for all documents, rated or not. Raises DataError where they do not fit."""
    asked: dict[str, Callable[[Analysis], Population | None]] = {FILE: _ask_file, BY_HAND: _ask_by_hand}
    if connection_names():
        asked[CONNECTED] = _ask_connected
    simulated = _all_simulated(analysis.rated.name) if is_built_in(analysis.rated) else None
    if simulated is not None:
        asked = {SIMULATED: partial(_simulated, *simulated)} | asked
    label = f"Where are the scores of all {unrated()}?"
    place = st.segmented_control(
        label, [*asked], default=next(iter(asked)), required=True, key="audit_place", label_visibility="collapsed"
    )
    return asked[place](analysis)


@st.cache_resource(max_entries=2, show_spinner="Simulating a population …")
def _all_simulated(name: str) -> tuple[pd.DataFrame, "pd.Series[Any]"] | None:
    """Return all documents of a sample and their true ratings."""
    documents = simulated_documents(name)
    return None if documents is None else (documents.drop(columns="rating"), documents["rating"])


def _simulated(frame: pd.DataFrame, ratings: "pd.Series[Any]", analysis: Analysis) -> Population:
    file_id = f"simulated {analysis.rated.key}"
    strata, sizes, _ = _strata_of(file_id, block_thresholds(analysis), frame, analysis)
    return Population(strata=strata, sizes=sizes, frame=frame, file_id=file_id, ratings=ratings)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Counting the strata …")
def _strata_of(
    file_id: str, blocks: Floats | None, _frame: pd.DataFrame, _analysis: Analysis
) -> tuple[AuditStrata, Indices, int]:
    """Return strata of documents, their sizes, and how many documents have no score."""
    source = _analysis.rated.source
    scores = audit_scores(_frame, _analysis.names, source.alert_rules)
    strata = score_strata(scores, source.floors, blocks=blocks, names=_analysis.names, alert_rules=source.alert_rules)
    return strata, strata.sizes(scores), int(np.isnan(scores).all(axis=1).sum())


class Upload(NamedTuple):
    """A table with the scores, the name and the content of its file, and the id of the upload."""

    frame: pd.DataFrame
    name: str
    file_id: str
    data: bytes


def read_upload(analysis: Analysis, label: str, *, key: str, hint: str) -> Upload | None:
    """Ask for a table with the scores. Raises DataError."""
    uploaded = st.file_uploader(label, type=FILE_TYPES, key=key, max_upload_size=MAX_FILE_BYTES // 2**20, help=hint)
    if uploaded is None:
        return None
    file = _table(uploaded.file_id, uploaded.name, uploaded.getvalue())
    frame = file.frame_with(map(score_name, analysis.names))
    return Upload(frame, uploaded.name, uploaded.file_id, uploaded.getvalue())


@st.cache_resource(scope="session", max_entries=4, show_spinner="Reading the file …")
def _table(file_id: str, name: str, _data: bytes) -> TableFile:
    return read_in_process(_data, name)[0]


def _ask_file(analysis: Analysis) -> Population | None:
    found = read_upload(
        analysis,
        f"All {unrated()}, or a random sample of them",
        key=f"audit_population_{analysis.rated.key[:12]}",
        hint="One row for each, with the columns of the scores. Ratings are not needed.",
    )
    if found is None:
        st.caption(f"Needed: {_listed(analysis)}. A warehouse can count instead: choose *{BY_HAND}* for its SQL.")
        return None
    frame = found.frame
    total = st.number_input(
        f"{unrated().capitalize()} in all",
        min_value=len(frame),
        max_value=MAX_DOCUMENTS,
        value=len(frame),
        key=f"audit_total_{len(frame)}",
        help="More than the file has rows if it is a random sample.",
    )
    file_id = f"{found.file_id} {analysis.rated.key}"
    strata, counts, without = _strata_of(file_id, block_thresholds(analysis), frame, analysis)
    if without:
        st.caption(f"{without:,} {unrated()} have no score: they are not in the audit.")
    if total == len(frame):
        return Population(strata=strata, sizes=counts, frame=frame, file_id=found.file_id)
    st.caption(
        f"Draw from all {unrated()}, which counts the strata exactly. A draw from this sample can be read too, with a "
        "wider interval."
    )
    sizes = np.rint(counts * (total / len(frame))).astype(np.intp)
    return Population(strata=strata, sizes=sizes, file_id=found.file_id, counted_from=int(counts.sum()))


def _ask_connected(analysis: Analysis) -> Population | None:
    left, right = st.columns(2)
    name = left.selectbox("Source", connection_names(), key="audit_source")
    tables = table_names(name)
    if not tables:
        st.info("This source has no tables yet.", icon=":material/info:")
        return None
    table = right.selectbox(f"Table of all {unrated()}", tables, key=f"audit_table_{name}")
    known, blocks = session().audit_populations, block_thresholds(analysis)
    source = analysis.rated.source
    about: Hashable = (
        *(name, table, analysis.names, source.floors.tobytes()),
        None if blocks is None else blocks.tobytes(),
    )
    if about not in known:
        if not st.button("Count its strata", key="audit_count", icon=":material/database_search:", type="primary"):
            return None
        engine = engine_of(name)

        def count(report: object) -> Population:
            strata = strata_in(
                engine, table, analysis.names, source.floors, blocks=blocks, alert_rules=source.alert_rules
            )
            return Population(strata=strata, sizes=count_strata(engine, table, strata), table=(name, table))

        try:
            known[about] = answered(engine, count, key="audit_stop")
        except Cancelled:
            st.info("Stopped; nothing has changed.", icon=":material/stop_circle:")
            return None
        while len(known) > MAX_KEPT:
            known.pop(next(iter(known)))
    return known[about]


def _ask_by_hand(analysis: Analysis) -> Population | None:
    """Ask for edges and sizes of strata in a table, with the SQL that counts them."""
    source = analysis.rated.source
    count = st.number_input("Strata below the floors", 1, 6, 4, key="audit_strata")
    first = halved_strata(
        source.floors,
        blocks=block_thresholds(analysis),
        names=analysis.names,
        count=count,
        alert_rules=source.alert_rules,
    )
    scores = analysis.names[: source.score_count]
    columns = {f"{score_side(name)} ": name for name in scores}
    edges = {
        column: [*(direction(name) * first.edges[:, place]), *[None] * (first.count - len(first.edges))]
        for place, (column, name) in enumerate(columns.items())
    }
    documents = unrated().capitalize()
    rows = [*(f"stratum {place}" for place in range(count)), *(["blocked"] if first.has_blocked else [])]
    typed = st.data_editor(
        pd.DataFrame({"": rows, **edges, documents: [None] * len(rows)}),
        key=f"audit_by_hand_{analysis.rated.key[:12]}_{count}_{first.has_blocked}",
        hide_index=True,
        disabled=[""],
        column_config={
            documents: st.column_config.NumberColumn(min_value=0, max_value=MAX_DOCUMENTS, step=1, required=True),
            **{column: st.column_config.NumberColumn(format="%.12g") for column in columns},
        },
    )
    st.caption(
        "A stratum holds what reaches one of its edges and none of the rows above; the last one takes the rest below "
        "the floors."
    )
    lower = typed[list(columns)].to_numpy(dtype=np.float64)[: count - 1]
    if np.isnan(lower).any():
        raise DataError(f"Row {np.argwhere(np.isnan(lower))[0][0] + 1} has no edge; type one for each score.")
    signed = lower * [direction(name) for name in scores]
    kept = np.hstack([signed, np.tile(source.floors[len(scores) :], (count - 1, 1))])
    strata = AuditStrata(first.names, first.floors, kept, first.blocks, source.alert_rules)
    with st.expander("SQL that counts them", icon=":material/database:"):
        show_statement("count", strata.count_sql)
    sizes = pd.to_numeric(typed[documents], errors="coerce").to_numpy(dtype=np.float64)
    if np.isnan(sizes).any():
        st.info(f"Type how many {unrated()} each stratum holds.", icon=":material/edit:")
        return None
    return Population(strata=strata, sizes=sizes.astype(np.intp))


def _listed(analysis: Analysis) -> str:
    # Of a rule that is a word, the column that holds it.
    frame = analysis.rated.frame
    names = [*dict.fromkeys(as_text(base_of(frame, name) or score_name(name)) for name in analysis.names)]
    return f"{plural(len(names), 'column')} {', '.join(names)}"


DIALECTS: dict[str, SqlDialect] = {"PostgreSQL": "postgresql", "DuckDB": "duckdb", "Spark": "spark"}


def show_statement(key: str, write: Callable[[str, SqlDialect], str]) -> None:
    """Show the SQL that `write` makes for a table and a dialect, or why there is none."""
    left, right = st.columns([2, 3])
    dialect = left.segmented_control(
        "SQL for", list(DIALECTS), default="PostgreSQL", required=True, key=f"audit_{key}_dialect"
    )
    table = right.text_input("Table", "documents", key=f"audit_{key}_table", help="As it stands after FROM.")
    try:
        st.code(write(table, DIALECTS[dialect]), language="sql", wrap_lines=True)
    except DataError as error:
        st.info(as_text(str(error)), icon=":material/info:")
