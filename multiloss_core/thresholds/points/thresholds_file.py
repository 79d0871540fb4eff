"""Thresholds as a file for the systems that will apply them, and read back from it."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.rounding import written_number
from multiloss_core.tables.reading.table_layout import guess_separator
from multiloss_core.tables.spreadsheet_csv import without_formula
from multiloss_core.thresholds.data.counts import Rule
from multiloss_core.thresholds.paths.operating_point import ManualPoint, Point, WishedPoint

MAX_BYTES = 1_000_000
MAX_SHOWN = 60
ADVICE = "choose a thresholds.json or thresholds.csv that was exported here"


def rule_in_words(rule: Rule, a_document: str = "a document") -> str:
    """Say when a row is flagged; `a_document` is the row with its article."""
    score = {"any": "any score", "all": "every score"}[rule]
    return f"flag {a_document} when {score} is at or above its threshold"


def point_as_dict(point: Point, source: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Describe a point in plain values, ready for JSON: undefined rates and thresholds that nothing reaches are None.

    `source` says what data it came from.
    """
    return _content(
        zip(point.names, point.thresholds, strict=True),
        point.rule,
        source or {},
        method="set by hand" if isinstance(point, ManualPoint) else point.method,
        target_marginal_precision=None if isinstance(point, WishedPoint) else point.marginal_precision,
        status=point.status,
        true_positives=point.tp,
        false_positives=point.fp,
        alerts=point.alerts,
        precision=_defined(point.precision),
        false_positives_per_true_positive=_defined(point.fp_per_tp),
        share_of_rated_positives=_defined(point.share_of_rated_positives),
        rated_positives=point.rated.tp,
        reachable_share_of_rated_positives=_defined(point.reachable_share),
    )


def point_as_json(point: Point, source: Mapping[str, Any] | None = None) -> str:
    """Write `point_as_dict` as indented JSON text."""
    return _as_text(point_as_dict(point, source))


def point_as_csv(point: Point) -> str:
    """Write `thresholds_as_csv` of a point."""
    return thresholds_as_csv(point.names, point.thresholds, point.rule)


def thresholds_as_json(
    names: Sequence[str],
    thresholds: Iterable[float],
    rule: Rule,
    source: Mapping[str, Any],
    *,
    block: Iterable[float] | None = None,
    **details: Any,
) -> str:
    """Write thresholds (null: never), the rule, what is known of them besides, and what data they came from.

    `block`: the thresholds (k,) of an upper cut, where there is one.
    """
    if block is not None:
        details = {"block_thresholds": _plain(zip(names, block, strict=True)), **details}
    return _as_text(_content(zip(names, thresholds, strict=True), rule, source, **details))


def thresholds_as_csv(
    names: Iterable[str], thresholds: Iterable[float], rule: str, block: Iterable[float] | None = None
) -> str:
    """Write one row for each classifier: its name, comparison, threshold (inf: never) and the rule.

    `block`: the thresholds (k,) of an upper cut, which are a column of their own. Names cannot start a formula.
    """
    header: tuple[str, ...] = ("classifier", "comparison", "threshold", "rule")
    rows: list[tuple[str | float, ...]] = [
        (without_formula(name), ">=", float(value), without_formula(rule))
        for name, value in zip(names, thresholds, strict=True)
    ]
    if block is not None:
        header = (*header, "block_threshold")
        rows = [(*row, float(value)) for row, value in zip(rows, block, strict=True)]
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue()


def read_thresholds(data: bytes, file: str, names: Sequence[str], rule: Rule) -> Floats:
    """Read the thresholds (k,), infinity for never, of k classifiers from what is written here or a decision record.

    `file` is its name, for messages. Nothing in it is executed.

    Raises
    ------
    DataError : too large, neither of these, another rule (unless k is 1), a classifier that is missing or unknown, or a
        threshold that is no number.
    """
    if len(data) > MAX_BYTES:
        raise DataError(f"'{shortened(file)}' has {len(data):,} bytes, more than {MAX_BYTES:,}; {ADVICE}.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"'{shortened(file)}' is no UTF-8 text; {ADVICE}.") from None
    found, found_rule = (_from_json if text.lstrip().startswith(("{", "[")) else _from_csv)(text, file)
    if found_rule != rule and len(names) > 1:
        raise DataError(
            f"The thresholds of '{shortened(file)}' are for rule '{shortened(found_rule)}', those on the screen "
            f"for '{rule}'; change the rule or choose another file."
        )
    # A name that would start a formula is written with an apostrophe before it.
    found = {name: found.get(name, found.get(without_formula(name))) for name in names} | {
        name: value for name, value in found.items() if name not in {*names, *map(without_formula, names)}
    }
    for name, value in found.items():
        if name not in names:
            raise DataError(
                f"'{shortened(file)}' holds a threshold of '{shortened(name)}', which is none of the classifiers "
                f"({_listed(names)}); choose a file for this data."
            )
        if value is None:
            raise DataError(
                f"'{shortened(file)}' holds no threshold of '{shortened(name)}'; choose a file for this data."
            )
        if not (math.isfinite(value) or value == math.inf):
            raise DataError(f"The threshold of '{shortened(name)}' in '{shortened(file)}' is no number; correct it.")
    return np.array([found[name] for name in names], dtype=np.float64)


def _content(
    thresholds: Iterable[tuple[str, float]], rule: Rule, source: Mapping[str, Any], **details: Any
) -> dict[str, Any]:
    """Make the one shape of such a file; `details` differ, for a point and a decision know different things."""
    return {
        "rule": rule,
        "meaning": rule_in_words(rule) + "; no score reaches a threshold of null",
        "thresholds": _plain(thresholds),
        **details,
        "source": dict(source),
    }


def _plain(thresholds: Iterable[tuple[str, float]]) -> dict[str, float | None]:
    return {name: float(value) if math.isfinite(value) else None for name, value in thresholds}


def _as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def _from_json(text: str, file: str) -> tuple[dict[str, float | None], str]:
    try:
        content = json.loads(text, parse_constant=_refuse)
        if "schema_version" in content:
            pairs = list(zip(content["columns"]["scores"], content["thresholds"], strict=True))
            rule = content["settings"]["rule"]
        else:
            pairs, rule = list(content["thresholds"].items()), content["rule"]
        return {str(name): _number(value) for name, value in pairs}, str(rule)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise DataError(f"'{shortened(file)}' holds no thresholds; {ADVICE}.") from None


def _from_csv(text: str, file: str) -> tuple[dict[str, float | None], str]:
    separator = guess_separator(text.split("\n", 1)[0])
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
        # A spreadsheet that separates by semicolons writes decimals with a comma.
        found = {row["classifier"]: written_number(row["threshold"].replace(",", ".")) for row in rows}
        rules, comparisons = {row["rule"] for row in rows}, {row["comparison"] for row in rows}
    except (csv.Error, KeyError, ValueError, AttributeError):
        rules, comparisons = set(), set()
    if len(rules) != 1 or comparisons != {">="} or len(found) < len(rows):
        raise DataError(f"'{shortened(file)}' holds no thresholds; {ADVICE}.")
    return dict(found), str(rules.pop())


def _number(value: Any) -> float:
    """Read a JSON number, or infinity for null."""
    if value is None:
        return math.inf
    if type(value) not in (int, float):
        raise TypeError
    return float(value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{shortened(name)}'" for name in names)
