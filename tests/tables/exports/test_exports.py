"""Test that every column of realistic exports is guessed right or asked about."""

from collections import Counter

import pytest

from multiloss_core import read_table
from multiloss_core.tables import guess_columns
from tests.tables.exports.files import DIALECTS, written
from tests.tables.exports.making import export
from tests.tables.exports.styles import STYLES
from tests.tables.exports.truth import ASKED, RIGHT, WRONG, judged

EXPORTS = 5 * len(STYLES)


@pytest.fixture(scope="module")
def results():
    found = {}
    for seed in range(EXPORTS):
        made = export(seed)
        dialect = list(DIALECTS)[seed // 3 % len(DIALECTS)]
        guess = guess_columns(read_table(written(made.frame, DIALECTS[dialect]), "export"))
        found[f"{made.name}, {dialect}"] = judged(guess, made.truth), guess.unsure, guess.reasons
    return found


def test_nothing_is_silently_wrong(results):
    wrong = {
        name: [role for role, verdict in verdicts.items() if verdict == WRONG]
        for name, (verdicts, _, _) in results.items()
    }
    assert {name: roles for name, roles in wrong.items() if roles} == {}


def test_most_exports_need_one_click_at_most(results):
    counts = Counter(min(len(unsure), 2) for _, unsure, _ in results.values())
    assert len(results) == EXPORTS >= 140
    assert counts[0] + counts[1] >= 0.8 * EXPORTS, counts
    # Nor is everything asked about, which would be right as well.
    assert counts[0] >= 0.5 * EXPORTS, counts
    verdicts = Counter(verdict for judged_roles, _, _ in results.values() for verdict in judged_roles.values())
    assert verdicts[RIGHT] > 10 * verdicts[ASKED]


def test_every_question_has_a_reason(results):
    for name, (_, unsure, reasons) in results.items():
        assert {role for role in unsure if not reasons.get(role)} == set(), name
