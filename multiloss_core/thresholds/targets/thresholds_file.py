"""Write thresholds to files for other systems, and read them back."""

import codecs
import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike

from multiloss_core.errors import DataError
from multiloss_core.formatting import MINUS, comparison, direction, score_name, shortened
from multiloss_core.numerics.arrays import Floats
from multiloss_core.numerics.rounding import typed_number, written_number
from multiloss_core.tables.spreadsheet_csv import guess_separator, without_formula
from multiloss_core.thresholds.data.count_surfaces import CountSurfaces
from multiloss_core.thresholds.data.counts import Rule, checked_thresholds
from multiloss_core.thresholds.data.rated_data import RatedData
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.paths.operating_point import GoalPoint, ManualPoint, Point

MAX_BYTES = 1_000_000
MAX_SHOWN = 60
ADVICE = "choose an exported thresholds.json or thresholds.csv"

# A column, and thresholds (k,) of their own for some of its values.
SegmentRows = tuple[str, Sequence[tuple[Sequence[str], Iterable[float]]]]


def rule_in_words(rule: Rule, a_document: str = "a document", inverted: Sequence[str] = ()) -> str:
    """Describe when a row is flagged; `a_document` is the row with its article."""
    score = {"any": "any score", "all": "every score"}[rule]
    if not inverted:
        return f"flag {a_document} when {score} is at or above its threshold"
    below = ", ".join(shortened(score_name(name)) for name in inverted)
    return f"flag {a_document} when {score} reaches its threshold (at or below it: {below}; others at or above it)"


