"""Figures of the samples and of public files stay as they were published."""

import copy
import json
import math

import pytest

from tests.unchanged import measure

# Rounded to twelve digits when they were stored.
CLOSED, ABSOLUTE = 1e-9, 1e-9
# Processors round powers differently in the last digit, which makes one vertex of two, or two of one.
VERTICES_OF_POWERS, BY_A_VERTEX = "/analytic power/", 2e-3
MOST_SHOWN = 10
NO_FILES = pytest.mark.skipif(
    not measure.RATED_FOLDER.is_dir(),
    reason="The folder shared/data/rated with the public rated files is not beside the checkout.",
)
RECORDS = sorted(measure.stored_records())
NAMES = [*measure.FROM_SAMPLES, *(pytest.param(name, marks=NO_FILES) for name in measure.FROM_FILES)]


def stored(name):
    return json.loads((measure.FIGURES / f"{name}.json").read_text(encoding="utf-8"))


def as_read(value):
    """A value as it is after it was stored."""
    return json.loads(measure.as_text(value))


def differences(before, now, path="", relative=CLOSED):
    """Where two JSON values differ, and how."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in now or key not in before:
                yield f"{path}/{key}: {'gone' if key in before else 'new'}"
            else:
                yield from differences(before[key], now[key], f"{path}/{key}", relative)
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"{path}: {len(before)} entries before, {len(now)} now"
        for i, (one, other) in enumerate(zip(before, now, strict=False)):
            yield from differences(one, other, f"{path}[{i}]", relative)
    elif is_number(before) and is_number(now):
        relative = BY_A_VERTEX if VERTICES_OF_POWERS in path and ("vertices" in path or "sums" in path) else relative
        if not (before == now or (math.isnan(before) and math.isnan(now))) and not math.isclose(
            before, now, rel_tol=relative, abs_tol=ABSOLUTE
        ):
            yield f"{path}: {before!r} before, {now!r} now"
    elif type(before) is not type(now) or before != now:
        yield f"{path}: {before!r} before, {now!r} now"


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def require_same(before, now):
    found = list(differences(before, now))
    assert not found, "\n".join([f"{len(found)} differences:", *found[:MOST_SHOWN]])


@pytest.mark.parametrize("name", NAMES)
def test_figures(name):
    require_same(stored(name), as_read((measure.FROM_SAMPLES | measure.FROM_FILES)[name]()))


@pytest.mark.parametrize("name", RECORDS)
def test_a_stored_decision_is_read_and_written_the_same(name):
    text = measure.stored_records()[name]
    again = measure.read_record(text).to_json()
    assert json.loads(again) == json.loads(text)
    assert measure.read_record(again) == measure.read_record(text)


@pytest.mark.parametrize("name", RECORDS)
def test_the_files_of_a_stored_decision(name):
    made = measure.exports_of(measure.read_record(measure.stored_records()[name]))
    kept = {file.name: file.read_bytes().decode() for file in (measure.EXPORTS / name).iterdir()}
    assert sorted(made) == sorted(kept)
    for file, content in kept.items():
        assert made[file] == content, file


def test_the_stored_decisions_are_of_every_kind():
    records = [measure.read_record(text) for text in measure.stored_records().values()]
    assert any(record.settings.amount is not None and record.current is not None for record in records)
    assert any(record.settings.amount is None and record.expected.tp_interval is not None for record in records)
    assert any(record.data.funnel is None for record in records)
    assert any(record.target.by_hand and None in record.thresholds for record in records)
    assert any("guaranteed precision" in {wish.name for wish in record.target.wishes} for record in records)


def test_every_figure_is_stored_and_nothing_else():
    assert {file.stem for file in measure.FIGURES.iterdir()} == set(measure.FROM_SAMPLES | measure.FROM_FILES)
    assert sorted(folder.name for folder in measure.EXPORTS.iterdir()) == RECORDS


@pytest.mark.parametrize("name", sorted(measure.FROM_SAMPLES | measure.FROM_FILES))
def test_a_change_of_any_number_is_seen(name):
    before = stored(name)
    paths = list(leaves(before))
    for path in paths[:: len(paths) // 7]:
        now = copy.copy(before)
        changed(now, path)
        assert len(list(differences(before, now))) == 1, path


def leaves(value, path=()):
    """The path of every value that holds no others."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if parts is None:
        yield path
        return
    for key, part in parts:
        yield from leaves(part, (*path, key))


def changed(value, path):
    """Change one value within `value`, whose containers along the path are copied."""
    for key in path[:-1]:
        value[key] = copy.copy(value[key])
        value = value[key]
    old = value[path[-1]]
    if is_number(old) and math.isfinite(old):
        value[path[-1]] = old * (1 + 1e-8) if abs(old) > 1 else old + 1e-8
    elif isinstance(old, bool):
        value[path[-1]] = not old
    else:
        value[path[-1]] = 0.5 if old is None or is_number(old) else f"{old}!"


@pytest.mark.parametrize(
    ("before", "now", "count"),
    [
        ({"a": [1, math.nan, math.inf]}, {"a": [1.0, math.nan, math.inf]}, 0),
        ({"a": 1}, {"a": 1 + 1e-10}, 0),
        ({"a": 1}, {"a": True}, 1),
        ({"a": None}, {"a": math.nan}, 1),
        ({"a": math.inf}, {"a": -math.inf}, 1),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, 2),
        ([1, 2], [1, 2, 3], 1),
        ([], {}, 1),
    ],
)
def test_values_are_compared_as_numbers(before, now, count):
    assert len(list(differences(before, now))) == count


def test_few_of_many_differences_are_shown():
    with pytest.raises(AssertionError, match="30 differences:") as caught:
        require_same([0] * 30, [1] * 30)
    assert str(caught.value).split("assert not")[0].count("before") == MOST_SHOWN
