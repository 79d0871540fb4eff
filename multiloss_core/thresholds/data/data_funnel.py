"""Count rows on their way from a table to rated documents."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DataFunnel:
    """Count the rows that survive each step from the file to rated documents (no weights)."""

    read: int
    rated: int
    complete: int
    at_or_above_floor: int
    positives: int

    @property
    def steps(self) -> tuple[tuple[str, int], ...]:
        """The steps in order, each with its words and its count."""
        return (
            ("rows read", self.read),
            ("rated", self.rated),
            ("complete scores", self.complete),
            ("at or above a floor", self.at_or_above_floor),
            ("positives", self.positives),
        )
