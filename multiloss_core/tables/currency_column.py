"""Find the currency that amounts are in: in a column of its own, beside the numbers, or in the name of their column."""

import re
from collections.abc import Mapping

import pandas as pd

_NAMES = {"currency", "currency code", "währung", "waehrung", "devise", "moneda", "moeda", "valuta"}
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|INR|BRL|MXN|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|ZAR|SGD|HKD|ILS|AED|SAR|KRW|"
    "NGN|KES"
)
_IN_NAME = re.compile(rf"(?<![A-Za-z])({_CODES})(?![A-Za-z])|([$€£¥₹])", re.IGNORECASE)
MAX_LETTERS = 12


def currency_of_amounts(frame: pd.DataFrame, amount: str | None, units: Mapping[str, str]) -> str | None:
    """Return the currency of a table, or of its `amount` column, of at most 12 characters; None where it is not known.

    `units`: what stands beside the numbers of a column. A column named as currencies are must hold one value only.
    O(n) for n rows.
    """
    for column in frame.columns:
        if str(column).replace("_", " ").strip().casefold() in _NAMES:
            found = frame[column].dropna().astype(str).str.strip()
            values = set(found[found != ""].unique())
            if len(values) == 1 and len(word := values.pop()) <= MAX_LETTERS:
                return word
    if amount is None:
        return None
    if (unit := units.get(amount, "").strip()) and len(unit) <= MAX_LETTERS:
        return unit
    named = _IN_NAME.search(amount)
    return None if named is None else named[0].upper()
