"""Write a decision as JSON, CSV, SQL, dbt, Spark SQL and Python."""

import re
from collections.abc import Sequence

from multiloss_core.combined import formula_in_python, formula_in_sql
from multiloss_core.decisions.record import DecisionRecord
from multiloss_core.decisions.record_fields import RecordedAlertRule
from multiloss_core.decisions.segments import FALSE_WORDS, TRUE_WORDS, RecordedSegments
from multiloss_core.decisions.templating import environment
from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, comparison, score_name, score_value
from multiloss_core.sql_dialects import ABOVE_ALL, SPARK, STANDARD, Dialect
from multiloss_core.tables.column_values import BLANK, NOTHING, SIGNS_OF_LISTS, list_form
from multiloss_core.tables.score_formula import COMBINED
from multiloss_core.tables.yes_no import raised_words
from multiloss_core.thresholds.targets.review_band import BLOCK, PASS, REVIEW
from multiloss_core.thresholds.targets.thresholds_file import (
    SegmentRows,
    rule_in_words,
    thresholds_as_csv,
    thresholds_as_json,
)

# Cells of a segment column of numbers that are read as blanks.
_NO_NUMBERS = ("", *NOTHING, "inf", "-inf", "infinity", "-infinity")
# How a text column may write a whole number, as of DECIMAL.
_DECIMALS = ("", ".0", ".00", ".000", ".0000")
_MAX_DIGITS = 19

_MODEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TO_DBT = {"{": "{{ '{' }}", "\r": "{{ '\\r' }}"}

_TEMPLATES = environment(ascii)


def thresholds_json(record: DecisionRecord) -> str:
    """Write the thresholds and the rule as JSON, with the record and the data they come from."""
    return thresholds_as_json(
        record.columns.scores,
        record.threshold_array,
        record.settings.rule,
        {"data": record.data.name, "data_and_columns_sha256": record.data.fingerprint},
        block=None if record.block is None else record.block_array,
        segments=_own_thresholds(record),
        record_id=record.record_id,
        created=record.as_dict()["created"],
    )


def thresholds_csv(record: DecisionRecord) -> str:
    """Write a row per classifier: name, comparison, threshold (inf: never), rule; no formulas.

    Of two cuts the upper one is a column `block_threshold`. Of thresholds per segment there is a row per value and
    classifier, and a column `segment`, which is empty for the common thresholds.
    """
    return thresholds_as_csv(
        record.columns.scores,
        record.threshold_array,
        record.settings.rule,
        None if record.block is None else record.block_array,
        _own_thresholds(record),
    )


def _own_thresholds(record: DecisionRecord) -> SegmentRows | None:
    segments = record.segments
    if segments is None:
        return None
    each = segments.thresholds_by_value
    return segments.column, [(one.values, each[keys[0]]) for one, keys in zip(segments.own, segments.keys, strict=True)]


def sql_where(record: DecisionRecord) -> str:
    """Write a WHERE clause that selects the documents to flag.

    Names are quoted as in the SQL standard (MySQL: with sql_mode ANSI), and thresholds are read back as exactly
    the same double precision numbers. Scores are cast to double precision, so that text of digits is compared as
    numbers. A NULL, a NaN or a word for a blank reaches no threshold; each comparison is true or false, so that the
    condition may stand under NOT.

    Thresholds per segment are the branches of a CASE. Spaces, tabs and line ends around text are ignored, and text
    is quoted as in the SQL standard (MySQL: with sql_mode NO_BACKSLASH_ESCAPES) and compared by the collation of its
    column.
    """
    return f"WHERE {_condition(record, STANDARD)}"


def sql_comment(record: DecisionRecord) -> str:
    """Write a comment that names the decision, its date and its rule."""
    content = record.as_dict()
    inverted = [name for name in record.columns.scores if name.startswith(MINUS)]
    words = rule_in_words(record.settings.rule, inverted=inverted)
    names = "-- Names are quoted, in the upper and lower case of the file.\n"
    return f"-- Decision {record.record_id}, {content['created']}: {words}.\n{names}"


