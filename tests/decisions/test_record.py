import dataclasses
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import Counts, DataError, DecisionRecord
from multiloss_core.decisions import (
    MAX_BYTES,
    MAX_NAME,
    MAX_REASON,
    ExpectedCounts,
    GoalValue,
    RecordedColumns,
    RecordedInterval,
    data_fingerprint,
    recorded_thresholds,
)
from multiloss_core.decisions.print_json_schema import json_schema
from multiloss_core.decisions.record_fields import MAX_GOAL_VALUES
from multiloss_core.decisions.validation import MAX_SCORES
from multiloss_core.generalisation import Interval, PointIntervals
from multiloss_core.generalisation.new_data_intervals import CountIntervals
from tests.decisions.records import make_record, records

ROOT = Path(__file__).resolve().parents[2]


def changed(path, value):
    """Return a record's JSON with one entry, like "thresholds.0", changed or (`...`) deleted."""
    content = json.loads(make_record().to_json())
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = content
    for part in parents:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return json.dumps(content)


class TestRoundTrip:
    @pytest.mark.slow
    @given(records())
    def test_a_record_comes_back_as_it_was(self, record):
        text = record.to_json()
        again = DecisionRecord.from_json(text)
        assert again == record
        assert again.to_json() == text
        assert DecisionRecord.from_json(text.encode()) == record

    def test_the_largest_record_is_below_the_limit(self):
        names = tuple(f"{i:03d}" + "\x01" * (MAX_NAME - 3) for i in range(MAX_SCORES))
        goal_values = tuple(
            GoalValue(f"{i:02d}" + "\x01" * (MAX_NAME - 2), -1.2345678901234567e-300) for i in range(MAX_GOAL_VALUES)
        )
        record = make_record(names, (-1.2345678901234567e-300,) * MAX_SCORES, reason="\x01" * MAX_REASON)
        record = dataclasses.replace(record, target=dataclasses.replace(record.target, goal_values=goal_values))
        assert len(record.to_json().encode()) <= MAX_BYTES
        assert DecisionRecord.from_json(record.to_json()) == record


