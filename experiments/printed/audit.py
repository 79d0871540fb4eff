"""All that the printed figures say of themselves, in one value."""

from dataclasses import dataclass

from experiments.printed.bounds import BoundCheck, bound_checks, contradicting_rows, least_f1_rows
from experiments.printed.confusion import Fit, fit_of, questions
from experiments.printed.robles_claims import Claims, claims
from experiments.printed.robles_counts import (
    POPULATIONS,
    HeldOut,
    RecoveredCounts,
    WrongF1,
    held_out,
    recovered_counts,
    wrong_f1,
)


@dataclass(frozen=True)
class Audit:
    """The findings of both papers' tables; rows are named as `row_title` does."""

    fits: tuple[Fit, ...]
    checks: tuple[BoundCheck, ...]
    contradicting_rows: tuple[str, ...]
    least_f1_rows: tuple[str, ...]
    held_out: tuple[HeldOut, ...]
    counts: tuple[RecoveredCounts, ...]
    wrong_f1: tuple[WrongF1, ...]
    claims: Claims


def audit() -> Audit:
    """Make the whole audit; kept after the first time."""
    return Audit(
        fits=tuple(fit_of(question) for question in questions()),
        checks=bound_checks(),
        contradicting_rows=contradicting_rows("Proposed"),
        least_f1_rows=least_f1_rows("Proposed"),
        held_out=tuple(held_out(name) for name in POPULATIONS),
        counts=recovered_counts(),
        wrong_f1=wrong_f1(),
        claims=claims(),
    )
