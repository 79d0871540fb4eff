"""Test that a hostile decision record is shown or rejected in one sentence."""

import json
from copy import deepcopy

import pytest

from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import html_report, markdown_summary, sql_where, thresholds_csv, thresholds_json
from multiloss_core.thresholds import read_thresholds
from tests.decisions.records import make_record
from tests.hostile.test_files import require_sentence

NUMBERS = (
    "1" + "0" * 400,
    "-1" + "0" * 400,
    "1e308",
    "1e400",
    "-1",
    "-0.0",
    "1e-320",
    "NaN",
    "Infinity",
    str(2**53 + 1),
)
VALUES = (*NUMBERS, "null", "true", '""', '"\\u0000"', '"\\ud800"', '"x"', "[]", "[[]]", "{}", '"' + "x" * 30_000 + '"')
BASE = json.loads(make_record().to_json())


def places(content, path=()):
    """Every place of a value in a record, the ones within lists too."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(path, value):
    """The text of the record with another value at one place."""
    content, mark = deepcopy(BASE), "MARK-OF-THE-VALUE"
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = mark
    return json.dumps(content).replace(f'"{mark}"', value)


PLACES = list(places(BASE))


@pytest.mark.parametrize("path", PLACES, ids=lambda path: ".".join(map(str, path)))
def test_a_record_can_be_shown_or_is_refused(path):
    for value in VALUES:
        try:
            record = DecisionRecord.from_json(changed(path, value))
        except DataError as error:
            require_sentence(error)
            continue
        markdown_summary(record)
        html_report(record)
        repr(record)
        sql_where(record)
        assert DecisionRecord.from_json(record.to_json()) == record
        names = record.columns.scores
        for text in (record.to_json(), thresholds_json(record), thresholds_csv(record)):
            read = read_thresholds(text.encode(), "t", names, record.settings.rule)
            assert read.tolist() == record.threshold_array.tolist()


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{" * 100_000, "{}", '{"schema_version": 1}', "\ud800", " " * 1_000_001, '{"a": 1, "a": 2}'],
    ids=lambda text: ascii(text[:12]),
)
def test_what_is_no_record_is_refused(text):
    with pytest.raises(DataError) as caught:
        DecisionRecord.from_json(text)
    require_sentence(caught.value)