class TestRefusals:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[]",
            "3",
            "null",
            b"\xff\xfe",
            b"PK\x03\x04",
            "{} {}",
            "[" * 100_000,
            '{"a":' * 100_000,
            '{"schema_version": 1' + "1" * 5000 + "}",
            "\ud800",
        ],
    )
    def test_what_is_no_json_object(self, text):
        with pytest.raises(DataError, match=r"choose a file that was saved as one\.$") as caught:
            DecisionRecord.from_json(text)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400])
    @pytest.mark.parametrize("name", ["tp", "low", "threshold"])
    def test_numbers_that_are_none(self, value, name):
        path = {"tp": "expected.tp", "low": "expected.tp_interval.low", "threshold": "thresholds.0"}[name]
        text = changed(path, "HERE").replace('"HERE"', value)
        with pytest.raises(DataError, match=r"finite number|valid number"):
            DecisionRecord.from_json(text)

    def test_a_field_that_occurs_twice(self):
        text = make_record().to_json().replace('"author"', '"reason": "", "author"', 1)
        with pytest.raises(DataError, match="Field 'reason' occurs more than once"):
            DecisionRecord.from_json(text)

    @pytest.mark.parametrize(
        ("version", "words"),
        [
            (2, "knows up to 1; update the program"),
            (10**30, "update the program"),
            (0, "'schema_version' .* greater than or equal to 1, not 0"),
            (True, "'schema_version' .* a valid integer, not True"),
            ("1", "'schema_version' .* a valid integer, not '1'"),
            (1.0, "'schema_version' .* a valid integer, not 1.0"),
            (..., "'schema_version' is missing, so this is no decision record"),
        ],
    )
    def test_another_schema_version(self, version, words):
        with pytest.raises(DataError, match=words):
            DecisionRecord.from_json(changed("schema_version", version))

    @pytest.mark.parametrize(
        ("path", "value", "words"),
        [
            ("data", ..., r"'data' .* field required"),
            ("data.name", ..., r"'data\.name' .* field required"),
            ("columns.group", ..., r"'columns\.group' .* is missing"),
            ("expected.tp_interval.level", ..., r"'expected\.tp_interval\.level' .* field required"),
            ("extra", 1, r"'extra' .* unexpected keyword argument"),
            ("data.extra\n<b>", 1, r"'data\.extra\\n<b>' .* unexpected keyword argument"),
            ("author", 3, "'author' .* a valid string, not 3"),
            ("author", None, "'author' .* a valid string, not None"),
            ("author", "x" * 301, "'author' .* at most 300 characters, not 'x"),
            ("author", "a\0b", "'author' .* without null characters"),
            ("author", "\ud800", "'author' .* half characters"),
            ("reason", "x" * 20_001, "'reason' .* at most 20000"),
            ("data", [], r"'data' .* an object"),
            ("data.name", " \n", r"'data\.name' .* not blank"),
            ("data.fingerprint", "AB" * 32, r"'data\.fingerprint' .* match pattern .*\{64\}"),
            ("data.fingerprint", "ab" * 32 + "\n", r"'data\.fingerprint' .* match pattern .*\{64\}"),
            ("data.funnel.read", 10.5, r"'data\.funnel\.read' .* a valid integer"),
            ("data.funnel.read", True, r"'data\.funnel\.read' .* a valid integer"),
            ("data.funnel.rated", 10, r"'data' .* 'complete' of the funnel .* from 0 to 10, not 4,890"),
            ("data.funnel.positives", -1, r"'data' .* 'positives' of the funnel .* from 0 to 4,800, not -1"),
            ("columns.scores", [], r"'columns\.scores' .* at least 1 item"),
            ("columns.scores", "ab", r"'columns\.scores' .* a valid array"),
            ("columns.scores", ["a", "a"], r"'columns' .* scores should be distinct"),
            ("columns.scores.1", "", r"'columns\.scores\[2\]' .* not blank"),
            ("columns.scores.1", 5, r"'columns\.scores\[2\]' .* a valid string, not 5"),
            ("columns.floors", [0.1], r"'columns' .* floors should be a list of 2 numbers, .* not 1"),
            ("columns.floors.0", None, r"'columns\.floors\[1\]' .* a valid number, not None"),
            ("columns.leave_out_unusable", 1, r"'columns\.leave_out_unusable' .* a valid boolean, not 1"),
            ("settings.rule", "some", r"'settings\.rule' .* 'any' or 'all'"),
            ("settings.rule", ["any"], r"'settings\.rule' .* 'any' or 'all'"),
            ("settings.spacing", None, r"'settings\.spacing' .* 'uniform'"),
            ("settings.resolution", -1, r"'settings\.resolution' .* greater than or equal to 0, not -1"),
            ("target.marginal_precision", 1, r"'target\.marginal_precision' .* less than 1, not 1"),
            ("target.marginal_precision", "0.2", r"'target\.marginal_precision' .* a valid number, not '0.2'"),
            ("target.status", "lost", r"'target\.status' .* 'inside'"),
            ("target.goal_values", [], r"'target' .* goal_values .* 'set manually', and given elsewhere"),
            ("target.goal", "set manually", r"'target' .* goal_values should be empty where"),
            ("target.goal_values.0.value", False, r"'target\.goal_values\[1\]\.value' .* a valid number, not False"),
            ("thresholds", [0.5], r" thresholds should be a list of 2 numbers, one for each score, not 1"),
            ("thresholds.1", "never", r"'thresholds\[2\]' .* a valid number, not"),
            ("thresholds.1", True, r"'thresholds\[2\]' .* a valid number, not"),
            ("thresholds", {"a": 1}, "'thresholds' .* a valid array"),
            ("expected.tp", -1, r"'expected\.tp' .* greater than or equal to 0, not -1"),
            ("expected.alerts", 1500, r"'expected' .* alerts should be TP \+ FP, 1400, not 1500"),
            ("expected.precision", 0.5, r"'expected' .* precision should be TP / \(TP \+ FP\)"),
            ("expected.precision", None, r"'expected' .* precision should be TP / \(TP \+ FP\)"),
            ("expected.tp_interval", 300, r"'expected\.tp_interval' .* an object"),
            ("expected.tp_interval.low", 330, r"'expected\.tp_interval' .* low should be at most high, 320, not 330"),
            (
                "expected.tp_interval.estimate",
                10,
                r"'expected\.tp_interval' .* low should be at most estimate, 10, not",
            ),
            ("expected.tp_interval.estimate", 900, r"'expected\.tp_interval' .* estimate should be at most high"),
            (
                "expected.precision_interval.high",
                1.5,
                r"'expected' .* precision_interval should be from 0 to 1, not up to 1\.5",
            ),
            ("expected.fp_interval.level", 95, r"'expected\.fp_interval\.level' .* less than 1, not 95"),
            ("current.thresholds", [0.5], r" current\.thresholds should be a list of 2 numbers, .* not 1"),
            ("current.tp", None, r"'current' .* tp and fp should both be given or neither"),
            ("created", "yesterday", "'created' .* a valid datetime"),
            ("created", 5, "'created' .* a valid datetime"),
            ("created", "2026-01-31T09:00:00", "'created' .* a time in UTC like"),
            ("created", "2026-01-31T09:00:00+01:00", "'created' .* a time in UTC"),
            ("record_id", "1", "'record_id' .* match pattern"),
            ("record_id", "{12345678-1234-5678-1234-567812345678}", "'record_id' .* match pattern"),
            ("program_version", "", "'program_version' .* not blank"),
        ],
    )
    def test_a_field_that_cannot_be_used(self, path, value, words):
        with pytest.raises(DataError, match=words) as caught:
            DecisionRecord.from_json(changed(path, value))
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300

    @pytest.mark.slow
    @given(records(), st.data())
    def test_anything_in_place_of_anything_is_refused_or_understood(self, record, data):
        content = json.loads(record.to_json())
        place, key = content, data.draw(st.sampled_from(list(content)))
        while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
            place = place[key]
            key = data.draw(st.sampled_from(list(place)) if isinstance(place, dict) else st.just(0))
        scalar = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
        place[key] = data.draw(scalar | st.lists(scalar, max_size=3) | st.dictionaries(st.text(max_size=3), scalar))
        try:
            again = DecisionRecord.from_json(json.dumps(content))
        except DataError:
            return
        assert DecisionRecord.from_json(again.to_json()) == again


