"""Finds the one currency that a table says its amounts are in."""

import pandas as pd

_NAMES = {"currency", "currency code", "währung", "waehrung", "devise", "moneda", "moeda", "valuta"}
MAX_LETTERS = 12


def only_currency(frame: pd.DataFrame) -> str | None:
    """Return the only value of the column named as currencies are, of at most 12 characters; None where there is none.

    O(n) for n rows.
    """
    for column in frame.columns:
        if str(column).replace("_", " ").strip().casefold() in _NAMES:
            found = frame[column].dropna().astype(str).str.strip()
            values = set(found[found != ""].unique())
            if len(values) == 1 and len(word := values.pop()) <= MAX_LETTERS:
                return word
    return None
