"""Write a decision as a Markdown page and as one self-contained HTML file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.reporting.first_page import first_page, record_headline
from multiloss_core.decisions.reporting.summary import decided_by, sections, title_of
from multiloss_core.decisions.templating import environment
from multiloss_core.formatting import NEUTRAL, Vocabulary, as_markdown, visible

ON_FIRST_PAGE = 2
# Sites that show Markdown files notify the people whose names follow this sign.
_MENTION = "@"
_BLOCK_START = re.compile(r"^([-+=]|\d+(?=[.)]))")


def _escaped(text: str) -> str:
    return as_markdown(text, also=_MENTION)


_HTML, _MARKDOWN = environment(escape), environment(_escaped)


@dataclass(frozen=True)
class _Drawing:
    title: str
    svg: Markup


def html_report(
    record: DecisionRecord, drawings: Mapping[str, str] | None = None, vocabulary: Vocabulary = NEUTRAL
) -> str:
    """Write a decision as a self-contained HTML file without scripts: first page, then details.

    `drawings`: SVG text by title, as `multiloss_core.figures` draws it; it is put into the page as it is, the first
    two on the first page. Whatever the texts of the record and the titles hold, they are shown as text.
    """
    drawn = [_Drawing(title, Markup(svg)) for title, svg in (drawings or {}).items()]
    page = _HTML.get_template("report.html.jinja").render(
        title=title_of(record),
        first=first_page(record, vocabulary),
        decided=decided_by(record),
        sections=sections(record, vocabulary),
        drawings=drawn[:ON_FIRST_PAGE],
        more_drawings=drawn[ON_FIRST_PAGE:],
    )
    return visible(page)


def markdown_summary(record: DecisionRecord, vocabulary: Vocabulary = NEUTRAL) -> str:
    """Write a decision as Markdown: thresholds, meanings, catch, cost, reason and unknowns."""
    text = _MARKDOWN.get_template("summary.md.jinja").render(
        title=title_of(record),
        headline=record_headline(record, vocabulary),
        sections=sections(record, vocabulary),
        quoted=_quoted,
    )
    return visible(text)


def _quoted(line: str) -> Markup:
    """Quote a line so that it starts no list, ruler or heading."""
    escaped = _BLOCK_START.sub(lambda start: f"\\{start[0]}" if start[0] in "-+=" else f"{start[0]}\\", _escaped(line))
    return Markup(f"> {escaped}".rstrip())
