"""Test decisions by money beside those by documents."""

import json
from dataclasses import replace

import pytest

from multiloss_core import DataError, DecisionRecord
from tests.decisions.records import make_record


@pytest.fixture
def by_documents():
    return make_record(("card", "device"))


@pytest.fixture
def by_money(by_documents):
    return replace(by_documents, settings=replace(by_documents.settings, amount="paid"))


def test_it_reads_back(by_money):
    assert json.loads(by_money.to_json())["settings"]["amount"] == "paid"
    assert DecisionRecord.from_json(by_money.to_json()) == by_money


def test_amount_is_null_in_records_by_documents(by_documents):
    content = json.loads(by_documents.to_json())
    assert content["settings"]["amount"] is None
    assert DecisionRecord.from_json(json.dumps(content)) == by_documents


@pytest.mark.parametrize("bad", ["", 3, ["paid"], "x" * 301])
def test_what_is_no_name_of_a_column_is_refused(by_money, bad):
    content = json.loads(by_money.to_json())
    content["settings"]["amount"] = bad
    with pytest.raises(DataError, match=r"settings\.amount"):
        DecisionRecord.from_json(json.dumps(content))
