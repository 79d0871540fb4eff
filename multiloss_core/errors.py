"""Define the exception for bad input."""


class DataError(ValueError):
    """Input that cannot be used; the message is one sentence for users.

    It names the column, the row (counted from 1, below the header) or the number of rows, and the remedy.
    """
