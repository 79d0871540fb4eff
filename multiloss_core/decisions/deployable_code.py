"""A decision in the languages of the systems that apply it: JSON, CSV, SQL and Python."""

import math
from fractions import Fraction

from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.templating import environment
from multiloss_core.thresholds.points.thresholds_file import thresholds_as_csv, thresholds_as_json

# A literal nearer than this to the middle between two numbers may be read as either.
_SAFE_DISTANCE = Fraction(45, 100)

_TEMPLATES = environment(ascii)


def thresholds_json(record: DecisionRecord) -> str:
    """Write the thresholds and the rule as JSON, with the record and the data they come from."""
    return thresholds_as_json(
        record.columns.scores,
        record.threshold_array,
        record.settings.rule,
        {"data": record.data.name, "data_and_columns_sha256": record.data.fingerprint},
        record_id=record.record_id,
        created=record.as_dict()["created"],
    )


def thresholds_csv(record: DecisionRecord) -> str:
    """Write one row for each classifier: its name, comparison, threshold (inf: never), rule; no cell is a formula."""
    return thresholds_as_csv(record.columns.scores, record.threshold_array, record.settings.rule)


def sql_where(record: DecisionRecord) -> str:
    """Write a WHERE clause that selects the documents to flag, from a table with a numeric column for each score.

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
    """Write the source of a module with a function `flag(document)`, in ASCII, that needs Python 3.10 alone."""
    return _TEMPLATES.get_template("flag.py.jinja").render(
        record_id=record.record_id,
        created=record.as_dict()["created"],
        rule=record.settings.rule,
        thresholds=tuple(zip(record.columns.scores, record.thresholds, strict=True)),
    )


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: float) -> str:
    """Write an approximate numeric literal that every database reads as exactly this double precision number.

    Without an exponent it would be a decimal in some. Some round twice, which harms the shortest decimals that lie
    almost in the middle between two numbers: those get all 17 digits.
    """
    text = repr(value)
    if abs(Fraction(text) - Fraction(value)) > _SAFE_DISTANCE * Fraction(math.ulp(value)):
        text = f"{value:.16e}"
    return text if "e" in text else f"{text}e0"
