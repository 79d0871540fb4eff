"""Print Markdown: the machine, versions and tables."""

import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version


def print_setup(title: str, packages: Sequence[str], words: str) -> None:
    """Print a title and a line with date, machine, versions of `packages` and `words`."""
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
    """Print the column titles and the line below."""
    print_row(*titles)
    print(f"|{'---|' * len(titles)}")


def print_row(*cells: object) -> None:
    """Print one row."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
