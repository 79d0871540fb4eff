"""Define the exception for bad input."""


class DataError(ValueError):
    """Input that cannot be used; the message is one sentence for users.

    It names the column, the row (counted from 1, below the header) or the number of rows, and the remedy.

    Examples
    --------
    >>> from multiloss_core import DataError, read_table
    >>> try:
    ...     read_table(b"", "alerts.csv")
    ... except DataError as error:
    ...     print(error)
    'alerts.csv' is empty; choose a file with a header and rated rows.
    """


def require_type(value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Refuse an argument of another type; `expected` names it and the remedy. Raises DataError."""
    if not isinstance(value, kinds):
        raise DataError(f"This takes {expected}, not a value of the type {type(value).__name__}.")
