"""A point over time: TP, FP and precision per week, and alerts per day."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from multiloss_core.figures import theme as style
from multiloss_core.figures.theme import Theme
from multiloss_core.formatting import NEUTRAL, Vocabulary, between, percent
from multiloss_core.inspection.periods import DAY, DailyAlerts, WeeklyCounts
from multiloss_core.numerics.arrays import ratio
from multiloss_core.tables.time_column import Times

WEEK = 7 * DAY
MIDDLE_OF_WEEK, MIDDLE_OF_DAY = np.timedelta64(84, "h"), np.timedelta64(12, "h")
MILLISECONDS_A_DAY = 86_400_000
# How much of the height the counts take, above the precision, and how much lies between the two.
COUNTS_SHARE, GAP = 0.5, 0.1


def weekly_chart(weeks: WeeklyCounts, *, theme: Theme, vocabulary: Vocabulary = NEUTRAL) -> go.Figure:
    """Draw TP and FP of each week (w,) as bars, and weekly precision with 95 % intervals.

    Alerts without a decision are a third, hatched part of the bars, and no part of the precision. Weeks that the data
    cover in part are hatched above and hollow below.
    """
    figure = style.new_figure("Alerts and precision per week at these thresholds", theme, height=460)
    middle = _texts(weeks.mondays + MIDDLE_OF_WEEK)
    words = [
        f"week of {monday}{'' if complete else ' (incomplete)'}"
        for monday, complete in zip(weeks.mondays.astype(str), weeks.complete, strict=True)
    ]
    style.add_stacked_counts(
        figure,
        weeks.tp,
        weeks.fp,
        words=words,
        solid=weeks.complete,
        vocabulary=vocabulary,
        undecided=weeks.undecided,
        x=middle,
        width=0.9 * 7 * MILLISECONDS_A_DAY,
    )
    _add_precision(figure, weeks, middle, words, theme)
    figure.update_layout(
        margin={"b": 84},
        xaxis={"anchor": "y2", "title": "week (Monday to Sunday)", "type": "date", "range": _range(weeks)},
        yaxis={
            "domain": [1 - COUNTS_SHARE + GAP / 2, 1],
            "title": f"alerts ({vocabulary.documents})",
            "rangemode": "tozero",
        },
        yaxis2={
            "anchor": "x",
            "domain": [0, 1 - COUNTS_SHARE - GAP / 2],
            "title": {"text": "precision"},
            "range": [0, min(1.0, 1.1 * _highest(weeks))],
            **style.percent_axis(most=min(1.0, 1.1 * _highest(weeks))),
        },
    )
    return figure


def daily_chart(days: DailyAlerts, *, theme: Theme, vocabulary: Vocabulary = NEUTRAL) -> go.Figure:
    """Alerts on each day (d,), with the mean and the band in which eight of ten days lie."""
    figure = style.new_figure("Alerts per day at these thresholds", theme, height=280)
    low, high = days.most_days
    ends = _texts(np.array([days.dates[0], days.dates[-1] + DAY], dtype="datetime64[h]"))
    outline = [*ends, *ends[::-1]], [low, low, high, high]
    _add_area(figure, *outline, style.translucent(style.ink(theme), 0.12), "eight of ten days")
    figure.add_bar(
        x=_texts(days.dates + MIDDLE_OF_DAY),
        y=days.alerts,
        width=0.9 * MILLISECONDS_A_DAY,
        name="alerts",
        marker={"color": style.translucent(style.ink(theme), 0.55), "line": {"width": 0}},
        customdata=days.dates.astype(str),
        hovertemplate="%{customdata}<br>%{y:,.6~f} alerts<extra></extra>",
    )
    figure.add_scatter(
        x=ends,
        y=[days.mean, days.mean],
        mode="lines",
        line={"color": style.ink(theme), "width": 1.5, "dash": "dash"},
        name="mean",
        hovertemplate="%{y:,.4~g} alerts on an average day<extra></extra>",
    )
    figure.update_layout(
        margin={"b": 84},
        xaxis={"title": "day", "type": "date"},
        yaxis={"title": f"alerts ({vocabulary.documents})", "rangemode": "tozero"},
    )
    return figure


def _add_precision(figure: go.Figure, weeks: WeeklyCounts, middle: list[str], words: list[str], theme: Theme) -> None:
    ink = style.ink(theme)
    x, y = _band(weeks)
    _add_area(figure, x, y, style.translucent(ink, 0.16), "95 % interval of the precision", yaxis="y2")
    overall = ratio(float(weeks.tp.sum()), float(weeks.alerts.sum()))
    if not np.isnan(overall):
        figure.add_scatter(
            x=_texts(np.array([weeks.mondays[0], weeks.mondays[-1] + WEEK], dtype="datetime64[h]")),
            y=[overall, overall],
            yaxis="y2",
            mode="lines",
            line={"color": ink, "width": 1, "dash": "dash"},
            name="precision of all weeks",
            hovertemplate="all weeks<br>precision %{text}<extra></extra>",
            text=[percent(overall)] * 2,
        )
    figure.add_scatter(
        x=middle,
        y=weeks.precision,
        yaxis="y2",
        mode="lines+markers",
        line={"color": ink, "width": 2},
        marker={
            "size": 7,
            "color": [ink if complete else style.paper(theme) for complete in weeks.complete],
            "line": {"color": ink, "width": 1.5},
        },
        name="precision",
        customdata=[
            "" if np.isnan(low) else f"{week}<br>95 % interval {between((low, high))}"
            for week, low, high in zip(words, *weeks.intervals, strict=True)
        ],
        text=[percent(value) for value in weeks.precision],
        hovertemplate="precision %{text}<br>%{customdata}<extra></extra>",
    )


def _add_area(
    figure: go.Figure, x: Sequence[str | None], y: Sequence[float | None], colour: str, name: str, **place: str
) -> None:
    area = {"mode": "lines", "fill": "toself", "line": {"width": 0}, "hoverinfo": "skip"}
    figure.add_scatter(x=x, y=y, fillcolor=colour, name=name, **area, **place)


def _band(weeks: WeeklyCounts) -> tuple[list[str | None], list[float | None]]:
    """Trace the outlines of the intervals as closed steps, one per run of weeks with alerts."""
    x: list[str | None] = []
    y: list[float | None] = []
    known = np.flatnonzero(~np.isnan(weeks.intervals[0]))
    for run in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        if not run.size:
            continue
        along = _texts(np.column_stack([weeks.mondays[run], weeks.mondays[run] + WEEK]).ravel())
        low, high = (np.repeat(bound[run], 2).tolist() for bound in weeks.intervals)
        x += [*along, *along[::-1], None]
        y += [*low, *high[::-1], None]
    return x, y


def _highest(weeks: WeeklyCounts) -> float:
    bounds = weeks.intervals[1]
    return float(np.nanmax(bounds)) if not np.isnan(bounds).all() else 1.0


def _range(weeks: WeeklyCounts) -> list[str]:
    return _texts(np.array([weeks.mondays[0] - DAY, weeks.mondays[-1] + WEEK + DAY]))


def _texts(times: Times) -> list[str]:
    """As Plotly reads dates, whatever time zone the reader is in."""
    return [str(text) for text in times.astype("datetime64[m]").astype(str)]
