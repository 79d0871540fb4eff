"""Numbers as people write them; the oracle is decimal arithmetic on what was meant."""

import math
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError
from multiloss_core.tables import read_file, with_decimal_sign


def read_column(*cells, separator="\t", beside="q"):
    lines = "".join(f"{cell}{separator}{beside}\n" for cell in cells)
    return read_file(f"x{separator}y\n{lines}".encode(), "f.csv")


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["93 %", "5%", "0"], [0.93, 0.05, 0]),
        (["1,5 %", "20 %"], [0.015, 0.2]),
        (["0,93", "1,5"], [0.93, 1.5]),
        (["0,123", "0,456"], [0.123, 0.456]),
        (["1,193.88", "2,500"], [1193.88, 2500]),
        (["1.193,88", "2.500"], [1193.88, 2500]),
        (["1,234,567", "2,500"], [1234567, 2500]),
        (["12,34,567.50", "1"], [1234567.5, 1]),
        (["€27.55", "-€3", "€1,127.00"], [27.55, -3, 1127]),
        (["27,55 EUR", "1.000,00 EUR"], [27.55, 1000]),
        (["R$ 1.234,50", "R$ 7,00"], [1234.5, 7]),
        (["kr. 1.234,50", "kr. 5,00"], [1234.5, 5]),
        (["1 234,5", "2"], [1234.5, 2]),
        (["1\u00a0234,5", "1\u202f000,25"], [1234.5, 1000.25]),
        (["1'234.50", "1’000.25"], [1234.5, 1000.25]),
        (["(1,234.50)", "2"], [-1234.5, 2]),
        (["12,5-", "3"], [-12.5, 3]),
        (["−5,5", "3"], [-5.5, 3]),
        (["1,2E-05", "0,5"], [1.2e-5, 0.5]),
        (["1e5", "2e-3", ".5", "7."], [1e5, 2e-3, 0.5, 7]),
        (["NA", "1,5", "None", "#DIV/0!", "2,5"], [None, 1.5, None, None, 2.5]),
        (["inf", "0.5"], [math.inf, 0.5]),
    ],
)
def test_what_people_mean_is_read(cells, values):
    file = read_column(*cells)
    assert file.ambiguous == ()
    expected = [math.nan if value is None else float(value) for value in values]
    pd.testing.assert_series_equal(file.frame["x"].astype(float), pd.Series(expected, name="x"))


@pytest.mark.parametrize(
    "cells",
    [
        ["00042", "00043"],
        ["1234567890123456789", "2"],
        ["+491701234567", "+491701234568"],
        ["1.2.3", "1.2.4"],
        ["192.168.001.100", "10.0.0.1"],
        ["14.03.2026", "15.03.2026"],
        ["10:30", "11:45"],
        ["USD 27.55", "EUR 3.00"],
        ["93 %", "0.5"],
        ["0,5", "0.25"],
        ["1,234", "1.234"],
        ["0x1F", "0x20"],
        ["3DS", "2FA"],
        ["5 - 6", "3 - 4"],
        ["10-20", "20-30"],
        ["1 23", "2 34"],
        ["(5", "3"],
        ["NA", "GB", "DE"],
        ["None", "fraud", "ok"],
        ["12", "A7", "B9", "C1"],
        ["1_000", "2_000"],
        ["١٢", "١٣"],
    ],
)
def test_what_is_no_number_stays_as_it_stands(cells):
    file = read_column(*cells)
    assert file.frame["x"].tolist() == cells
    assert file.frame["x"].dtype == "str"
    assert file.ambiguous == ()


def test_numbers_that_can_be_read_in_two_ways_are_asked_about():
    file = read_column("1,234", "2,500", "12")
    assert (file.frame["x"].tolist(), file.ambiguous) == (["1,234", "2,500", "12"], ("x",))
    assert with_decimal_sign(file.frame, {"x": ","})["x"].tolist() == [1.234, 2.5, 12.0]
    assert with_decimal_sign(file.frame, {"x": "."})["x"].tolist() == [1234, 2500, 12]
    with pytest.raises(DataError, match="There is no column 'z'"):
        with_decimal_sign(file.frame, {"z": ","})


@pytest.mark.parametrize(
    ("separator", "beside", "ambiguous"),
    [
        (",", "q", ()),
        (",", "0.5", ()),
        (";", "0.5", ()),
        (";", "q", ("x",)),
        (";", "0,5", ("x",)),
        ("\t", "0,5", ("x",)),
    ],
)
def test_points_group_digits_only_where_decimals_may_have_commas(separator, beside, ambiguous):
    file = read_column("1.234", "12.500", separator=separator, beside=beside)
    assert file.ambiguous == ambiguous
    assert file.frame["x"].tolist() == (["1.234", "12.500"] if ambiguous else [1.234, 12.5])


def test_word_among_numbers_leaves_them_readable():
    file = read_column("0,5", "1,5", "2,5", "abc", "4,5", "6,5")
    assert file.frame["x"].tolist() == ["0.5", "1.5", "2.5", "abc", "4.5", "6.5"]
    assert file.notes == ("Column 'x' holds numbers but for 1 cell (first: row 4, 'abc').",)


SIGNS = st.sampled_from([("", "."), (",", "."), ("", ","), (".", ","), (" ", ","), ("'", "."), ("\u202f", ",")])


@given(
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=8),
    SIGNS,
    st.sampled_from(["{}", "{} EUR", "€ {}", "{} %"]),
)
def test_written_in_any_way_amounts_are_the_same(amounts, signs, unit):
    group, decimal = signs
    cells = [f"{amount:,}".replace(",", "G").replace(".", decimal).replace("G", group) for amount in amounts]
    file = read_column(*(unit.format(cell) for cell in cells))
    scale = Decimal(100) if "%" in unit else Decimal(1)
    assert file.frame["x"].tolist() == [float(amount / scale) for amount in amounts]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_float_is_read_to_the_last_digit(values):
    frame = read_column(*map(repr, values), separator=",").frame
    assert frame["x"].astype(float).tolist() == values
