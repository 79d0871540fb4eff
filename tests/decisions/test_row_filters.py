"""Test the column values that choose a decision's rows: recorded, read and applied."""

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, DecisionRecord
from multiloss_core.decisions import kept_rows, recorded_filters
from tests.decisions.records import make_record

CHOSEN = (
    ("country", ("AT", "O'Hara")),
    ("channel", (np.int64(3), True, 2.5)),
    ("day", (date(2026, 1, 31), Decimal("1.50"))),
)


def filtered():
    record = make_record()
    return replace(record, data=replace(record.data, filters=recorded_filters(CHOSEN)))


def test_a_record_keeps_them():
    record = filtered()
    told = json.loads(record.to_json())["data"]["filters"]
    assert told == [
        {"column": "country", "values": ["AT", "O'Hara"]},
        {"column": "channel", "values": [3, True, 2.5]},
        {"column": "day", "values": ["2026-01-31", "1.50"]},
    ]
    again = DecisionRecord.from_json(record.to_json())
    assert again == record
    _, channel, _ = again.data.filters
    assert [type(value) for value in channel.values] == [int, bool, float]


@pytest.mark.parametrize("values", [[], [None], [["AT"]], ["\0"], "AT", [float("nan")]])
def test_values_that_no_record_can_keep_are_refused(values):
    content = json.loads(filtered().to_json())
    content["data"]["filters"][0]["values"] = values
    with pytest.raises(DataError):
        DecisionRecord.from_json(json.dumps(content))


class TestRows:
    FRAME = pd.DataFrame(
        {
            "country": ["AT", "DE", None, "at"],
            "channel": [3, 4, 3, 3],
            "day": pd.to_datetime(["2026-01-31", "2026-01-31", "2026-02-01", "2026-01-31"]),
            "open": [True, False, True, True],
        }
    )

    @pytest.mark.parametrize(
        ("column", "values", "expected"),
        [
            ("country", ("AT",), [True, False, False, False]),
            ("channel", (3,), [True, False, True, True]),
            ("channel", ("3",), [True, False, True, True]),
            ("day", (date(2026, 1, 31),), [True, True, False, True]),
            ("open", (True,), [True, False, True, True]),
        ],
    )
    def test_are_those_with_the_values(self, column, values, expected):
        assert kept_rows(self.FRAME, recorded_filters([(column, values)])).tolist() == expected

    def test_all_filters_hold(self):
        filters = recorded_filters([("country", ("AT", "DE")), ("channel", (4,))])
        assert kept_rows(self.FRAME, filters).tolist() == [False, True, False, False]

    def test_filters_reject_missing_column_and_no_rows(self):
        with pytest.raises(DataError, match="no column 'region', by which the decision chose its rows"):
            kept_rows(self.FRAME, recorded_filters([("region", ("x",))]))
        with pytest.raises(DataError, match="rows where 'country' is FR, and the table has none"):
            kept_rows(self.FRAME, recorded_filters([("country", ("FR",))]))
