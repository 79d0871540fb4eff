"""A drawing in SVG: a scale for each axis, a frame with ticks, and marks, every text escaped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from multiloss_core.figures import theme as style
from multiloss_core.numerics.arrays import Floats

WIDTH, HEIGHT = 420, 320
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 10, 62
TICKS = 5
INK, GRID, PAPER = style.ink("light"), style.grid("light"), style.paper("light")
# Those of Plotly's names, in SVG's form.
DASHES = {"solid": "", "dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3", "longdash": "11 5", "longdashdot": "11 4 2 4"}


@dataclass(frozen=True)
class Axis:
    """The scale of one axis: from `low` to `high`, at the pixels `start` to `end`, with its name and unit."""

    title: str
    low: float
    high: float
    start: float
    end: float

    def at(self, values: Floats | float) -> Floats:
        """Give pixels of values, those outside of the scale at its ends."""
        span = (self.high - self.low) or 1.0
        share = (np.asarray(values, dtype=np.float64) - self.low) / span
        return self.start + np.clip(share, 0.0, 1.0) * (self.end - self.start)

    @property
    def ticks(self) -> Floats:
        """Round values, about five."""
        low, high = sorted((self.low, self.high))
        rough = ((high - low) or 1.0) / TICKS
        magnitude = 10.0 ** np.floor(np.log10(rough))
        step = magnitude * next(factor for factor in (1, 2, 5, 10) if factor * magnitude >= rough * 0.999)
        first = np.ceil(low / step - 1e-9)
        ticks = step * np.arange(first, np.floor(high / step + 1e-9) + 1)
        # Not minus zero.
        return np.round(ticks, 12) + 0.0


def axes(x: tuple[str, float, float], y: tuple[str, float, float]) -> tuple[Axis, Axis]:
    """Make the two axes of a drawing of the usual size, from their names, lowest and highest values."""
    return Axis(*x, LEFT, WIDTH - RIGHT), Axis(*y, HEIGHT - BOTTOM, TOP)


def svg(parts: Iterable[str], alt: str, height: float = HEIGHT) -> str:
    """Put a drawing together; `alt` says what it shows."""
    body = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(alt)}" '
        f'font-family="system-ui, sans-serif" font-size="11" fill="{INK}">\n{body}\n</svg>'
    )


def frame(x: Axis, y: Axis, *, lines: bool = True) -> list[str]:
    """Draw ticks, their numbers and the names of the axes."""
    parts = []
    for tick, place in zip(x.ticks, x.at(x.ticks), strict=True):
        if lines:
            parts.append(line([place, place], [y.start, y.end], GRID, 1))
        parts.append(text(place, y.start + 14, number(tick), anchor="middle"))
    return [*parts, text((x.start + x.end) / 2, y.start + 30, x.title, anchor="middle"), *upright(x, y, lines=lines)]


def upright(x: Axis, y: Axis, *, lines: bool = True) -> list[str]:
    """Draw the upright axis alone."""
    parts = []
    for tick, place in zip(y.ticks, y.at(y.ticks), strict=True):
        if lines:
            parts.append(line([x.start, x.end], [place, place], GRID, 1))
        parts.append(text(x.start - 5, place + 4, number(tick), anchor="end"))
    middle = (y.start + y.end) / 2
    parts.append(
        f'<text transform="translate(12 {middle:.1f}) rotate(-90)" text-anchor="middle">{escape(y.title)}</text>'
    )
    return parts


def legend(entries: Sequence[tuple[str, str]], top: float = HEIGHT - 16) -> list[str]:
    """Draw a mark and a name for each entry, in rows below the chart; marks are drawn around (0, 0)."""
    parts, left = [], float(LEFT)
    for mark, name in entries:
        width = 34 + 5.6 * len(name)
        if left + width > WIDTH and left > LEFT:
            left, top = float(LEFT), top + 15
        parts += [f'<g transform="translate({left + 8:.1f} {top:.1f})">{mark}</g>', text(left + 20, top + 4, name)]
        left += width
    return parts


def line(x: Iterable[float], y: Iterable[float], colour: str, width: float, dash: str = "solid") -> str:
    """Draw a line through points in pixels."""
    places = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    dashes = f' stroke-dasharray="{DASHES[dash]}"' if DASHES.get(dash) else ""
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashes}/>'


def area(x: Iterable[float], y: Iterable[float], colour: str, edge: str = "none") -> str:
    """Fill a polygon whose corners are in pixels."""
    places = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polygon points="{places}" fill="{colour}" stroke="{edge}" stroke-width=".4"/>'


def box(x: float, y: float, width: float, height: float, colour: str) -> str:
    """Fill a rectangle in pixels."""
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}" shape-rendering="crispEdges"/>'


def text(x: float, y: float, words: str, *, anchor: str = "start", size: float = 11) -> str:
    """Write text that is taken literally."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}">{escape(words)}</text>'


def star(x: float, y: float, colour: str) -> str:
    """Draw the mark of the chosen point."""
    turns = np.arange(10) * np.pi / 5
    radius = np.where(np.arange(10) % 2 == 0, 9.0, 4.0)
    return area(x + radius * np.sin(turns), y - radius * np.cos(turns), colour, INK)


def diamond(x: float, y: float) -> str:
    """Draw the mark of the present point: hollow."""
    corners = ([x, x + 7, x, x - 7], [y - 7, y, y + 7, y])
    places = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(*corners, strict=True))
    return f'<polygon points="{places}" fill="{PAPER}" stroke="{INK}" stroke-width="2"/>'


def shade(scale: Sequence[Sequence[object]], share: float) -> str:
    """Give the colour of a share in [0, 1] on a scale of three colours, as "#rrggbb"."""
    places = [float(str(place)) for place, _ in scale]
    colours = np.array([[int(str(colour)[i : i + 2], 16) for i in (1, 3, 5)] for _, colour in scale])
    mixed = [round(float(np.interp(share, places, colours[:, i]))) for i in range(3)]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def number(value: float) -> str:
    """Write the number of a tick."""
    return f"{value:,.6g}"
