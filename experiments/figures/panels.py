"""Several drawings in one SVG file that stands by itself, under a title."""

import re
from collections.abc import Sequence
from html import escape
from textwrap import wrap

from multiloss_core.figures.static import canvas

GAP, LINE, HEADING = 16, 18, 22
LETTERS_A_LINE = 62


def panels(title: str, drawings: Sequence[tuple[str, str]], *, columns: int = 2) -> str:
    """Put drawings, each a heading and an SVG, side by side below a title that is wrapped."""
    lines = wrap(title, LETTERS_A_LINE * min(columns, len(drawings)))
    top = GAP + LINE * len(lines)
    parts, bottoms = [], [top] * columns
    for i, (heading, drawing) in enumerate(drawings):
        column, height = i % columns, _height(drawing)
        left = column * (canvas.WIDTH + GAP)
        parts.append(canvas.text(left + canvas.LEFT, bottoms[column] + 14, heading, size=12))
        parts.append(_placed(drawing, left, bottoms[column] + HEADING, height))
        bottoms[column] += int(height) + HEADING + GAP
    width, bottom = min(columns, len(drawings)) * (canvas.WIDTH + GAP) - GAP, max(bottoms)
    words = [canvas.text(0, GAP + LINE * row, line, size=13) for row, line in enumerate(lines)]
    body = "\n".join([canvas.box(-GAP, 0, width + 2 * GAP, bottom, canvas.PAPER), *words, *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-GAP} 0 {width + 2 * GAP} {bottom}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif" fill="{canvas.INK}">\n{body}\n</svg>\n'
    )


def _height(drawing: str) -> float:
    found = re.search(r'viewBox="0 0 \d+ ([\d.]+)"', drawing)
    return float(found[1]) if found else float(canvas.HEIGHT)


def _placed(drawing: str, left: float, top: float, height: float) -> str:
    size = f'x="{left}" y="{top}" width="{canvas.WIDTH}" height="{height:g}"'
    # A shaded plane repeats this a thousand times; its boxes overlap anyway.
    return drawing.replace("<svg ", f"<svg {size} ", 1).replace(' shape-rendering="crispEdges"', "")
