"""Reading in a worker: the same results, and no end of the worker is one of this process."""

import io
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from multiloss_core.tables import (
    guess_columns,
    read_file,
    read_in_process,
    read_items_in_process,
    sandbox,
)
from multiloss_core.workers import calls_of_this_thread
from tests.tables.reading.workbooks import workbook
from tests.tables.refusals import refused

DATA = b"case;score;amount;rating\n00042;0,93;1.193,88;fraud\n00043;0,5;27,5;ok\n00044;0,25;3;\n"


@pytest.mark.slow
def test_a_file_is_read_and_guessed_as_it_is_here():
    for data in (DATA, workbook({"one": [["score", "rating"], [0.5, "fraud"], [0.25, "ok"]], "two": []})):
        file, guess = read_in_process(data, "f")
        here = read_file(data, "f")
        pd.testing.assert_frame_equal(file.frame, here.frame)
        assert (file.notes, file.ambiguous, file.sheets, file.sheet) == (
            here.notes,
            here.ambiguous,
            here.sheets,
            here.sheet,
        )
        assert guess == guess_columns(here.frame)


def test_times_words_and_few_words_for_many_rows_come_back():
    frame = pd.DataFrame(
        {
            "when": pd.date_range("2026-03-14", periods=3).astype("datetime64[us]"),
            "word": pd.Series(["a", None, "ü"], dtype="str"),
            "true": [True, False, True],
            "score": [0.5, np.nan, 0.25],
        }
    )
    stream = io.BytesIO()
    frame.to_parquet(stream)
    read = read_in_process(stream.getvalue(), "f.parquet")[0].frame
    pd.testing.assert_frame_equal(read, frame)
    read.loc[0, "score"] = 1.0
    assert read["score"][0] == 1.0


@pytest.mark.parametrize("read", [read_in_process, read_items_in_process])
def test_refusals_are_the_same_sentence(read):
    for data in (b"", b"a,b\n1,2,3\n", b"PAR1 and nothing else"):
        assert "'" in refused(lambda data=data: read(data, "f.csv"))
    assert "row 1 has 3 cells" in refused(lambda: read(b"a,b\n1,2,3\n", "f.csv"))


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux limits the memory of a process.")
def test_a_process_that_needs_too_much_memory_is_a_sentence(monkeypatch):
    data = b"a,b\n" + b"".join(b"word %d,0.5\n" % i for i in range(300_000))
    assert len(read_in_process(data, "f.csv")[0].frame) == 300_000
    monkeypatch.setattr(sandbox, "MEMORY", 8 * 2**20)
    assert "needs more memory than there is" in refused(lambda: read_in_process(data, "f.csv"))
    assert len(read_in_process(DATA, "f.csv")[0].frame) == 3


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_ended(monkeypatch):
    read_in_process(DATA, "f.csv")
    monkeypatch.setattr(sandbox, "SECONDS", 1)
    rows = b"a,b,c\n" + b"1,2\n" * 4_000_000
    assert "or 1 seconds to read" in refused(lambda: read_in_process(rows, "f.csv"))
    monkeypatch.undo()
    assert len(read_in_process(DATA, "f.csv")[0].frame) == 3


def test_a_reading_that_is_cancelled_is_a_sentence(monkeypatch):
    calls = []
    token = calls_of_this_thread.set(calls)
    threading.Timer(0.5, lambda: [call.cancel() for call in calls]).start()
    rows = b"a,b,c\n" + b"1,2\n" * 4_000_000
    try:
        assert "no longer read" in refused(lambda: read_in_process(rows, "f.csv"))
    finally:
        calls_of_this_thread.reset(token)
    assert len(read_in_process(DATA, "f.csv")[0].frame) == 3


@pytest.mark.slow
def test_several_threads_ask_at_once():
    files = [f"a,b\n{i},0.5\n{i + 1},0.25\n".encode() for i in range(24)]
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda data: read_in_process(data, "f.csv")[0].frame["a"].tolist(), files))
    assert read == [[i, i + 1] for i in range(24)]
    assert threading.active_count() < 30