def sql_action(record: DecisionRecord) -> str:
    """Write what is done with a document as a value of SQL: 'block', 'review' or 'pass'.

    Names, numbers and NULLs are as in `sql_where`. Without an upper cut nothing is blocked.
    """
    return _action(record, STANDARD)


def dbt_model(record: DecisionRecord, upstream: str = "documents") -> str:
    """Write a dbt model with all columns of the model `upstream` and a column `flagged`.

    With two cuts, a column `action` holds 'block', 'review' or 'pass'. Names are quoted as in the
    SQL standard, and nothing in them is taken for a template.

    Raises DataError: a name of a model that is not made of letters, digits and underscores.
    """
    if not _MODEL_NAME.fullmatch(upstream):
        raise DataError(f"The name of a model of dbt is made of letters, digits and underscores, not {upstream!r}.")
    return _TEMPLATES.get_template("flagged.sql.jinja").render(
        record_id=record.record_id,
        created=record.as_dict()["created"],
        upstream=upstream,
        condition=_without_templates(_condition(record, STANDARD)),
        action=None if record.block is None else _without_templates(_action(record, STANDARD)),
    )


def spark_expression(record: DecisionRecord) -> str:
    """Write a Spark SQL condition for flagged rows: `df.withColumn("flagged", F.expr(…))`.

    Names are quoted by backticks; a NULL or NaN reaches no threshold.
    """
    return _condition(record, SPARK)


def spark_action(record: DecisionRecord) -> str:
    """Write a Spark SQL value, 'block', 'review' or 'pass', as `spark_expression` does."""
    return _action(record, SPARK)


def python_function(record: DecisionRecord) -> str:
    """Write the source of an ASCII module with a function `flag(document)` for Python 3.10.

    With two cuts, a function `action(document)` returns 'block', 'review' or 'pass'.
    """
    return _TEMPLATES.get_template("flag.py.jinja").render(
        record_id=record.record_id,
        created=record.as_dict()["created"],
        rule=record.settings.rule,
        thresholds=_on_scale(record, record.thresholds),
        block=None if record.block is None else _on_scale(record, record.block.thresholds),
        segments=record.segments,
        own=() if record.segments is None else _own_on_scale(record, record.segments),
        words={
            one.name: (one.column, None if one.word is None else list_form(one.word))
            for one in record.columns.alert_rules or ()
            if one.word is not None or one.kind == "boolean"
        },
        yes=sorted(raised_words()[0]),
        signs=SIGNS_OF_LISTS,
        blanks=sorted(NOTHING),
        combined=None if record.columns.combined is None else formula_in_python(record.columns.combined, alone=False),
        inverted=tuple(score_name(name) for name in record.columns.scores if comparison(name) == "<="),
    )


def _on_scale(record: DecisionRecord, thresholds: Sequence[float | None]) -> tuple[tuple[str, float | None], ...]:
    """Pair the columns of the scores with their thresholds on the columns' scale."""
    named = zip(record.columns.scores, thresholds, strict=True)
    return tuple((score_name(name), score_value(name, value)) for name, value in named)


def _own_on_scale(
    record: DecisionRecord, segments: RecordedSegments
) -> tuple[tuple[str, tuple[tuple[str, float | None], ...]], ...]:
    """Pair the values that are listed with their thresholds on the columns' scale."""
    each = zip(segments.keys, segments.own, strict=True)
    return tuple((key, _on_scale(record, one.thresholds)) for keys, one in each for key in keys)


def _action(record: DecisionRecord, dialect: Dialect) -> str:
    upper = (None,) * len(record.thresholds) if record.block is None else record.block.thresholds
    block, flag = _reaches(record, upper, dialect), _condition(record, dialect)
    return f"CASE WHEN {block} THEN '{BLOCK}' WHEN {flag} THEN '{REVIEW}' ELSE '{PASS}' END"


def _condition(record: DecisionRecord, dialect: Dialect) -> str:
    """Write the condition of a flag, which is true or false: a branch for each segment."""
    common, segments = _reaches(record, record.thresholds, dialect), record.segments
    if segments is None:
        return common
    branches = [
        f"\n  WHEN {_lies_in(segments, keys, dialect)} THEN {_reaches(record, one.thresholds, dialect)}"
        for keys, one in zip(segments.keys, segments.own, strict=True)
    ]
    return f"CASE{''.join(branches)}\n  ELSE {common}\nEND"