def point_as_dict(point: Point, source: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Describe a point in plain values for JSON; undefined and unreachable ones are None.

    `source` describes the data.
    """
    return _content(
        zip(point.names, point.thresholds, strict=True),
        point.rule,
        source or {},
        method="set manually" if isinstance(point, ManualPoint) else point.method,
        target_marginal_precision=None if isinstance(point, GoalPoint) else point.marginal_precision,
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
    segments: SegmentRows | None = None,
    **details: Any,
) -> str:
    """Write thresholds (null: never), the rule, further details and the source of the data.

    `block`: optional thresholds (k,) of an upper cut. `segments`: optional thresholds of some values of a column.
    """
    if segments is not None:
        column, each = segments
        own = [{"values": [*values], "thresholds": _plain(zip(names, at, strict=True))} for values, at in each]
        details = {"segments": {"column": column, "own": own}, **details}
    if block is not None:
        details = {"block_thresholds": _plain(zip(names, block, strict=True)), **details}
    content = _content(zip(names, thresholds, strict=True), rule, source, **details)
    if segments is not None:
        content["meaning"] += "; the values under segments have thresholds of their own"
    return _as_text(content)


def thresholds_as_csv(
    names: Sequence[str],
    thresholds: Iterable[float],
    rule: str,
    block: Iterable[float] | None = None,
    segments: SegmentRows | None = None,
) -> str:
    """Write a row per classifier: column, comparison, threshold (inf or -inf: never), rule.

    `block`: optional thresholds (k,) of an upper cut, in a column of their own. `segments`: optional thresholds of some
    values of a column, which stand in a column `segment`. Names cannot start a formula.
    """
    header: tuple[str, ...] = ("classifier", "comparison", "threshold", "rule")
    rows = _csv_rows(names, thresholds, rule)
    if segments is not None:
        header, rows = (*header, "segment"), [(*row, "") for row in rows]
        for values, own in segments[1]:
            of_segment = _csv_rows(names, own, rule)
            rows += [(*row, without_formula(value)) for value in values for row in of_segment]
    if block is not None:
        header = (*header, "block_threshold")
        rows = [(*row, _on_scale(name, value)) for row, name, value in zip(rows, names, block, strict=True)]
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue()


def _csv_rows(names: Sequence[str], thresholds: Iterable[float], rule: str) -> list[tuple[str | float, ...]]:
    return [
        (without_formula(score_name(name)), comparison(name), _on_scale(name, value), without_formula(rule))
        for name, value in zip(names, thresholds, strict=True)
    ]


def read_thresholds(data: bytes, file: str, names: Sequence[str], rule: Rule) -> Floats:
    """Read the thresholds (k,), infinity for never, from an export or a decision record.

    `file` is its name, for messages. Its content is never executed.

    Raises DataError: too large, another format, another rule (unless k is 1), a missing or unknown classifier, or a
    threshold that is no number.
    """
    if len(data) > MAX_BYTES:
        raise DataError(f"'{shortened(file)}' has {len(data):,} bytes, more than {MAX_BYTES:,}; {ADVICE}.")
    try:
        text = data.decode("utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"'{shortened(file)}' is no UTF-8 text; {ADVICE}.") from None
    found, found_rule = (_from_json if text.lstrip().startswith(("{", "[")) else _from_csv)(text, file)
    if found_rule != rule and len(names) > 1:
        raise DataError(
            f"The thresholds of '{shortened(file)}' are for rule '{shortened(found_rule)}', those on the screen "
            f"for '{rule}'; change the rule or choose another file."
        )
    # Names that would start a formula are exported with a leading apostrophe.
    found = {name: found.get(name, found.get(_guarded(name))) for name in names} | {
        name: value for name, value in found.items() if name not in {*names, *map(_guarded, names)}
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
    """Build the common content of such a file; `details` differ between points and decisions."""
    thresholds = list(thresholds)
    inverted = [name for name, _ in thresholds if name.startswith(MINUS)]
    return {
        "rule": rule,
        "meaning": rule_in_words(rule, inverted=inverted) + "; no score reaches a threshold of null",
        "thresholds": _plain(thresholds),
        **({"at_or_below": [*map(score_name, inverted)]} if inverted else {}),
        **details,
        "source": dict(source),
    }


def _plain(thresholds: Iterable[tuple[str, float]]) -> dict[str, float | None]:
    return {score_name(name): _on_scale(name, value) if math.isfinite(value) else None for name, value in thresholds}


def _on_scale(name: str, value: float) -> float:
    return direction(name) * float(value)


def _guarded(name: str) -> str:
    """Write a name as in a CSV file: one that would start a formula gets a leading apostrophe."""
    inverted = name.startswith(MINUS)
    return f"{MINUS if inverted else ''}{without_formula(score_name(name))}"


def _as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def _from_json(text: str, file: str) -> tuple[dict[str, float | None], str]:
    try:
        content = json.loads(text, parse_constant=_refuse)
        if content.get("segments") is not None:
            raise _by_segment(file)
        if "schema_version" in content:
            pairs = list(zip(content["columns"]["scores"], content["thresholds"], strict=True))
            rule, inverted = content["settings"]["rule"], content["columns"].get("inverted", [])
        else:
            pairs, rule = list(content["thresholds"].items()), content["rule"]
            inverted = content.get("at_or_below", [])
        signs = {str(name): "<=" if name in inverted else ">=" for name, _ in pairs}
        return dict(_read_as(str(name), signs[name], _number(value, signs[name])) for name, value in pairs), str(rule)
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise DataError(f"'{shortened(file)}' holds no thresholds; {ADVICE}.") from None


def _from_csv(text: str, file: str) -> tuple[dict[str, float | None], str]:
    text = re.sub(r"^sep=.\r?\n", "", text.lstrip("\ufeff"))
    separator = guess_separator(text.split("\n", 1)[0])
    try:
        read = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
        # Spreadsheets add empty rows.
        rows = [row for row in read if any(row.values())]
        if any(row.get("segment") for row in rows):
            raise _by_segment(file)
        # A spreadsheet that separates by semicolons writes decimals with a comma.
        has_commas = separator == ";" and any(re.search(r"\b0,|,(?!\d{3}\s*$)", row["threshold"]) for row in rows)
        found = dict(
            _read_as(row["classifier"], row["comparison"], _typed(row["threshold"], file, has_commas)) for row in rows
        )
        rules, comparisons = {row["rule"] for row in rows}, {row["comparison"] for row in rows}
    except DataError:
        raise
    except (csv.Error, KeyError, ValueError, TypeError, AttributeError):
        rules, comparisons = set(), set()
    if len(rules) != 1 or not comparisons <= {">=", "<="} or len(found) < len(rows):
        raise DataError(f"'{shortened(file)}' holds no thresholds; {ADVICE}.")
    return dict(found), str(rules.pop())


def _typed(cell: str, file: str, has_commas: bool) -> float:
    """Read a typed threshold. `has_commas`: other cells show that a comma begins decimals."""
    try:
        return written_number(cell.replace(",", ".")) if has_commas else typed_number(cell)
    except ValueError:
        if not re.search("[0-9]", cell):
            raise
        raise DataError(
            f"The threshold '{shortened(cell)}' in '{shortened(file)}' is no number, too large or too small, or "
            "may be read in two ways; write it with a decimal point, as in 0.5."
        ) from None


def _by_segment(file: str) -> DataError:
    return DataError(
        f"'{shortened(file)}' holds thresholds per segment, and one threshold for each classifier is needed; choose a "
        "file without segments."
    )


def _read_as(name: str, comparison: str, value: float) -> tuple[str, float]:
    """Return name and threshold of a score, with a minus and the other sign if inverted."""
    return (name, value) if comparison == ">=" else (f"{MINUS}{name}", -value)


def _number(value: Any, comparison: str) -> float:
    """Read a JSON number, or what no score reaches for null."""
    if value is None:
        return math.inf if comparison == ">=" else -math.inf
    if type(value) not in (int, float):
        raise TypeError
    return float(value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{shortened(name)}'" for name in names)


def on_precision_of_scores(source: RatedData, thresholds: ArrayLike) -> Floats:
    """Round thresholds (k,) to single precision where all scores of the classifier have it.

    0.7 in single precision lies below 0.7 in double precision, and an engine compares it with 0.7 as written. Scores
    that both precisions write alike are not affected. O(n k). Raises DataError: not one threshold for each score.
    """
    checked = checked_thresholds(thresholds, source.names)
    if not isinstance(source, RatedDocuments):
        return checked
    with np.errstate(over="ignore"):
        single = checked.astype(np.float32).astype(np.float64)
        is_single = (source.scores == source.scores.astype(np.float32)).all(axis=0)
    return np.where(is_single, single, checked)


def out_of_range(source: RatedData, thresholds: ArrayLike) -> Iterator[str]:
    """Describe each finite threshold (k,) that lies above or below all scores of the data."""
    for j, value in enumerate(np.asarray(thresholds, dtype=np.float64)[: len(source.names) - source.alert_rules]):
        low, high = _range_of(source, j)
        if np.isfinite(value) and not low <= value <= high:
            name = source.names[j]
            ends = sorted(direction(name) * end for end in (low, high))
            yield (
                f"The current threshold of '{shortened(score_name(name))}' lies outside of all rated scores: it is "
                f"{direction(name) * value:.6g}, they go from {ends[0]:.6g} to {ends[-1]:.6g}; check its scale."
            )


def _range_of(source: RatedData, j: int) -> tuple[float, float]:
    documents = source.documents
    ends = cast("CountSurfaces", source).axes[j] if documents is None else documents.ordered_scores[j]
    return float(ends[np.searchsorted(ends, -np.inf, "right")]), float(ends[-1])
