"""A decision in the languages of the systems that apply it: JSON, CSV, SQL, Python; and in Markdown for people."""

import json
import math
import re
from fractions import Fraction

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.summary import Row, Section, sections, title_of
from multiloss_core.thresholds.points.thresholds_file import MEANING, thresholds_as_csv

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|&#~$@])")
_BLOCK_START = re.compile(r"^([-+=]|\d+(?=[.)]))")
# A literal nearer than this to the middle between two numbers may be read as either.
_SAFE_DISTANCE = Fraction(45, 100)

_PYTHON = '''\
"""Thresholds of decision {record_id}, made {created}."""

from collections.abc import Mapping

# A threshold of None is reached by no score.
THRESHOLDS: dict[str, float | None] = {thresholds}


def flag(document: Mapping[str, float | None]) -> bool:
    """Whether to flag a document, given its score under the name of each classifier.

    It is flagged when {rule} of its scores is at or above its threshold. A score that is missing, None or not a number
    reaches no threshold.
    """
    return {rule}(_reached(document.get(name), threshold) for name, threshold in THRESHOLDS.items())


def _reached(score: float | None, threshold: float | None) -> bool:
    return score is not None and threshold is not None and bool(score >= threshold)
'''


def thresholds_json(record: DecisionRecord) -> str:
    """The thresholds and the rule as indented JSON text (null: never), with the record and the data they come from."""
    content = {
        "rule": record.settings.rule,
        "meaning": MEANING[record.settings.rule] + "; no score reaches a threshold of null",
        "thresholds": dict(zip(record.columns.scores, record.thresholds, strict=True)),
        "record_id": record.record_id,
        "created": record.as_dict()["created"],
        "source": {"data": record.data.name, "data_and_columns_sha256": record.data.fingerprint},
    }
    return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False)


def thresholds_csv(record: DecisionRecord) -> str:
    """One row for each classifier: its name, comparison, threshold (inf: never) and the rule; no cell is a formula."""
    return thresholds_as_csv(record.columns.scores, record.threshold_array, record.settings.rule)


def sql_where(record: DecisionRecord) -> str:
    """A WHERE clause that selects the documents to flag, from a table with a numeric column for each score.

    Names are quoted as in the SQL standard (MySQL: with sql_mode ANSI_QUOTES), and thresholds are read back as exactly
    the same double precision numbers. A NULL reaches no threshold, nor does a NaN; each comparison is true or false,
    so that the condition may stand under NOT.
    """
    rule = record.settings.rule
    conditions = []
    for name, threshold in zip(record.columns.scores, record.thresholds, strict=True):
        if threshold is not None:
            column = _identifier(name)
            # The second comparison keeps NaN out, which PostgreSQL and others hold to be larger than any number.
            conditions.append(
                f"({column} IS NOT NULL AND {column} >= {_literal(threshold)} AND -{column} <= {_literal(-threshold)})"
            )
        elif rule == "all":
            return "WHERE (1 = 0)"
    if not conditions:
        return "WHERE (1 = 0)"
    if len(conditions) == 1:
        return f"WHERE {conditions[0]}"
    joined = ("\n    OR " if rule == "any" else "\n    AND ").join(conditions)
    return f"WHERE (\n    {joined}\n)"


def python_function(record: DecisionRecord) -> str:
    """The source of a module with a function `flag(document)`, in ASCII, that needs nothing but Python 3.10 or newer."""
    pairs = zip(record.columns.scores, record.thresholds, strict=True)
    lines = "".join(f"    {name!a}: {threshold!r},\n" for name, threshold in pairs)
    created = record.as_dict()["created"]
    return _PYTHON.format(
        record_id=record.record_id, created=created, thresholds=f"{{\n{lines}}}", rule=record.settings.rule
    )


def markdown_summary(record: DecisionRecord) -> str:
    """The decision on a page of Markdown: thresholds, what they mean, catch and cost, why, and what is unknown."""
    parts = [f"# {_escaped(title_of(record))}", *(_section(section) for section in sections(record))]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    parts = [f"## {_escaped(section.title)}", *map(_escaped, section.sentences)]
    if section.quotation:
        parts.append("\n".join(map(_quoted, section.quotation.splitlines())))
    if section.rows:
        ruler = tuple("---" if i == 0 else "--:" for i in range(len(section.header)))
        table = [_row(tuple(map(_escaped, section.header))), _row(ruler)]
        parts.append("\n".join([*table, *(_row(tuple(map(_escaped, row))) for row in section.rows)]))
    return "\n\n".join(parts)


def _row(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Text on one line in which nothing is Markdown or HTML, unless it starts the line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _quoted(line: str) -> str:
    """A line of a quotation that starts no list, ruler or heading."""
    escaped = _BLOCK_START.sub(lambda start: f"\\{start[0]}" if start[0] in "-+=" else f"{start[0]}\\", _escaped(line))
    return f"> {escaped}".rstrip()


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: float) -> str:
    """An approximate numeric literal that every database reads as exactly this double precision number.

    Without an exponent it would be a decimal in some. Some round twice, which harms the shortest decimals that lie
    almost in the middle between two numbers: those get all 17 digits.
    """
    text = repr(value)
    if abs(Fraction(text) - Fraction(value)) > _SAFE_DISTANCE * Fraction(math.ulp(value)):
        text = f"{value:.16e}"
    return text if "e" in text else f"{text}e0"
