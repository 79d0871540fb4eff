"""Draw uncertainty on new data: bands along a path and the spread of chosen thresholds."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.theme import Theme
from multiloss_core.figures.threshold_space import inside, on_scale
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary, percent
from multiloss_core.generalisation.new_data_intervals import PathBands
from multiloss_core.numerics.arrays import Floats

BAND_OPACITY = 0.18
# What is flagged, in the title of an axis and beside a number.
_FLAGGED = {Unit.DOCUMENTS: ("alerts", "alerts"), Unit.MONEY: ("flagged,", "of money flagged")}


def curve_band(bands: PathBands) -> list[go.Scatter]:
    """Draw the band of expected TP of the smooth path on new data, for the TP-FP plane."""
    return _band(bands.curve_fp, bands.curve_tp, "expected on new data")


def threshold_cloud(cloud: Floats, axes: Sequence[Floats], names: Sequence[str]) -> go.Scatter:
    """Draw resampled thresholds (b, 2) as dots in threshold space; never is the end of an axis."""
    first, second = on_scale(names, inside(cloud, axes)).T
    return go.Scatter(
        x=first,
        y=second,
        mode="markers",
        marker={"color": look_of("smooth").colour, "size": 5, "opacity": 0.3},
        name="chosen from resamples",
        hoverinfo="skip",
        showlegend=False,
    )


def marginal_precision_curve(
    bands: PathBands, target: float, *, theme: Theme, unit: Unit = Unit.DOCUMENTS, vocabulary: Vocabulary = NEUTRAL
) -> go.Figure:
    """Draw marginal precision on new data against alerts, with its band and the target.

    There are gaps where nothing is known of the marginal precision.
    """
    figure = style.new_figure("Marginal precision on new data", theme, height=360)
    alerts = bands.tp[0] + bands.fp[0]
    flagged, what = _FLAGGED[unit]
    order = np.argsort(alerts)
    figure.add_traces(_band(alerts[order], bands.marginal_precision[:, order], f"{100 * bands.level:g} % band"))
    figure.add_scatter(
        x=alerts[order],
        y=bands.marginal_precision[0][order],
        # Between gaps a point may stand alone.
        mode="lines+markers",
        line={"color": look_of("smooth").colour, "width": 2.5},
        marker={"size": 4},
        name="smooth path",
        hovertemplate=f"%{{x:,.0f}} {what}<br>marginal precision %{{text}}<extra></extra>",
        text=[percent(value) for value in bands.marginal_precision[0][order]],
    )
    figure.add_hline(y=target, line={"color": style.ink(theme), "dash": "dot", "width": 1})
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title=f"{flagged} expected on new data ({vocabulary.counted(unit)})", rangemode="tozero")
    figure.update_yaxes(title=f"{vocabulary.positives} {unit.among_next}", range=[0, 1], **style.percent_axis())
    return figure


def _band(x: Floats, values: Floats, name: str) -> list[go.Scatter]:
    """Draw the area between rows 1 and 2 of `values` (3, m), with gaps where they are NaN."""
    edges = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    colour = style.translucent(look_of("smooth").colour, BAND_OPACITY)
    known = np.asarray(~np.isnan(values[1:]).any(axis=0))
    # An area with a gap in it would be filled across the gap.
    runs = np.split(np.arange(len(x)), np.flatnonzero(np.diff(known)) + 1)
    areas = [
        [
            go.Scatter(x=x[run], y=values[1, run], name=f"{name}, low", **edges),
            go.Scatter(x=x[run], y=values[2, run], name=name, fill="tonexty", fillcolor=colour, **edges),
        ]
        for run in runs
        if len(run) and known[run[0]]
    ]
    return [edge for area in areas for edge in area]
