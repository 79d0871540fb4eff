"""A part of a decision in words and tables."""

from dataclasses import dataclass

Row = tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A heading, sentences, a text in its author's own lines, and a table (its first column names the rows)."""

    key: str
    title: str
    sentences: tuple[str, ...] = ()
    quotation: str = ""
    header: Row = ()
    rows: tuple[Row, ...] = ()
