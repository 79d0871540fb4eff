"""Thresholds that are in use, read from the files that this program exports."""

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from multiloss_core.errors import DataError
from multiloss_core.thresholds.export import without_formula
from multiloss_core.thresholds.rated import LARGEST_SCORE
from multiloss_core.thresholds.surfaces import Rule

MOST_BYTES = 1_000_000
MOST_SHOWN = 60
ADVICE = "choose a thresholds.json or thresholds.csv that was exported here"


def read_thresholds(data: bytes, file: str, names: Sequence[str], rule: Rule) -> NDArray[np.float64]:
    """The thresholds (k,), infinity for never, of k classifiers in thresholds.json, thresholds.csv or a decision record.

    `file` is its name, for messages. Nothing in it is executed.

    Raises
    ------
    DataError : too large, neither of these, another rule (unless k is 1), a classifier that is missing or unknown, or a
        threshold that is no number.
    """
    if len(data) > MOST_BYTES:
        raise DataError(f"'{_short(file)}' has {len(data):,} bytes, more than {MOST_BYTES:,}; {ADVICE}.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"'{_short(file)}' is no UTF-8 text; {ADVICE}.") from None
    found, found_rule = (_from_json if text.lstrip().startswith(("{", "[")) else _from_csv)(text, file)
    if found_rule != rule and len(names) > 1:
        raise DataError(
            f"The thresholds of '{_short(file)}' are for rule '{_short(found_rule)}', those on the screen for '{rule}'; "
            "change the rule or choose another file."
        )
    # A name that would start a formula is written with an apostrophe before it.
    found = {name: found.get(name, found.get(without_formula(name))) for name in names} | {
        name: value for name, value in found.items() if name not in {*names, *map(without_formula, names)}
    }
    for name, value in found.items():
        if name not in names:
            raise DataError(
                f"'{_short(file)}' holds a threshold of '{_short(name)}', which is none of the classifiers "
                f"({_listed(names)}); choose a file for this data."
            )
        if value is None:
            raise DataError(f"'{_short(file)}' holds no threshold of '{_short(name)}'; choose a file for this data.")
        if value != math.inf and not abs(value) < LARGEST_SCORE:
            raise DataError(f"The threshold of '{_short(name)}' in '{_short(file)}' is no number; correct it.")
    return np.array([found[name] for name in names], dtype=np.float64)


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
        raise DataError(f"'{_short(file)}' holds no thresholds; {ADVICE}.") from None


def _from_csv(text: str, file: str) -> tuple[dict[str, float | None], str]:
    separator = max(",;\t", key=text.split("\n", 1)[0].count)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
        # A spreadsheet that separates by semicolons writes decimals with a comma.
        found = {row["classifier"]: float(row["threshold"].replace(",", ".")) for row in rows}
        rules, comparisons = {row["rule"] for row in rows}, {row["comparison"] for row in rows}
    except (csv.Error, KeyError, ValueError, AttributeError):
        rules, comparisons = set(), set()
    if len(rules) != 1 or comparisons != {">="} or len(found) < len(rows):
        raise DataError(f"'{_short(file)}' holds no thresholds; {ADVICE}.")
    return dict(found), str(rules.pop())


def _number(value: Any) -> float:
    """A JSON number, or infinity for null."""
    if value is None:
        return math.inf
    if type(value) not in (int, float):
        raise TypeError
    return float(value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{_short(name)}'" for name in names)


def _short(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
