"""Compare two decisions of the log side by side."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import pandas as pd
import streamlit as st

from multiloss_core import DecisionRecord
from multiloss_core.decisions import values_in_words
from multiloss_core.formatting import points, score_name, score_value, shortened, signed
from multiloss_core.numerics import ratio
from multiloss_core.tables import without_formula
from ui.records import counted_words, moment, precision_words, recorded_words, target_words

COMMON = "the common thresholds"
Value = TypeVar("Value")


def show_comparison(one: DecisionRecord, other: DecisionRecord) -> None:
    """Show two decisions side by side, with the first minus the second."""
    rows = [
        ("Data", *(without_formula(record.data.name) for record in (one, other)), ""),
        ("Decided (UTC)", moment(one.created), moment(other.created), ""),
        ("By", *(without_formula(record.author) for record in (one, other)), ""),
        ("Rule", one.settings.rule, other.settings.rule, ""),
        ("Method", one.settings.method, other.settings.method, ""),
        ("Target", target_words(one), target_words(other), _target_difference(one, other)),
        *_threshold_rows(one, other),
        *_segment_rows(one, other),
        *_count_rows(one, other),
    ]
    header = ["", "This decision", "The other", "Difference"]
    st.dataframe(
        pd.DataFrame(rows, columns=header),
        hide_index=True,
        height="content",
        alt="The two decisions, with their differences.",
    )
    if one.data.fingerprint != other.data.fingerprint:
        st.caption("The two decisions are based on different data, which also changes the counts.")


def _threshold_rows(one: DecisionRecord, other: DecisionRecord) -> Iterator[tuple[str, str, str, str]]:
    first, second = (_by_name(record, record.columns.threshold_words(record.thresholds)) for record in (one, other))
    values = [_by_name(record, record.thresholds) for record in (one, other)]
    rules = {*one.columns.alert_rule_names, *other.columns.alert_rule_names}
    title = "Threshold of" if one.segments is None and other.segments is None else "Common threshold of"
    for name in dict.fromkeys([*first, *second]):
        change = "" if name in rules else _change(*(score_value(name, each.get(name)) for each in values))
        label = f"{'Rule' if name in rules else title} {score_name(name)}"
        yield label, first.get(name, "–"), second.get(name, "–"), change


def _by_name(record: DecisionRecord, each: Iterable[Value]) -> dict[str, Value]:
    return dict(zip(record.columns.scores, each, strict=True))


def _segment_rows(one: DecisionRecord, other: DecisionRecord) -> Iterator[tuple[str, str, str, str]]:
    """Show values with thresholds of their own in either decision, alike ones in one row."""
    first, second = _own_words(one), _own_words(other)
    common_one, common_other = (recorded_words(record, record.thresholds) for record in (one, other))
    alike: dict[tuple[str, str, str], list[str]] = {}
    for key in dict.fromkeys([*first, *second]):
        column, value = key
        alike.setdefault((column, first.get(key, ""), second.get(key, "")), []).append(value)
    for (column, new, old), values in alike.items():
        yield (
            f"Thresholds where '{shortened(column)}' is {values_in_words(values)}",
            without_formula(new or COMMON),
            without_formula(old or COMMON),
            "" if (new or common_one) == (old or common_other) else "other thresholds",
        )


def _own_words(record: DecisionRecord) -> dict[tuple[str, str], str]:
    """Format the thresholds of each value that is listed, by its column and the value."""
    segments = record.segments
    if segments is None:
        return {}
    return {
        (segments.column, value): recorded_words(record, one.thresholds)
        for values, one in zip(segments.keys, segments.own, strict=True)
        for value in values
    }


def _change(new: float | None, old: float | None) -> str:
    return "" if new is None or old is None else signed(new - old, f"{new - old:.6g}")


def _count_rows(one: DecisionRecord, other: DecisionRecord) -> Iterator[tuple[str, str, str, str]]:
    first, second, comparable = one.expected, other.expected, _comparable(one, other)
    for name, new, old in (
        ("Caught (TP)", first.tp, second.tp),
        ("False alerts (FP)", first.fp, second.fp),
        ("Alerts", first.alerts, second.alerts),
    ):
        difference = signed(new - old, counted_words(one, new - old)) if comparable else ""
        yield name, counted_words(one, new), counted_words(other, old), difference
    change = points(ratio(first.tp, first.alerts) - ratio(second.tp, second.alerts)) if comparable else ""
    yield "Precision", precision_words(one), precision_words(other), change


def _comparable(one: DecisionRecord, other: DecisionRecord) -> bool:
    """Return whether both records count documents, or the same amount column."""
    return one.settings.amount == other.settings.amount


def _target_difference(one: DecisionRecord, other: DecisionRecord) -> str:
    new, old = one.target.marginal_precision, other.target.marginal_precision
    return "" if new is None or old is None or not _comparable(one, other) else points(new - old)
