"""Test that an upload becomes a table or one sentence within its limits."""

import io
import re
import sys
import threading
import time
from multiprocessing import forkserver

import pytest

from multiloss_core import DataError, RatedDocuments
from multiloss_core.tables import READ_AS_IT_LOOKS, read_in_process, sandbox
from multiloss_core.tables.sandbox import guess_documents, read, write_answer
from tests.hostile import files

STRANGE = [
    *files.mutated(),
    *files.odd_texts(),
    *files.odd_parquets(),
    *files.odd_workbooks(),
]
GOOD = files.csv_of()


def require_sentence(error):
    text = str(error)
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 400
    assert not re.search(r"Traceback|Error\b|Exception|dtype|ndarray|<class", text)


@pytest.mark.parametrize("part", range(20))
def test_strange_files_are_tables_or_sentences(part):
    for name, data in STRANGE[part::20]:
        try:
            target = io.BytesIO()
            answer = write_answer(io.BytesIO(data), len(data), "f", READ_AS_IT_LOOKS, guess_documents, target)
            file, guess = read(answer, target), answer.guess
            if guess is not None and guess.scores and guess.rating:
                known = {value: meaning for value, meaning in guess.meanings if meaning is not None}
                RatedDocuments.from_frame(file.frame, list(guess.scores), guess.rating, meanings=known or None)
        except DataError as error:
            require_sentence(error)
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error
        else:
            assert len(file.frame) > 0, name
            assert all(isinstance(column, str) for column in file.frame.columns), name
            assert len(set(file.frame.columns)) == file.frame.shape[1], name


@pytest.mark.parametrize("part", range(4))
def test_the_process_that_reads_outlives_what_it_reads(part):
    for name, data in STRANGE[part :: 4 * 12]:
        try:
            read_in_process(data, "f")
        except DataError as error:
            require_sentence(error)
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error
    assert len(read_in_process(GOOD, "good.csv")[0].frame) == 60


class Watch:
    """Looks at how much memory workers take, as long as it is open."""

    def __enter__(self):
        self.peak, self.stopped = 0, threading.Event()
        self.server = forkserver._forkserver._forkserver_pid
        self.before = _resident(self.server)
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()

    def _look(self):
        while not self.stopped.is_set():
            try:
                with open(f"/proc/{self.server}/task/{self.server}/children", encoding="ascii") as children:
                    for child in children.read().split():
                        self.peak = max(self.peak, _resident(child) - self.before)
            except OSError:
                pass
            time.sleep(0.002)


def _resident(process):
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) * 1024
    except (OSError, TypeError):
        return 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux limits the memory of a process.")
@pytest.mark.parametrize("name", files.BOMBS)
def test_bombs_stay_within_their_bounds(name):
    data = files.BOMBS[name]()
    read_in_process(GOOD, "good.csv")
    with Watch() as watch:
        try:
            file, _ = read_in_process(data, "bomb")
        except DataError as error:
            require_sentence(error)
        else:
            assert file.frame.memory_usage().sum() < 2**29
    assert watch.peak <= sandbox.MEMORY + 2**26
    assert len(read_in_process(GOOD, "good.csv")[0].frame) == 60
