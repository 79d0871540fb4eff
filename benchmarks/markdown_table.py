"""Tables in Markdown, printed row by row as the figures come in."""

from collections.abc import Iterable, Sequence


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
