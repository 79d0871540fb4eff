"""A decision for people: a page of Markdown, and one HTML file that needs nothing else, to read and to print."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.summary import sections, title_of
from multiloss_core.decisions.templating import environment
from multiloss_core.formatting import NEUTRAL, Vocabulary, as_markdown

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Sites that show Markdown files notify the people whose names follow this sign.
_MENTION = "@"
_BLOCK_START = re.compile(r"^([-+=]|\d+(?=[.)]))")


def _escaped(text: str) -> str:
    return as_markdown(text, also=_MENTION)


_HTML, _MARKDOWN = environment(escape), environment(_escaped)


@dataclass(frozen=True)
class _Figure:
    title: str
    carries_title: bool
    drawing: Markup


def html_report(
    record: DecisionRecord, figures: Mapping[str, "Figure"] | None = None, vocabulary: Vocabulary = NEUTRAL
) -> str:
    """Write a decision as a self-contained HTML file.

    `figures` by their titles keep the template they carry; Plotly's library (4 MB) is part of the file once there is
    one. Whatever the texts of the record and the titles hold, they are shown as text.
    """
    drawn = [_figure(i, title, figure) for i, (title, figure) in enumerate((figures or {}).items())]
    page = _HTML.get_template("report.html.jinja")
    return page.render(title=title_of(record), sections=sections(record, vocabulary), figures=drawn)


def markdown_summary(record: DecisionRecord, vocabulary: Vocabulary = NEUTRAL) -> str:
    """Write a decision as a page of Markdown: thresholds, what they mean, catch and cost, why, and what is unknown."""
    page = _MARKDOWN.get_template("summary.md.jinja")
    return page.render(title=title_of(record), sections=sections(record, vocabulary), quoted=_quoted)


def _figure(number: int, title: str, figure: "Figure") -> _Figure:
    drawing: str = figure.to_html(
        config={"responsive": True, "displaylogo": False},
        include_plotlyjs=number == 0,
        include_mathjax=False,
        full_html=False,
        default_width="100%",
        div_id=f"figure-{number + 1}",
        # Browsers print what the graphics card has drawn as an empty space: a picture takes its place on paper.
        post_script=_HTML.get_template("picture_for_paper.js").render(),
    )
    return _Figure(title, figure.layout.title.text == title, Markup(drawing))


def _quoted(line: str) -> Markup:
    """Quote a line so that it starts no list, ruler or heading."""
    escaped = _BLOCK_START.sub(lambda start: f"\\{start[0]}" if start[0] in "-+=" else f"{start[0]}\\", _escaped(line))
    return Markup(f"> {escaped}".rstrip())
