"""The one exception that bad input raises."""


class DataError(ValueError):
    """Input that cannot be used; the message is one sentence for people.

    It names the column, the row (counted from 1, below the header) or how many rows, and the way out.
    """
