"""The page on the command shows what the commands print."""

import re
import shlex
from pathlib import Path

import pytest

from multiloss_core.datasets import RATED_SAMPLES
from tests.command_line.conftest import run

PAGE = Path(__file__).parents[1] / "docs" / "command-line.md"
LATER = "2026-02-16"


@pytest.fixture
def files(tmp_path, monkeypatch):
    frame = RATED_SAMPLES["Card alerts"]("Card alerts").frame.sort_values("time")
    frame[frame["time"] < LATER].to_csv(tmp_path / "alerts.csv", index=False)
    frame[frame["time"] >= LATER].to_csv(tmp_path / "newer.csv", index=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_commands_print_what_their_page_shows():
    shown = re.findall(r"```console\n\$ multiloss (.+)\n((?s:.+?))\n```", PAGE.read_text("utf-8"))
    assert len(shown) > 3
    for command, output in shown:
        result = run(*shlex.split(command))
        assert result.exit_code == 0, result.output
        assert named_alike(output) in named_alike(result.stdout), command


def named_alike(text):
    return re.sub(r"decision[-_]\d{4}[-_]\d\d[-_]\d\d[-_][0-9a-f]{8}", "decision", text)
