"""Step 1: the precision wanted, and the ratings that it takes."""

import numpy as np
import streamlit as st

from multiloss_core import DataError
from multiloss_core.audit import AuditPlan, expected_shares, plan_audit, unblocked_counts
from multiloss_core.thresholds import Point
from ui.audit.population import Population
from ui.operating_point.analysis import Analysis
from ui.shared.formatting import COUNT, FINE_PERCENT, show_numbers, unrated, vocabulary
from ui.shared.url_params import ask_number

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
