"""What the printed tables of both papers say of themselves: no data, no estimator, only their figures."""

from experiments.printed.audit import Audit, audit
from experiments.printed.bounds import BoundCheck, bound_checks, contradiction
from experiments.printed.confusion import Fit, Question, fit_of, questions
from experiments.printed.robles_claims import Claims, claims
from experiments.printed.robles_counts import HeldOut, RecoveredCounts, held_out, recovered_counts, wrong_f1
from experiments.printed.tables import PrintedLoss, PrintedRow, natarajan_losses, robles_rows

__all__ = [
    "Audit", "BoundCheck", "Claims", "Fit", "HeldOut", "PrintedLoss", "PrintedRow", "Question", "RecoveredCounts",
    "audit", "bound_checks", "claims", "contradiction", "fit_of", "held_out", "natarajan_losses", "questions",
    "recovered_counts", "robles_rows", "wrong_f1"
]  # fmt: skip
