"""Reading in another process: the same results, and no end of that process is one of this."""

import io
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from multiloss_core.tables import (
    guess_columns,
    read_file,
    read_in_process,
    read_items,
    read_items_in_process,
    start_reader,
)
from multiloss_core.tables.reader_process import client
from tests.tables.reading.workbooks import workbook
from tests.tables.refusals import refused

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="The limits are those of Linux.")

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


def test_tables_of_counts_have_no_guess():
    assert read_in_process(b"T1,TP,FP\n0,2,3\n1,0,0\n", "f.csv")[1] is None


def test_items_are_read_as_they_are_here():
    data = b"account,p,y\n00123,0.5,1\n123,0.25,0\n"
    file, choice = read_items_in_process(data, "f.csv")
    here, chosen = read_items(data, "f.csv")
    pd.testing.assert_frame_equal(file.frame, here)
    assert choice == chosen


@pytest.mark.parametrize("read", [read_in_process, read_items_in_process])
def test_refusals_are_the_same_sentence(read):
    for data in (b"", b"a,b\n1,2,3\n", b"PAR1 and nothing else", b"a,a\n1,2\n"):
        assert "'" in refused(lambda data=data: read(data, "f.csv"))
    assert "row 1 has 3 cells" in refused(lambda: read(b"a,b\n1,2,3\n", "f.csv"))


def test_a_process_that_needs_too_much_memory_is_a_sentence(monkeypatch):
    data = b"a,b\n" + b"".join(b"word %d,0.5\n" % i for i in range(300_000))
    assert len(read_in_process(data, "f.csv")[0].frame) == 300_000
    monkeypatch.setattr(client, "MEMORY", 8 * 2**20)
    assert "needs more memory than there is" in refused(lambda: read_in_process(data, "f.csv"))
    assert len(read_in_process(DATA, "f.csv")[0].frame) == 3


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_ended(monkeypatch):
    read_in_process(DATA, "f.csv")
    monkeypatch.setattr(client, "SECONDS", 1)
    rows = b"a,b,c\n" + b"1,2\n" * 4_000_000
    assert "or 1 seconds to read" in refused(lambda: read_in_process(rows, "f.csv"))
    monkeypatch.undo()
    assert len(read_in_process(DATA, "f.csv")[0].frame) == 3


@pytest.mark.slow
def test_a_server_that_was_killed_is_replaced():
    read_in_process(DATA, "f.csv")
    os.kill(client._running[-1].process.pid, signal.SIGKILL)
    assert len(read_in_process(DATA, "f.csv")[0].frame) == 3
    os.kill(client._running[-1].process.pid, signal.SIGKILL)
    time.sleep(0.2)
    start_reader()
    assert len(read_in_process(DATA, "f.csv")[0].frame) == 3


@pytest.mark.slow
def test_several_threads_ask_at_once():
    files = [f"a,b\n{i},0.5\n{i + 1},0.25\n".encode() for i in range(24)]
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda data: read_in_process(data, "f.csv")[0].frame["a"].tolist(), files))
    assert read == [[i, i + 1] for i in range(24)]
    assert threading.active_count() < 30


def test_without_such_processes_files_are_read_here(monkeypatch):
    monkeypatch.setattr(client.sys, "platform", "win32")
    monkeypatch.setattr(client.socket, "socketpair", lambda: pytest.fail("a process was asked"))
    assert read_in_process(DATA, "f.csv")[0].frame["score"].tolist() == [0.93, 0.5, 0.25]
