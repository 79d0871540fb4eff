"""Test temporary folders, those of killed programs too."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from multiloss_core.scratch import OWNER, _sweep, make_scratch, remove_scratch, scratch

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def make_old(folder):
    os.utime(folder / OWNER, (0, 0))


def test_folder_ends_with_its_use(temporary):
    with scratch("file") as folder:
        (folder / "rows.parquet").write_bytes(b"rows")
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL.")
def test_folder_of_a_killed_program_is_swept(temporary):
    code = (
        "import os, signal; from multiloss_core.scratch import make_scratch\n"
        "folder = make_scratch('file'); (folder / 'rows.parquet').write_bytes(b'rows'); print(folder, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = os.environ | {"TMPDIR": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    left, young, other = Path(done.stdout.strip()), temporary / "multiloss-file-young", temporary / "other"
    for folder in (young, other):
        folder.mkdir()
        (folder / OWNER).touch()
    make_old(left)
    make_old(other)
    mine = make_scratch("work")
    assert not left.exists()
    assert young.exists()
    assert other.exists()
    make_old(mine)
    _sweep.cache_clear()
    make_scratch("work")
    # Its owner, this program, is there.
    assert mine.exists()
    remove_scratch(mine)
    assert not mine.exists()
