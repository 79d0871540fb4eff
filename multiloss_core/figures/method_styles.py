"""Name, explain and colour the methods, the same in every figure and on every screen."""

from dataclasses import dataclass
from typing import Literal

Dash = Literal["solid", "dot", "dash", "dashdot"]


@dataclass(frozen=True, kw_only=True)
class MethodLook:
    """Describe how a method is shown: `help` in Markdown, `colour` as "#rrggbb"."""

    name: str
    help: str = ""
    colour: str = "#CC79A7"
    dash: Dash = "solid"


CERTIFIED = MethodLook(
    name="guaranteed", help="after a guarantee was asked for, the path that it was tested on.", colour="#7570B3"
)
# In the order in which the methods are offered.
METHOD_LOOKS = (
    MethodLook(
        name="smooth",
        help="the best thresholds under an estimate of how precision rises with the scores, smooth but for jumps that "
        "the data show, blended with the counts. A score that adds nothing here is switched off (*never*).",
        colour="#AA3377",
    ),
    MethodLook(
        name="graph", help="the best path over the nodes of the grid; may follow chance in the data.", colour="#D55E00"
    ),
    MethodLook(
        name="mean graph",
        help="the mean of best paths after random deletions; smoother.",
        colour="#999933",
        dash="dashdot",
    ),
    MethodLook(name="analytic power", help="the best smooth curve T_j = x^p_j.", colour="#0072B2"),
    MethodLook(
        name="analytic beta",
        help="the best smooth curve of regularised incomplete beta functions.",
        colour="#56B4E9",
        dash="dash",
    ),
    MethodLook(
        name="benchmark",
        help="the node that catches most in each hundredth of the false positives; no path, to compare with.",
        colour="#8C8C8C",
        dash="dot",
    ),
    CERTIFIED,
)
_BY_NAME = {look.name: look for look in METHOD_LOOKS}


def look_of(method: str) -> MethodLook:
    """Look up the look of a method; unknown methods share one look."""
    return _BY_NAME.get(method) or MethodLook(name=method, dash="dash")