class TestMaking:
    def test_infinite_thresholds_are_never(self):
        assert recorded_thresholds(np.array([0.5, np.inf])) == (0.5, None)
        np.testing.assert_array_equal(make_record(thresholds=(0.5, None)).threshold_array, [0.5, np.inf])

    @pytest.mark.parametrize("value", [np.nan, -np.inf])
    def test_other_thresholds_that_are_no_numbers_are_refused(self, value):
        with pytest.raises(DataError, match=r"thresholds\[1\]"):
            make_record(thresholds=recorded_thresholds([value, 0.5]))

    def test_intervals_without_an_estimate_are_left_out(self):
        nan = float("nan")
        whole = Interval(estimate=3.0, low=2.0, high=4.0)
        nothing = Interval(estimate=nan, low=nan, high=nan)
        share = Interval(estimate=0.5, low=0.4, high=0.6)
        found = PointIntervals(
            target=0.2,
            level=0.9,
            thresholds=np.array([0.5]),
            in_sample=Counts(3.0, 3.0),
            expected=CountIntervals(tp=whole, fp=whole, alerts=nothing, precision=share),
            new_period=CountIntervals(tp=nothing, fp=nothing, alerts=nothing, precision=nothing),
            marginal_precision=nothing,
            thresholds_low=np.array([0.4]),
            thresholds_high=np.array([0.6]),
        )
        expected = ExpectedCounts.of(3.0, 3.0, found)
        assert expected.tp_interval == RecordedInterval(3.0, 2.0, 4.0, 0.9)
        assert expected.alerts_interval is None
        assert expected.precision_interval == RecordedInterval(0.5, 0.4, 0.6, 0.9)
        assert expected.level == 0.9

    def test_the_fingerprint_is_that_of_the_documented_text(self):
        import hashlib

        columns = RecordedColumns(("ü", "b"), (0.5, 1.0), "rating")
        text = (
            '{"columns":{"floors":[0.5,1.0],"group":null,"leave_out_unusable":false,"positive":null,"rating":"rating",'
            '"scores":["\\u00fc","b"],"weight":null},"file":"' + "0" * 64 + '"}'
        )
        assert data_fingerprint("0" * 64, columns) == hashlib.sha256(text.encode()).hexdigest()
        others = (
            dataclasses.replace(columns, floors=(0.5, 1.1)),
            dataclasses.replace(columns, scores=("b", "ü")),
            dataclasses.replace(columns, weight="w"),
        )
        assert len({data_fingerprint("0" * 64, other) for other in (columns, *others)}) == 4


