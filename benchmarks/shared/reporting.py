"""What the benchmarks share: a line on the machine, tables in Markdown printed as the figures come in, timing."""

import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from statistics import median
from time import perf_counter


def print_setup(title: str, packages: Sequence[str], words: str) -> None:
    """Print a title, and a line with the date, the machine, the versions of `packages`, and more `words`."""
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    python = f"Python {platform.python_version()}"
    print(f"# {title}\n\n{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {python}, {versions}{words}\n")


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table under its title."""
    print(f"\n## {title}\n")
    print_header(*header)
    for row in rows:
        print_row(*row)
    print(flush=True)


def print_header(*titles: object) -> None:
    """Print the titles of the columns and the line below them."""
    print_row(*titles)
    print(f"|{'---|' * len(titles)}")


def print_row(*cells: object) -> None:
    """Print one row."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def interleaved(
    ways: Sequence[Callable[[], object]], *, repetitions: int, inner: tuple[int, ...] | None = None
) -> list[float]:
    """Time each way turn by turn, so that all of them meet the same noise; median seconds of each."""
    inner = inner or (1,) * len(ways)
    for way, times in zip(ways, inner, strict=True):
        if times > 1 or repetitions > 2:
            way()
    seconds: list[list[float]] = [[] for _ in ways]
    for _ in range(repetitions):
        for way, times, measured in zip(ways, inner, seconds, strict=True):
            start = perf_counter()
            for _ in range(times):
                way()
            measured.append((perf_counter() - start) / times)
    return [median(measured) for measured in seconds]
