"""What a process and its children hold in memory, from Linux's own account of them."""

from collections import defaultdict
from pathlib import Path

PROCESSES = Path("/proc")


def resident_megabytes(process: int) -> float:
    """Add up the resident memory, MB, of a process and all below it; pages that they share are counted for each."""
    below = _children()
    total, waiting = 0, [process]
    while waiting:
        number = waiting.pop()
        waiting.extend(below[number])
        total += _resident(number)
    return total / 1e6


def server_process(parent: int) -> int:
    """Find the server that a process has started; raises `LookupError` where there is none."""
    for number in _children()[parent]:
        if b"server.py" in (PROCESSES / str(number) / "cmdline").read_bytes().split(b"\0"):
            return number
    raise LookupError(f"Process {parent} has started no server.")


def _children() -> defaultdict[int, list[int]]:
    found = defaultdict(list)
    for folder in PROCESSES.iterdir():
        if folder.name.isdigit():
            try:
                parent = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
            except (FileNotFoundError, ProcessLookupError):
                continue
            found[int(parent)].append(int(folder.name))
    return found


def _resident(process: int) -> int:
    try:
        lines = (PROCESSES / str(process) / "status").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)
