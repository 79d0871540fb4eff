"""Test the limit on the tables of all sessions."""

import gc

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError
from tests.pages.rated_data.steps import GOOD, csv_of, rated_frame, upload
from tests.pages.steps import opened, state
from ui.data import store
from ui.shared.session import UploadedFile, Uploads


def megabytes(number):
    return UploadedFile(memory=number * 2**20)


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    gc.collect()
    store._held.clear()
    monkeypatch.setenv(store.VARIABLE, "10")


def held(name, file):
    visit = Uploads()
    store.hold(visit, name, file)
    visit.files[name] = file
    return visit


def test_all_sessions_share_one_limit():
    one, other = held("a", megabytes(4)), held("b", megabytes(5))
    with pytest.raises(DataError, match="limit for loaded tables"):
        store.hold(Uploads(), "c", megabytes(2))
    # In place of a table of its own.
    store.hold(one, "a", megabytes(5))
    with pytest.raises(DataError, match="limit for loaded tables"):
        store.hold(one, "a2", megabytes(2))
    del other
    gc.collect()
    store.hold(one, "a2", megabytes(6))


@pytest.mark.parametrize("said", ["", "0", "1.5"])
def test_invalid_limit_is_one_error(monkeypatch, said):
    monkeypatch.setenv(store.VARIABLE, said)
    with pytest.raises(DataError, match=store.VARIABLE):
        store.hold(Uploads(), "a", megabytes(1))


def test_file_too_many_is_refused_and_nothing_is_lost():
    app = opened("rated_data")
    upload(app, csv_of(rated_frame()), GOOD)
    filler = held("all the rest", megabytes(9))
    large = pd.DataFrame(np.random.default_rng(0).random((60_000, 2)), columns=["a", "b"]).assign(fraud=0)
    large.loc[:100, "fraud"] = 1
    upload(app, csv_of(large), "large.csv")
    assert "limit for loaded tables" in app.error[0].value
    assert GOOD in app.error[0].value
    assert app.selectbox(key="data").value == GOOD
    assert list(state(app).rated.sources) == [GOOD]
    del filler
