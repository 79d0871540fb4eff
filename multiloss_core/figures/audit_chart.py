"""Draw where the positives are: above the thresholds, and in each stratum of an audit."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from multiloss_core.audit import StratumFinding
from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary

FLAGGED, KEPT_BACK = "flagged", "rated, not flagged"


def audit_chart(
    caught: float,
    kept_back: float,
    strata: Sequence[StratumFinding],
    *,
    theme: Theme,
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw the positives that are flagged, only rated, and in each stratum with its interval.

    Bars of what is caught are green and the others are hatched; blocked documents are caught.
    """
    names = [FLAGGED, KEPT_BACK, *(f"stratum {place}" for place in range(len(strata)))]
    labels = np.array([FLAGGED, KEPT_BACK, *(style.literal(one.label) for one in strata)], dtype=object)
    values = np.array([caught, kept_back, *(one.positives.estimate for one in strata)])
    low, high = (
        np.array([caught, kept_back, *(getattr(one.positives, side) for one in strata)]) for side in ("low", "high")
    )
    is_caught = np.array([True, False, *(one.blocked for one in strata)])
    # A stratum without documents has nothing to draw.
    drawn = ~np.isnan(values)
    everything = values[drawn].sum()
    figure = style.new_figure("Where the positives are", theme, height=140 + 34 * int(drawn.sum()))
    for words, chosen, colour, hatch in (
        ("caught", drawn & is_caught, style.TRUE_POSITIVE, ""),
        ("missed", drawn & ~is_caught, style.UNDECIDED, "/"),
    ):
        shares = 100 * values[chosen] / everything if everything else np.zeros(int(chosen.sum()))
        figure.add_bar(
            y=[name for name, used in zip(names, chosen, strict=True) if used],
            x=values[chosen],
            orientation="h",
            name=words,
            marker={"color": colour, "pattern": {"shape": hatch}, "line": {"width": 0}},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": (high - values)[chosen],
                "arrayminus": (values - low)[chosen],
                "color": style.ink(theme),
                "thickness": 1.5,
            },
            customdata=[
                *zip(shares.tolist(), low[chosen].tolist(), high[chosen].tolist(), labels[chosen], strict=True)
            ],
            hovertemplate="%{x:,.0f} positives (%{customdata[1]:,.0f} to %{customdata[2]:,.0f})<br>"
            "%{customdata[0]:.1f} % of all<br>%{customdata[3]}<extra>%{y}</extra>",
        )
    shown = [name for name, used in zip(names, drawn, strict=True) if used]
    figure.update_yaxes(categoryorder="array", categoryarray=shown[::-1], automargin=True)
    figure.update_xaxes(
        title=f"{vocabulary.positive} ({vocabulary.documents}), with 95 % intervals", rangemode="tozero"
    )
    figure.update_layout(margin={"b": 84})
    return figure
