"""Times of documents as people and machines write them, against pandas."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloss_core import DataError
from multiloss_core.tables import document_times

READABLE = [
    "2026-03-14",
    "2026-03-14 10:30:05",
    "2026-03-14T10:30:05.25",
    "2026/3/4 5:06",
    "2026.03.04",
    "2000-02-29 23:59:59.999999",
]


def times_of(values, rows=None):
    frame = pd.DataFrame({"when": values})
    return document_times(frame, "when", np.arange(len(frame)) if rows is None else np.asarray(rows))


def refused(values, rows=None):
    with pytest.raises(DataError) as error:
        times_of(values, rows)
    sentence = str(error.value)
    assert "'when'" in sentence
    assert "choose no time column" in sentence
    assert len(sentence) < 320
    return sentence


def test_iso_text_is_read_as_pandas_reads_it():
    expected = pd.Series(READABLE).map(pd.Timestamp).to_numpy(dtype="datetime64[us]")
    read = times_of(READABLE)
    assert read.dtype == np.dtype("datetime64[us]")
    assert read.tolist() == expected.tolist()
    assert times_of([f"  {text} " for text in READABLE]).tolist() == expected.tolist()
    assert times_of(pd.Series(READABLE, dtype="category")).tolist() == expected.tolist()
    assert times_of(pd.Series(READABLE, dtype=object)).tolist() == expected.tolist()


MOMENTS = st.datetimes(pd.Timestamp(1990, 1, 1), pd.Timestamp(2100, 12, 31)).map(lambda t: t.replace(microsecond=0))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(MOMENTS, min_size=1, max_size=20), st.integers(0, 8))
def test_every_way_to_write_times_gives_the_same(moments, way):
    series = pd.Series(moments, dtype="datetime64[us]")
    written = [
        series,
        series.dt.tz_localize("UTC"),
        series.dt.tz_localize("UTC").dt.tz_convert("America/New_York"),
        series.dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
        series.dt.strftime("%Y-%m-%d %H:%M:%S UTC"),
        series.dt.strftime("%d %B %Y %I:%M:%S %p"),
        series.dt.strftime("%b %d, %Y, %H:%M:%S"),
        (series - pd.Timestamp(0)) // pd.Timedelta("1s"),
        ((series - pd.Timestamp(0)) / pd.Timedelta("1ms")).astype(str),
    ][way]
    assert times_of(written).tolist() == series.to_numpy().tolist()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(MOMENTS, min_size=1, max_size=20), st.booleans(), st.sampled_from("/-."))
def test_days_and_months_are_told_apart_by_the_whole_column_or_not_at_all(moments, day_first, separator):
    form = separator.join(("%d", "%m", "%Y") if day_first else ("%m", "%d", "%Y"))
    series = pd.Series(moments, dtype="datetime64[us]")
    clear = (series.dt.day > 12).any() or (series.dt.day == series.dt.month).all()
    words = series.dt.strftime(f"{form} %H:%M:%S")
    if clear:
        assert times_of(words).tolist() == series.to_numpy().tolist()
    else:
        sentence = refused(words)
        assert "does not distinguish days from months" in sentence
        row = int((series.dt.day != series.dt.month).to_numpy().argmax())
        assert f"in row {row + 1:,}" in sentence


def test_the_order_of_day_and_month_is_one_for_the_whole_column():
    assert times_of(["03/04/2026", "14/04/2026"]).astype("datetime64[D]").astype(str).tolist() == [
        "2026-04-03",
        "2026-04-14",
    ]
    assert times_of(["03/04/2026", "04/14/2026"])[0] == np.datetime64("2026-03-04")
    sentence = refused(["01/02/2026", "14/04/2026", "04/14/2026"])
    assert "'14/04/2026' in row 2" in sentence
    assert "'04/14/2026' in row 3" in sentence
    assert "2026-03-14" in sentence


def test_numbers_are_days_or_seconds_or_milliseconds():
    assert times_of([20260314, 20260401]).astype(str).tolist() == [
        "2026-03-14T00:00:00.000000",
        "2026-04-01T00:00:00.000000",
    ]
    assert times_of([1_773_000_000.25, 1_773_000_001]).astype("int64").tolist() == [
        1_773_000_000_250_000,
        1_773_000_001_000_000,
    ]
    assert times_of(["20260314", "20260315"])[1] == np.datetime64("2026-03-15")
    for values in ([1.0, 2.0], [0, 1], [20260314, 5], [20260230, 20260301], [1_773_000_000, 1_773_000_000_000]):
        assert "no date or time" in refused(values)
    assert "'5' in row 2" in refused([20260314, 5])


@pytest.mark.parametrize(
    "bad",
    [
        *("x", "now", "NaT", "nan", "2026-02-30", "2026-13-01", "2026-03-14 24:01", "0001-01-01", "9999-12-31"),
        *("03/04/26", "31 Feb 2026", "2026-03", "2026", "12 Foo 2026", "14/03/2026 25:00", "14/03/2026 13:00 PM"),
        *("٢٠٢٦-٠٣-١٤", "=1+1", "<script>alert(1)</script>", "1" * 100_000, "1:0" * 30_000, "2026-03-14\x00", "🕐"),
        *("-1", "1e400"),
    ],
)
def test_what_is_no_time_is_named_with_its_row_and_cut_short(bad):
    sentence = refused(["2026-03-14", bad, "2026-03-15"])
    assert "in row 2" in sentence
    assert bad[:30] in sentence


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([True, False]),
        pd.to_timedelta(pd.Series([1, 2]), unit="s"),
        pd.Series([float("inf"), 1.0]),
        pd.Series([[1], {}]),
        pd.Series(pd.period_range("2026-01", periods=2, freq="M")),
        pd.Series([b"x", b"2026-01-01"]),
    ],
)
def test_columns_of_another_kind_are_refused(column):
    assert "in row 1" in refused(column)


def test_blank_cells_and_rows_count_from_one_below_the_header():
    assert "blank in 2 of 3 usable rows (first: row 2)" in refused(["2026-03-14", None, "  "])
    values = ["x", None, "2026-03-14", "2026-03-15"]
    assert times_of(values, rows=[2, 3]).tolist() == times_of(values[2:]).tolist()
    assert "in row 1" in refused(values, rows=[2, 0])
    assert "(first: row 2)" in refused(pd.Series(pd.to_datetime(["2026-01-01", None])))
    with pytest.raises(DataError, match="no column 'then'"):
        document_times(pd.DataFrame({"when": [1]}), "then", np.arange(1))


def test_a_time_zone_in_some_rows_only_is_not_guessed():
    sentence = refused(["2026-03-14 10:00:00", "2026-03-14 10:00:00+01:00"])
    assert "row 2" in sentence
    assert "row 1" in sentence
    assert "time zone" in refused(["2026-03-14 10:00:00Z", "14/03/2026"])
    assert times_of(["2026-03-14T00:30:00+01:00", "2026-03-14T00:30:00-0500"]).astype(str).tolist() == [
        "2026-03-13T23:30:00.000000",
        "2026-03-14T05:30:00.000000",
    ]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.sampled_from(READABLE))))
def test_any_text_is_read_or_refused_in_a_sentence(values):
    column = pd.Series(values, dtype=object)
    try:
        read = times_of(column)
    except DataError:
        refused(column)
        return
    assert len(read) == len(values)
    assert not np.isnat(read).any()


MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
MACHINES = {
    "%m/%d/%y %H:%M": "min",
    "%d.%m.%y": "D",
    "%d-%b-%y": "D",
    "%d%b%Y": "D",
    "%d%b%Y:%H:%M:%S": "s",
    "%a %b %d %H:%M:%S %Y": "s",
    "%a %b %d %H:%M:%S UTC %Y": "s",
    "%a, %d %b %Y %H:%M:%S +0000": "s",
    "%A, %B %d, %Y": "D",
    "%Y%m%dT%H%M%SZ": "s",
    "%Y%m%d%H%M%S": "s",
    "%Y-%m-%d-%H.%M.%S": "s",
    "%d-%b-%y %I.%M.%S.%f %p": "us",
    "%Y-%m-%d-%H.%M.%S.%f": "us",
    "%d/%b/%Y:%H:%M:%S +0000": "s",
    "%d-%m-%y %H:%M:%S": "s",
}


def some_moments():
    seconds = np.random.default_rng(3).integers(0, 400 * 86_400, 80)
    return pd.Series(pd.Timestamp("2025-03-05 01:02:03.25") + pd.to_timedelta(seconds, unit="s"))


@pytest.mark.slow
@pytest.mark.parametrize(("form", "precision"), MACHINES.items())
def test_forms_of_machines_are_read(form, precision):
    moments = some_moments()
    expected = moments.dt.floor(precision).to_numpy(dtype="datetime64[us]")
    written = moments.dt.strftime(form)
    assert times_of(written).tolist() == expected.tolist()
    # Days of the week, T and zones are written in one way by the programs that write them.
    for change in (str.upper, str.lower) if not {"%a", "T%H", "UTC"} & set(re.findall("%a|T%H|UTC", form)) else ():
        assert times_of(written.map(change)).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("language", MONTHS)
def test_months_in_words_are_read(language):
    moments = some_moments()
    expected = moments.dt.normalize().to_numpy(dtype="datetime64[us]")
    names = [MONTHS[language].split()[moment.month - 1] for moment in moments]
    for form in ("{0.day}. {1} {0.year}", "{0.day} {1} {0.year}", "{0.day} de {1} de {0.year}", "{0.day}-{1}-{0.year}"):
        written = [form.format(moment, name) for moment, name in zip(moments, names, strict=True)]
        assert times_of(written).tolist() == expected.tolist(), written[0]
        assert times_of([text.upper() for text in written]).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zone", "hours"), [("EST", -5), ("EDT", -4), ("PST", -8), ("CET", 1), ("CEST", 2), ("-0500", -5), ("+01:00", 1)]
)
def test_zones_become_utc_in_any_form(zone, hours):
    moments = some_moments().dt.floor("s")
    expected = (moments - pd.Timedelta(hours=hours)).to_numpy(dtype="datetime64[us]")
    for form in ("%Y-%m-%d %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%a, %d %b %Y %H:%M:%S"):
        assert times_of(moments.dt.strftime(f"{form} {zone}")).tolist() == expected.tolist(), form


def test_zone_with_several_meanings_is_refused():
    assert "'2026-01-15 10:30:00 IST' in row 1" in refused(["2026-01-15 10:30:00 IST", "2026-01-15 11:30:00 IST"])


@pytest.mark.parametrize("power", [0, 3, 6, 9])
def test_numbers_since_1970_are_read(power):
    moments = some_moments().dt.floor("s")
    expected = moments.to_numpy(dtype="datetime64[us]")
    numbers = pd.Series((moments - pd.Timestamp(0)) // pd.Timedelta(seconds=1)) * 10**power
    assert times_of(numbers.astype(str)).tolist() == expected.tolist()
    off = np.abs(times_of(numbers) - expected).max()
    assert off <= np.timedelta64(1, "us")


def test_days_of_excel_are_read():
    moments = some_moments().dt.floor("s")
    days = (moments - pd.Timestamp(1899, 12, 30)) / pd.Timedelta(days=1)
    for cells in (days, days.map("{:.9f}".format), days.round(9).astype(str)):
        off = np.abs(times_of(cells) - moments.to_numpy(dtype="datetime64[us]")).max()
        assert off <= np.timedelta64(1, "ms")


def test_year_of_two_digits_that_may_come_first_is_refused():
    days = pd.date_range("2026-01-03", periods=60)
    assert "'26-01-03' in row 1" in refused(days.strftime("%y-%m-%d"))
    assert times_of(days.strftime("%d-%m-%y")).tolist() == days.to_numpy(dtype="datetime64[us]").tolist()


@pytest.mark.parametrize("none", ["0000-00-00", "1900-01-01", "9999-12-31 00:00:00", "2026-01", "2026-W05"])
def test_cell_that_is_no_day_is_named(none):
    assert f"'{none}' in row 3" in refused(["2026-01-05", "2026-01-06", none, "2026-01-07"])
