"""Times as the local clock showed them: one zone or offset for all cells, else UTC."""

import numpy as np
import pandas as pd
import pytest

from multiloss_core.tables import local_times


def read(cells):
    return local_times(pd.DataFrame({"at": cells}), "at", np.arange(len(cells)))


@pytest.mark.parametrize(
    ("ending", "zone"),
    [("+09:00", "UTC+09:00"), ("-0330", "UTC-03:30"), ("Z", "UTC"), (" EST", "UTC-05:00"), ("+00:00", "UTC")],
)
def test_one_offset_keeps_the_local_clock(ending, zone):
    clock = pd.Series(pd.date_range("2026-02-27 22:15", periods=60, freq="97min"))
    times, name = read(clock.dt.strftime("%Y-%m-%d %H:%M:%S") + ending)
    assert times.tolist() == clock.tolist()
    assert name == zone


def test_different_offsets_are_in_utc():
    times, name = read(["2026-03-28T23:30:00+01:00", "2026-03-29T23:30:00+02:00"])
    assert [str(time)[:16] for time in times] == ["2026-03-28T22:30", "2026-03-29T21:30"]
    assert name.startswith("UTC")
    assert "differ" in name


def test_zone_with_summer_time_keeps_the_local_clock():
    clock = pd.date_range("2026-03-28 23:30", periods=3, freq="D")
    times, name = read(pd.Series(clock).dt.tz_localize("Europe/Vienna"))
    assert times.tolist() == clock.to_pydatetime().tolist()
    assert name == "Europe/Vienna"


def test_times_without_a_zone_have_none():
    times, name = read(["2026-03-28 23:30", "2026-03-29 00:30"])
    assert (str(times[0]), name) == ("2026-03-28T23:30:00.000000", "")
