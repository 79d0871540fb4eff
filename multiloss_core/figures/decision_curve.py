"""Draw what thresholds are worth: the decision curve, and the curves of both rules."""

from collections.abc import Mapping

import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.method_styles import look_of
from multiloss_core.figures.theme import Theme
from multiloss_core.figures.tp_fp_plane import plane_backdrop
from multiloss_core.formatting import NEUTRAL, Unit, Vocabulary
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.paths.operating_point import Point
from multiloss_core.thresholds.paths.threshold_path import ThresholdPath

_DASHES = ("solid", "dash", "dashdot", "dot")
RULE_NAMES: dict[Rule, str] = {"any": "any score (union)", "all": "every score (intersection)"}


def decision_curve(
    targets: Floats,
    benefits: Mapping[str, Floats],
    target: float,
    *,
    colour: str,
    theme: Theme,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw lines of net benefit (m,) against targets (m,).

    The first line is in `colour`, others are grey with their own dash. The axis starts slightly below 0, the net
    benefit of flagging nothing; `target` is marked.
    """
    figure = style.new_figure("Decision curve: net benefit against the target", theme, height=380)
    for i, (name, values) in enumerate(benefits.items()):
        line = {"color": style.GREY[theme] if i else colour, "width": 2 if i else 3, "dash": _DASHES[i % len(_DASHES)]}
        hover = f"target %{{x:.3g}} %<br>net benefit %{{y:,.1f}}<extra>{style.literal(name)}</extra>"
        figure.add_scatter(x=100 * targets, y=values, mode="lines", name=name, line=line, hovertemplate=hover)
    figure.add_hline(y=0, line={"color": style.ink(theme), "width": 1}, annotation_text="flag nothing")
    figure.add_vline(x=100 * target, line={"color": style.ink(theme), "width": 1, "dash": "dot"})
    highest = max(float(values.max()) for values in benefits.values())
    figure.update_xaxes(title="target: marginal precision (%)", range=[0, 100])
    figure.update_yaxes(title=f"net benefit ({vocabulary.counted(unit)})", range=[-0.15 * highest, 1.05 * highest])
    figure.update_layout(margin={"b": 84})
    return figure


def two_rules(
    paths: Mapping[Rule, ThresholdPath],
    points: Mapping[Rule, Point],
    *,
    theme: Theme,
    unit: Unit = Unit.DOCUMENTS,
    vocabulary: Vocabulary = NEUTRAL,
) -> go.Figure:
    """Draw TP-FP curves with points: of the union solid, of the intersection dashed."""
    figure = plane_backdrop(list(paths.values()), theme=theme, unit=unit, vocabulary=vocabulary)
    for trace, (rule, path), dash in zip(figure.data, paths.items(), _DASHES, strict=False):
        trace.update(name=RULE_NAMES[rule], line={"dash": dash, "color": look_of(path.method).colour})
        marker = style.point_marks([path.method], path.method, theme)["marker"]
        point = points[rule]
        figure.add_scatter(
            x=[point.fp], y=[point.tp], mode="markers", marker=marker, name=RULE_NAMES[rule], showlegend=False
        )
    figure.update_layout(title_text="True against false positives under both rules", height=420, margin={"b": 84})
    return figure