class TestApplying:
    @pytest.mark.parametrize("rule", ["any", "all"])
    def test_it_flags_the_rows_that_its_thresholds_flag(self, rule):
        record = make_record(("a", "b"), (0.5, None), rule=rule)
        record = dataclasses.replace(record, thresholds=(0.5, 0.25))
        frame = pd.DataFrame({"b": [0.2, 0.25, np.inf, 0.1, None], "other": "x", "a": [0.5, 0.4, 0.5, "", np.nan]})
        flags = record.flags(frame)
        assert flags.dtype == bool
        assert flags.tolist() == {"any": [1, 1, 1, 0, 0], "all": [0, 0, 1, 0, 0]}[rule]

    def test_no_score_reaches_never(self):
        frame = pd.DataFrame({"a": [0.4, 0.6], "b": [1.0, np.inf]})
        assert make_record(("a", "b"), (0.5, None)).flags(frame).tolist() == [False, True]
        assert make_record(("a", "b"), (0.5, None), rule="all").flags(frame[["b", "a"]].iloc[:1]).tolist() == [False]

    @pytest.mark.parametrize(
        ("frame", "words"),
        [
            (pd.DataFrame({"a": [1.0]}), "has no column 'b'"),
            (pd.DataFrame([[1.0, 2.0, 3.0]], columns=["a", "b", "b"]), "has 2 columns 'b'"),
            (
                pd.DataFrame({"a": [1, 2, 3], "b": [0.1, "high", "low"]}),
                "Column 'b' has values .*2 rows, first: row 2, 'high'",
            ),
        ],
    )
    def test_a_table_without_the_scores_is_refused(self, frame, words):
        with pytest.raises(DataError, match=words):
            make_record(("a", "b")).flags(frame)


class TestSchema:
    def test_the_file_in_docs_is_what_the_code_generates(self):
        made = json_schema()
        file = ROOT / "docs/decision-record.schema.json"
        assert file.read_text(encoding="utf-8") == made, (
            "write it again: python -m multiloss_core.decisions.print_json_schema > docs/decision-record.schema.json"
        )

    @pytest.mark.slow
    @given(records())
    def test_what_is_written_meets_it(self, record):
        # It takes two seconds to import.
        import jsonschema

        jsonschema.validate(json.loads(record.to_json()), json.loads(json_schema()))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("path", "value"), [("data.name", ...), ("extra", 1), ("thresholds.0", "x"), ("expected.tp", -1)]
    )
    def test_what_is_refused_does_not(self, path, value):
        # It takes two seconds to import.
        import jsonschema

        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(changed(path, value)), json.loads(json_schema()))
