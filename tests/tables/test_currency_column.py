"""Test the currency of amounts, by column, by cells and by column name."""

import pandas as pd
import pytest

from multiloss_core.tables import currency_of_amounts, read_file


@pytest.mark.parametrize(
    ("header", "cells", "currency"),
    [
        ("amount", ("$59.44", "$1,200.00", "$3.10"), "$"),
        ("amount", ("59.44 €", "3.10 €", "7.00 €"), "€"),
        ("amount_usd", ("59.44", "3.10", "7.00"), "USD"),
        ("Betrag (CHF)", ("59.44", "3.10", "7.00"), "CHF"),
        ("volume_gbp_total", ("59.44", "3.10", "7.00"), "GBP"),
        ("amount", ("59.44", "3.10", "7.00"), None),
        ("tryouts", ("59.44", "3.10", "7.00"), None),
    ],
)
def test_currency_is_that_of_the_amounts(header, cells, currency):
    rows = "\n".join(f'0.{i + 1},"{cell}",fraud' for i, cell in enumerate(cells))
    file = read_file(f"score,{header},rating\n{rows}\n".encode(), "alerts.csv")
    assert file.frame[header].tolist()[1] in (1200.0, 3.1)
    assert currency_of_amounts(file.frame, header, file.units) == currency


def test_column_of_one_currency_goes_first():
    frame = pd.DataFrame({"amount_usd": [1.0, 2.0], "Currency": ["CAD", " CAD"]})
    assert currency_of_amounts(frame, "amount_usd", {"amount_usd": "$"}) == "CAD"
    assert currency_of_amounts(frame.assign(Currency=["CAD", "USD"]), "amount_usd", {}) == "USD"
