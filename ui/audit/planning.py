"""Step 2: the ratings that can be afforded, and the draw of the rows to rate."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.audit import (
    DRAW,
    Audit,
    AuditPlan,
    draw_sql,
    drawn_frame,
    expected_shares,
    plan_audit,
    plan_json,
    unblocked_counts,
    with_plan,
)
from multiloss_core.engines import Cancelled, draw_in
from multiloss_core.formatting import plural
from multiloss_core.tables import frame_as_csv
from multiloss_core.thresholds import Point
from ui.audit.population import Population, show_statement
from ui.data.engine_connections import answered, engine_of, first_rows
from ui.operating_point.analysis import Analysis
from ui.operating_point.audits import keep_audit
from ui.shared.choices import ask_number, choose, chosen
from ui.shared.formatting import COUNT, FINE_PERCENT, show_numbers, unrated, vocabulary
from ui.shared.widgets import offered_columns

PLAN_FILE = "audit-plan.json"
PYTHON = """from pathlib import Path

import pandas as pd
from multiloss_core.audit import drawn_frame, plan_from_json

plan = plan_from_json(Path({plan!r}).read_text())
drawn = drawn_frame(plan, pd.read_parquet("documents.parquet"), {key!r}, seed={seed})
drawn.to_csv("audit.csv", index=False)
"""


def show_draw(analysis: Analysis, plan: AuditPlan, population: Population) -> None:
    """Offer the drawn rows and other ways to draw. Raises DataError: an unusable key."""
    left, right = st.columns(2)
    columns = _columns(population)
    label = f"Column that identifies {unrated()}"
    if columns:
        first = 0 if population.ratings is not None else None
        key = left.selectbox(label, columns, key="audit_key", index=first, placeholder="Choose a column")
    else:
        key = left.text_input(label, "id", key="audit_key_name")
    seed = right.number_input(
        "Seed", 0, 10**9, 0, key="audit_seed", help="The same seed draws the same documents again, in SQL and Python."
    )
    rows = _drawn(plan, population, key, seed) if key else None
    if key and rows is not None:
        plan = replace(plan, draw=rows[DRAW].iloc[0])
        with st.container(horizontal=True):
            st.download_button(
                f"Download the {plural(len(rows), 'row')} to rate (CSV)",
                lambda: frame_as_csv(with_plan(rows, plan)),
                "audit.csv",
                "text/csv",
                key="audit_draw_download",
                icon=":material/download:",
                type="primary",
                on_click="ignore",
                help="Add a column with the ratings, and give the file to step 3. It holds the plan.",
            )
            if population.ratings is not None and st.button(
                f"Rate the {plural(len(rows), 'row')} as simulated", key="audit_rate", icon=":material/fact_check:"
            ):
                _rate(analysis, plan, rows.assign(rating=population.ratings.loc[rows.index]), key)
    with st.expander("Other ways to draw", icon=":material/more_horiz:"):
        st.download_button(
            "Download the plan (JSON)",
            plan_json(plan),
            PLAN_FILE,
            "application/json",
            key="audit_plan_download",
            icon=":material/download:",
            on_click="ignore",
            help="Strata, ratings and inclusion probabilities, for rows that were drawn by SQL.",
        )
        if key:
            show_statement("draw", lambda table, dialect: draw_sql(plan, table, key, seed=seed, dialect=dialect))
            st.code(PYTHON.format(plan=PLAN_FILE, key=key, seed=seed), language="python")


def _rate(analysis: Analysis, plan: AuditPlan, rows: pd.DataFrame, key: str) -> None:
    """Keep the audit that the truth of a simulation rates."""
    audit = Audit.from_frame(rows, plan, "rating", key=key, positive="fraud")
    keep_audit(analysis, plan=plan, audit=audit, name="simulated ratings", answers=(plan_json(plan),), refuted=())
    st.rerun()


def _columns(population: Population) -> list[str]:
    if population.frame is not None:
        return offered_columns(population.frame)
    return [] if population.table is None else offered_columns(first_rows(*population.table).frame)


def _drawn(plan: AuditPlan, population: Population, key: str, seed: int) -> pd.DataFrame | None:
    """Draw rows of a file at once, and of a connected table on request; keep the last draw."""
    about = (population.file_id, population.table, plan_json(plan), key, seed)
    known = chosen("audit_drawn")
    if known is not None and known[0] == about:
        rows: pd.DataFrame = known[1]
        return rows
    if population.frame is not None:
        with st.spinner("Drawing …"):
            rows = drawn_frame(plan, population.frame, key, seed=seed)
        choose("audit_drawn", (about, rows))
        return rows
    if population.table is None:
        return None
    name, table = population.table
    if not st.button("Draw the rows there", key="audit_draw", icon=":material/casino:", type="primary"):
        return None
    engine = engine_of(name)
    with suppress(Cancelled):
        rows = answered(engine, lambda _: draw_in(engine, table, plan, key, seed=seed), key="audit_draw_stop")
        choose("audit_drawn", (about, rows))
        return rows
    return None


BUDGET, WIDTH = "Ratings I can afford", "Width of recall's interval"
FIRST_BUDGET, FIRST_WIDTH = 800, 25.0
MAX_BUDGET = 1_000_000


def ask_plan(analysis: Analysis, point: Point, population: Population) -> AuditPlan:
    """Ask for a budget or a width and plan the audit. Raises DataError where none is possible."""
    kind, value = st.columns(2, vertical_alignment="bottom")
    asked = kind.segmented_control("Plan by", [BUDGET, WIDTH], default=BUDGET, required=True, key="audit_by")
    source, rule = analysis.rated.source, analysis.settings.rule
    flagged = unblocked_counts(source, population.strata, analysis.deployable(point), rule)
    everything = unblocked_counts(source, population.strata, source.floors)
    if not flagged.tp:
        raise DataError("Nothing that is flagged at the operating point is fraud; choose lower thresholds there first.")
    budget, width = None, None
    if asked == BUDGET:
        budget = ask_number(value.number_input, "Ratings", (20, MAX_BUDGET), FIRST_BUDGET, 50, key="audit_budget")
        budget = min(budget, int(population.sizes.sum()))
    else:
        hint = "The upper bound of the 95 % interval less the lower one. A recall of 30 to 55 % is 25 points wide."
        label = "Width in percentage points"
        width = ask_number(value.number_input, label, (1.0, 99.0), FIRST_WIDTH, 1.0, key="audit_width", help=hint)
    path = analysis.path(point.method) if point.method in analysis.methods else analysis.paths[0]
    return plan_audit(
        population.strata,
        population.sizes,
        expected_shares(population.strata, population.sizes, path),
        caught=flagged.tp,
        known_missed=max(everything.tp - flagged.tp, 0.0),
        budget=budget,
        width=None if width is None else width / 100,
        counted_from=population.counted_from,
    )


def show_plan(plan: AuditPlan) -> None:
    """Show the width that a plan is expected to reach, and its strata."""
    words = vocabulary()
    metric, note = st.columns([1, 3], vertical_alignment="center")
    metric.metric("Ratings", f"{plan.budget:,}")
    note.markdown(
        f"In eight of ten simulated audits recall's 95 % interval is **{_points(plan)} wide**: that depends on how "
        f"much {words.positive} hides below the floors, and on the draw."
    )
    show_numbers(
        [
            {
                "Stratum": str(place),
                "Scores": label,
                unrated().capitalize(): size,
                "Ratings": rated,
                "Drawn": 100 * share,
                f"{words.positive.capitalize()} expected": 100 * expected,
            }
            for place, (label, size, rated, share, expected) in enumerate(
                zip(
                    plan.strata.labels,
                    plan.sizes.tolist(),
                    plan.allocation.tolist(),
                    plan.probabilities.tolist(),
                    np.asarray(plan.expected.shares).tolist(),
                    strict=True,
                )
            )
        ],
        {
            unrated().capitalize(): COUNT,
            "Ratings": COUNT,
            "Drawn": FINE_PERCENT,
            f"{words.positive.capitalize()} expected": FINE_PERCENT,
        },
        alt="Strata of the audit with their documents, ratings, share drawn and expected share of positives.",
    )
    st.caption(
        f"*{words.positive.capitalize()} expected* continues the precision of rated alerts below the "
        "floors. It decides only where ratings go: estimates come from the ratings alone."
    )


def _points(plan: AuditPlan) -> str:
    """Write the widths of eight of ten simulated audits in percentage points."""
    low, high = (round(100 * width) for width in plan.width_range)
    return f"{low} points" if low == high else f"{low} to {high} points"