def _lies_in(segments: RecordedSegments, keys: Sequence[str], dialect: Dialect) -> str:
    """Write the condition of a segment; a NULL cell is in none but that of blanks."""
    column, listed = dialect.name(segments.column), [key for key in keys if key != BLANK]
    blank = [f"{column} IS NULL"] if BLANK in keys else []
    if segments.kind == "number":
        return " OR ".join(blank + _equals_number(column, listed, dialect, _NO_NUMBERS if blank else ()))
    cell = dialect.as_text(column)
    if segments.kind == "boolean":
        # The table may hold booleans, 0 and 1, or words.
        cell = f"LOWER({cell})"
        listed = [word for key in listed for word in (TRUE_WORDS if key == "True" else FALSE_WORDS)]
    listed += ["", BLANK] if blank else []
    if listed:
        blank.append(f"{dialect.trimmed(cell)} IN ({', '.join(map(dialect.word, listed))})")
    return " OR ".join(blank)


def _equals_number(column: str, keys: Sequence[str], dialect: Dialect, texts: Sequence[str] = ()) -> list[str]:
    """Write conditions for a column of numbers, or of text that reads as numbers.

    `texts`: other cells in lower case. An engine reads a quoted whole number in the type of the column, so that no
    digit is lost.
    """
    whole = [key for key in keys if key.removeprefix("-").isdecimal() and len(key) < _MAX_DIGITS]
    others = [dialect.number(float(key)) for key in keys if key not in whole]
    cell = dialect.trimmed(dialect.lower(column))
    texts = [*texts, *(f"{key}{decimals}" for key in whole for decimals in _DECIMALS)]
    found = [f"{column} IN ({', '.join(map(dialect.word, whole))})"] if whole else []
    if texts:
        found.append(f"{cell} IN ({', '.join(map(dialect.word, texts))})")
    if others:
        found.append(f"{dialect.double_or_blank(column, 'NULL')} IN ({', '.join(others)})")
    return found


def _reaches(record: DecisionRecord, thresholds: Sequence[float | None], dialect: Dialect) -> str:
    rule, conditions = record.settings.rule, []
    rules = {one.name: one for one in record.columns.alert_rules or ()}
    for name, threshold in zip(record.columns.scores, thresholds, strict=True):
        value = score_value(name, threshold)
        if value is not None and name in rules:
            conditions.append(_is_raised(rules[name], dialect))
        elif value is not None and name == COMBINED and record.columns.combined is not None:
            conditions.append(f"({formula_in_sql(record.columns.combined, dialect)} >= {dialect.number(value)})")
        elif value is not None:
            column, reaches = dialect.name(score_name(name)), comparison(name)
            never = dialect.number(-ABOVE_ALL if reaches == ">=" else ABOVE_ALL)
            conditions.append(f"({dialect.double_or_blank(column, never)} {reaches} {dialect.number(value)})")
        elif rule == "all":
            return "(1 = 0)"
    if not conditions:
        return "(1 = 0)"
    if len(conditions) == 1:
        return conditions[0]
    joined = ("\n    OR " if rule == "any" else "\n    AND ").join(conditions)
    return f"(\n    {joined}\n)"


def _is_raised(rule: RecordedAlertRule, dialect: Dialect) -> str:
    """Write the condition of an alert rule that is on; a blank cell is none."""
    column = dialect.name(rule.column)
    text = dialect.as_text(column)
    if rule.word is not None:
        raised = dialect.has_word(text, rule.word)
    elif rule.kind == "boolean":
        raised = dialect.is_listed(text, raised_words()[0])
    else:
        raised = f"({' OR '.join(_equals_number(column, ['1'], dialect))})"
    return f"({column} IS NOT NULL AND {raised})"


def _without_templates(sql: str) -> str:
    """Escape the template syntax of dbt and unusual line ends in SQL."""
    return "".join(_TO_DBT.get(character, character) for character in sql)
