"""Several drawings in one SVG file that stands by itself, under a title."""

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from multiloss_core.figures.report_charts import HEIGHT, INK, PAPER, WIDTH

GAP, LINE, HEADING = 16, 18, 22
LETTERS_A_LINE = 62


def panels(title: str, drawings: Sequence[tuple[str, str]], *, columns: int = 2) -> str:
    """Put drawings, each a heading and an SVG, side by side below a title that is wrapped."""
    lines = wrap(title, LETTERS_A_LINE * min(columns, len(drawings)))
    top = GAP + LINE * len(lines)
    parts = []
    for i, (heading, drawing) in enumerate(drawings):
        left, row = i % columns * (WIDTH + GAP), top + i // columns * (HEIGHT + HEADING + GAP)
        parts.append(_text(left, row + 14, heading, size=12))
        size = f'x="{left}" y="{row + HEADING}" width="{WIDTH}" height="{HEIGHT}"'
        parts.append(drawing.replace("<svg ", f"<svg {size} ", 1))
    width = min(columns, len(drawings)) * (WIDTH + GAP) + GAP
    height = top + -(-len(drawings) // columns) * (HEIGHT + HEADING + GAP)
    words = [_text(0, GAP + LINE * row, line, size=13) for row, line in enumerate(lines)]
    body = "\n".join([*words, *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-GAP} 0 {width} {height}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif" fill="{INK}">\n'
        f'<rect x="{-GAP}" width="{width}" height="{height}" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, words: str, size: int) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}">{escape(words)}</text>'
