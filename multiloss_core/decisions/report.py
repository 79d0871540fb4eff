"""A decision as one HTML file that needs nothing else: to read, to print, and with figures that answer to the mouse."""

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.summary import Row, Section, sections, title_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# The page may load nothing at all; Plotly builds its drawing code from text and its pictures from data.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)

# As wide as the text of an A4 page, so that figures are printed as they stand on the screen.
_STYLE = """
:root { color-scheme: light; }
body { margin: 0; background: #ffffff; color: #1b2a33; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 680px; margin: 0 auto; padding: 24px 16px 48px; overflow-wrap: anywhere; }
h1 { font-size: 24px; line-height: 1.25; }
h2 { font-size: 18px; margin: 28px 0 8px; }
p { margin: 6px 0; }
blockquote { margin: 8px 0; padding: 2px 14px; border-left: 3px solid #0072b2; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; margin: 8px 0; }
th, td { padding: 4px 8px; border-bottom: 1px solid #d9e0e5; text-align: right; vertical-align: top; }
th { text-align: left; font-weight: 600; }
thead th:not(:first-child) { text-align: right; }
figure { margin: 16px 0; }
figcaption { font-weight: 600; }
thead th { overflow-wrap: normal; }
tbody th { min-width: 7em; }
td { min-width: 4em; }
.wide, figure { overflow-x: auto; }
.on-paper { display: none; width: 100%; }
@page { margin: 15mm; }
@media print {
  main { padding: 0; }
  h2, figcaption { break-after: avoid; }
  table, tr, figure, blockquote { break-inside: avoid; }
  .modebar, .drawn-by-the-graphics-card { display: none; }
  .on-paper { display: block; }
}
"""

# Browsers print what the graphics card has drawn as an empty space: a picture, kept up to date, takes its place on paper.
_PICTURE_FOR_PAPER = """
const plot = document.getElementById("{plot_id}");
if (plot.querySelector("canvas")) {
  const picture = plot.parentElement.appendChild(document.createElement("img"));
  const draw = () => Plotly.toImage(plot, {format: "png", scale: 2}).then((source) => { picture.src = source; });
  picture.className = "on-paper";
  plot.classList.add("drawn-by-the-graphics-card");
  plot.on("plotly_relayout", draw);
  draw();
}
"""


def html_report(record: DecisionRecord, figures: Mapping[str, "Figure"] | None = None) -> str:
    """The report of a decision as the text of a self-contained HTML file.

    `figures` by their titles keep the template they carry; Plotly's library (4 MB) is part of the file once there is
    one. Whatever the texts of the record and the titles hold, they are shown as text.
    """
    parts = [_section(section) for section in sections(record)]
    drawn = [_figure(i, title, figure) for i, (title, figure) in enumerate((figures or {}).items())]
    if drawn:
        silent = "<noscript><p>The figures need JavaScript; every number stands in the tables as well.</p></noscript>"
        # After the counts, before what explains them.
        parts.insert(3, f"<section><h2>Figures</h2>{silent}{''.join(drawn)}</section>")
    title = escape(title_of(record))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>", *(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)]
    if section.quotation:
        parts.append(f"<blockquote>{escape(section.quotation)}</blockquote>")
    if section.rows:
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in section.header)
        body = "\n".join(map(_row, section.rows))
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        parts.append(f'<div class="wide">{table}</div>')
    return "\n".join(["<section>", *parts, "</section>"])


def _row(cells: Row) -> str:
    name, *values = map(escape, cells)
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{value}</td>" for value in values)}</tr>'


def _figure(number: int, title: str, figure: "Figure") -> str:
    drawing: str = figure.to_html(
        config={"responsive": True, "displaylogo": False},
        include_plotlyjs=number == 0,
        include_mathjax=False,
        full_html=False,
        default_width="100%",
        div_id=f"figure-{number + 1}",
        post_script=_PICTURE_FOR_PAPER,
    )
    # Most figures carry their title themselves.
    caption = "" if figure.layout.title.text == title else f"<figcaption>{escape(title)}</figcaption>\n"
    return f'<figure aria-label="{escape(title)}">\n{caption}{drawing}\n</figure>'
