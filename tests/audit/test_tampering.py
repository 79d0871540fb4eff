"""Changed audits and plans are named or refused, or the counts stay as they are."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError
from multiloss_core.audit import Audit, drawn_frame, plan_from_json, plan_json
from tests.audit.samples import population

pytestmark = pytest.mark.slow
SCORES = ["model A", "trust"]
WORDS = (
    *(("TRUE", "FALSE"), ("yes", "no"), ("Y", "N"), ("1", "0"), ("1.0", "0.0"), (True, False), (1, 0), (1.0, 0.0)),
    *(("Fraud", "Not fraud"), ("Betrug", "kein Betrug"), ("fraude", "pas de fraude"), ("fraude", "no fraude")),
    *(("ja", "nein"), ("oui", "non"), ("sí", "no"), ("FRAUD ", " ok")),
)


@pytest.fixture(scope="module")
def chosen():
    found = population()
    generator = np.random.default_rng(3)
    # More digits than a spreadsheet shows, in the same strata.
    noise = generator.uniform(0, 0.004, (2, len(found.labels)))
    frame = found.frame.assign(id=found.frame["id"] + 4_100_000_000_000_000)
    return found.plan, frame.assign(**{"model A": frame["model A"] + noise[0], "trust": frame["trust"] - noise[1]})


def remove_rows(rows, other, rng):
    return rows.drop(index=rng.choice(rows.index, int(rng.integers(1, 40)), replace=False))


def remove_positives(rows, other, rng):
    return rows[rows["rating"] != "fraud"]


def repeat_rows(rows, other, rng):
    again = rows.sample(int(rng.integers(1, 20)), random_state=int(rng.integers(99)))
    return pd.concat([rows, again.assign(rating="fraud")], ignore_index=True)


def repeat_in_place_of_others(rows, other, rng):
    count = int(rng.integers(1, 20))
    return pd.concat([rows.iloc[count:], rows.iloc[-count:].assign(rating="fraud")], ignore_index=True)


def exchange_rows(rows, other, rng):
    return pd.concat([rows.iloc[(count := int(rng.integers(1, 100))) :], other.iloc[:count]], ignore_index=True)


def exchange_documents(rows, other, rng):
    """Rate other documents of the same stratum, under the mark of the draw."""
    place = rng.integers(len(rows))
    alike = other[(other["audit_stratum"] == rows["audit_stratum"].iloc[place]) & ~other["id"].isin(rows["id"])]
    changed = rows.copy()
    changed.loc[place, ["id", *SCORES]] = alike[["id", *SCORES]].iloc[0]
    changed.loc[place, "rating"] = "fraud"
    return changed


def round_identifiers(rows, other, rng):
    return rows.assign(id=[f"{value:.{rng.integers(2, 15)}E}" for value in rows["id"]])


def round_scores(rows, other, rng):
    digits = int(rng.integers(1, 16))
    if rng.random() < 0.5:
        return rows.assign(**{name: [float(f"{value:.{digits}g}") for value in rows[name]] for name in SCORES})
    return rows.round(dict.fromkeys([*SCORES, "audit_probability"], digits))


def change_scores(rows, other, rng):
    changed = rows.copy()
    changed.loc[rng.integers(len(rows)), SCORES[0]] += rng.choice([-2.0, 2.0])
    return changed


def retype_answers(rows, other, rng):
    yes, no = WORDS[rng.integers(len(WORDS))]
    return rows.assign(rating=[yes if word == "fraud" else no for word in rows["rating"]])


def clear_answers(rows, other, rng):
    return rows.assign(rating=rows["rating"].where(rng.random(len(rows)) < 0.9))


def change_sizes(rows, other, rng):
    factor = int(rng.choice([2, 10]))
    changed = rows.assign(audit_size=rows["audit_size"] * factor)
    return changed.assign(audit_probability=rows["audit_probability"] / factor) if rng.random() < 0.5 else changed


ROWS = (
    *(remove_rows, remove_positives, repeat_rows, repeat_in_place_of_others, exchange_rows, exchange_documents),
    *(round_identifiers, round_scores, change_scores, retype_answers, clear_answers, change_sizes),
)


@pytest.mark.parametrize("change", ROWS)
def test_changed_rows_are_named_or_change_nothing(chosen, change):
    plan, frame = chosen
    rows, other = (drawn_frame(plan, frame, "id", seed=seed).reset_index(drop=True) for seed in (1, 2))
    before = Audit.from_frame(rows, plan, "rating", positive="fraud")
    rng, ends = np.random.default_rng(7), Counter()
    for _ in range(18):
        try:
            after = Audit.from_frame(change(rows, other, rng), plan, "rating", positive="fraud")
        except DataError:
            ends["refused"] += 1
            continue
        same = all((getattr(before, part) == getattr(after, part)).all() for part in ("sizes", "rated", "positives"))
        ends["unchanged" if same else "named" if len(after.notes) > len(before.notes) else "wrong"] += 1
    assert not ends["wrong"], ends
    if change in (round_scores, retype_answers):
        assert ends == {"unchanged": 18}


def numbers_of(content, path=()):
    """Find the paths of all numbers in a plan."""
    if isinstance(content, dict | list):
        pairs = content.items() if isinstance(content, dict) else enumerate(content)
        return [found for name, part in pairs for found in numbers_of(part, (*path, name))]
    return [path] if isinstance(content, int | float) else []


@pytest.mark.parametrize(
    "change",
    [float("nan"), float("inf"), -1, "40", True, lambda value: value * 10, lambda value: value + 1, lambda value: None],
    ids=["NaN", "inf", "-1", "text", "true", "ten times", "one more", "nothing"],
)
def test_changed_plans_are_refused_or_change_nothing(chosen, change):
    plan, frame = chosen
    rows = drawn_frame(plan, frame, "id")
    before = Audit.from_frame(rows, plan, "rating", positive="fraud")
    for path in numbers_of(json.loads(plan_json(plan))):
        content = part = json.loads(plan_json(plan))
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = change(part[path[-1]]) if callable(change) else change
        try:
            after = Audit.from_frame(rows, plan_from_json(json.dumps(content)), "rating", positive="fraud")
        except DataError:
            continue
        # Expectations and known counts, which may be any number, decide nothing when ratings are read.
        assert callable(change) or (change == -1 and path[-1] != "caught"), path
        assert before.positives.tolist() == after.positives.tolist()
        assert before.sizes.tolist() == after.sizes.tolist()


def test_doubled_names_and_other_draws_are_refused(chosen):
    plan, frame = chosen
    text = plan_json(plan)
    with pytest.raises(DataError, match="no plan of an audit"):
        plan_from_json(text.replace('"caught"', '"caught": 1, "caught"', 1))
    # A tool may write whole numbers without decimals.
    assert plan_from_json(json.dumps(json.loads(text, parse_float=float))).caught == plan.caught
    rows = drawn_frame(plan, frame, "id", seed=1)
    content = json.loads(text) | {"draw": drawn_frame(plan, frame, "id", seed=2)["audit_draw"].iloc[0]}
    with pytest.raises(DataError, match="another draw"):
        Audit.from_frame(rows, plan_from_json(json.dumps(content)), "rating", positive="fraud")


@pytest.mark.parametrize(
    ("name", "words", "is_asked"),
    [
        ("rating", ("true", "false"), False),
        ("is_fraud", ("yes", "no"), False),
        ("is_genuine", ("no", "yes"), False),
        ("reviewed", ("yes", "no"), True),
        ("status", ("TRUE", "FALSE"), True),
        ("rating", ("2", "1"), True),
        ("rating", ("A", "B"), True),
    ],
)
def test_answers_are_read_where_both_sides_are_clear(chosen, name, words, is_asked):
    plan, frame = chosen
    rows = drawn_frame(plan, frame, "id")
    given = rows.assign(**{name: np.where(rows["rating"] == "fraud", *words)})
    meanings = {"fraud": "positive", "ok": "negative"}
    if is_asked:
        with pytest.raises(DataError, match=f"'{name}' holds .* in row 1, .*--positive"):
            Audit.from_frame(given, plan, name, meanings=meanings)
        given = given.assign(**{name: given[name].str.lower()})
    found = Audit.from_frame(given, plan, name, **({"positive": words[0]} if is_asked else {"meanings": meanings}))
    assert found.positives.sum() == (rows["rating"] == "fraud").sum()


def test_rounded_identifiers_are_explained(chosen):
    plan, frame = chosen
    rows = drawn_frame(plan, frame, "id")
    rounded = rows.assign(id=[f"{value:.5E}" for value in rows["id"]])
    with pytest.raises(DataError, match="'id' was rounded by a spreadsheet"):
        Audit.from_frame(rounded, plan, "rating", key="id", positive="fraud")
    found = Audit.from_frame(rounded, plan, "rating", positive="fraud")
    assert any("rounded by a spreadsheet" in note for note in found.notes)
