"""Step 2: draw the documents of a plan at random."""

from contextlib import suppress
from dataclasses import replace

import pandas as pd
import streamlit as st

from multiloss_core.audit import DRAW, AuditPlan, draw_sql, drawn_frame, plan_json
from multiloss_core.engines import Cancelled, draw_in
from multiloss_core.formatting import plural
from multiloss_core.tables import frame_as_csv
from ui.audit.population import Population
from ui.audit.statements import show_statement
from ui.data.sources import answered, engine_of, first_rows
from ui.shared.formatting import unrated
from ui.shared.widgets import offered_columns

PLAN_FILE = "audit-plan.json"
PYTHON = """from pathlib import Path

import pandas as pd
from multiloss_core.audit import drawn_frame, plan_from_json

plan = plan_from_json(Path({plan!r}).read_text())
drawn = drawn_frame(plan, pd.read_parquet("documents.parquet"), {key!r}, seed={seed})
drawn.to_csv("audit.csv", index=False)
"""


def show_draw(plan: AuditPlan, population: Population) -> None:
    """Offer the plan, and the draw as rows, SQL and Python. Raises DataError: an unusable key."""
    left, right = st.columns(2)
    columns = _columns(population)
    label = f"Column that identifies {unrated()}"
    if columns:
        key = left.selectbox(label, columns, key="audit_key", index=None, placeholder="Choose a column")
    else:
        key = left.text_input(label, "id", key="audit_key_name")
    seed = right.number_input(
        "Seed", 0, 10**9, 0, key="audit_seed", help="The same seed draws the same documents again, in SQL and Python."
    )
    plan_place = st.container()
    rows = _drawn(plan, population, key, seed) if key else None
    if rows is not None:
        plan = replace(plan, draw=rows[DRAW].iloc[0])
    plan_place.download_button(
        "Download the plan (JSON)",
        plan_json(plan),
        PLAN_FILE,
        "application/json",
        key="audit_plan_download",
        icon=":material/download:",
        on_click="ignore",
        help="Strata, ratings and inclusion probabilities. Reading the ratings back needs it.",
    )
    if not key:
        return
    if rows is not None:
        st.download_button(
            f"Download the {plural(len(rows), 'row')} to rate (CSV)",
            lambda: frame_as_csv(rows),
            "audit.csv",
            "text/csv",
            key="audit_draw_download",
            icon=":material/download:",
            type="primary",
            on_click="ignore",
            help="Add a column with the ratings, and give the file to step 3.",
        )
    show_statement(
        "The draw as SQL", "draw", lambda table, dialect: draw_sql(plan, table, key, seed=seed, dialect=dialect)
    )
    with st.expander("The draw as Python", icon=":material/code:"):
        st.code(PYTHON.format(plan=PLAN_FILE, key=key, seed=seed), language="python")


def _columns(population: Population) -> list[str]:
    if population.frame is not None:
        return offered_columns(population.frame)
    return [] if population.table is None else offered_columns(first_rows(*population.table).frame)


def _drawn(plan: AuditPlan, population: Population, key: str, seed: int) -> pd.DataFrame | None:
    """Draw rows of a file at once, and of a connected table on request; keep the last draw."""
    about = (population.file_id, population.table, plan_json(plan), key, seed)
    known = st.session_state.get("audit_drawn")
    if known is not None and known[0] == about:
        rows: pd.DataFrame = known[1]
        return rows
    if population.frame is not None:
        rows = drawn_frame(plan, population.frame, key, seed=seed)
        st.session_state["audit_drawn"] = about, rows
        return rows
    if population.table is None:
        return None
    name, table = population.table
    if not st.button("Draw the rows there", key="audit_draw", icon=":material/casino:", type="primary"):
        return None
    engine = engine_of(name)
    with suppress(Cancelled):
        rows = answered(engine, lambda _: draw_in(engine, table, plan, key, seed=seed), key="audit_draw_stop")
        st.session_state["audit_drawn"] = about, rows
        return rows
    return None
