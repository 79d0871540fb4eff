"""Check the grammar of sentences with counts, by rule and with 0, 1 and 2 of each number."""

import ast
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from multiloss_core import formatting
from multiloss_core.decisions.reporting.first_page import alerts_a_day_words, headline_of
from multiloss_core.figures.theme import percent_axis
from multiloss_core.formatting import FRAUD, NEUTRAL, Unit, plural, price, rules_named, several
from multiloss_core.thresholds.data.counts import Counts
from ui.records import thresholds_words

ROOT = Path(__file__).resolve().parents[1]
# A verb, or the second word of a pair, may follow a number.
NO_NOUNS = {"as", "has", "is", "was", "lies", "draws", "losses", "less", "across", "others", "stays", "costs"}
ONE_OF_SEVERAL = re.compile(
    r"(?<![\d.,–-])1(?:\*\*)? (?:more |fewer |other |false |rated |undecided |extra )*([a-z]+s)\b"
)
NONE_OF_ONE = re.compile(
    r"(?<![\d.,–-])0(?:\*\*)? (?:more |fewer |other |false |rated |undecided )*(alert|fraud|rule|row|day)\b"
)


def faults(text):
    return [
        *[found[0] for found in ONE_OF_SEVERAL.finditer(text) if found[1] not in NO_NOUNS],
        *[found[0] for found in NONE_OF_ONE.finditer(text)],
        *re.findall(r"\b(?:catchs|stratums|batchs|strata strata|\w+ss's)\b", text),
    ]


@pytest.mark.parametrize(
    ("one", "more"),
    [
        ("false alert", "false alerts"),
        ("catch", "catches"),
        ("stratum", "strata"),
        ("query", "queries"),
        ("day", "days"),
        ("batch", "batches"),
        ("box", "boxes"),
        ("class", "classes"),
    ],
)
def test_nouns_have_their_plural(one, more):
    assert several(one) == more
    assert [plural(number, one) for number in (0, 1, 2)] == [f"0 {more}", f"1 {one}", f"2 {more}"]
    # What is written as 1 is one.
    assert plural(1 + 1e-12, one) == f"1 {one}"


@pytest.mark.parametrize(
    ("verb", "of_one"), [("are", "is"), ("have", "has"), ("catch", "catches"), ("carry", "carries"), ("hold", "holds")]
)
def test_verbs_agree_with_their_count(verb, of_one):
    assert [plural(number, "row", verb) for number in (0, 1, 2)] == [
        f"0 rows {verb}",
        f"1 row {of_one}",
        f"2 rows {verb}",
    ]


@pytest.mark.parametrize("vocabulary", [NEUTRAL, FRAUD, replace(FRAUD, document="query", documents="queries")])
@pytest.mark.parametrize("unit", list(Unit))
def test_headlines_agree_with_their_counts(vocabulary, unit):
    names, rules = ("model", "R1", "R2", "R3"), ("R1", "R2", "R3")
    for tp, fp, state in product((-2, -1, 0, 1, 2), (-2, -1, 0, 1, 2), (None, 1.0)):
        for before in (None, (0.4, 1.0, 1.0, state)):
            if before is None and min(tp, fp) < 0:
                continue
            text = headline_of(
                names,
                before,
                (0.5, state, state, state),
                Counts(float(tp), float(fp)),
                1.0,
                unit=unit,
                vocabulary=vocabulary,
                alert_rules=rules,
            )
            assert faults(text) == [], text


def test_prices_and_means_agree_with_their_numbers():
    for share in (0.5, 0.50001, 0.49999, 1 / 3, 2 / 3, 0.001, 0.999):
        for positive in ("positive", "fraud"):
            assert faults(price(share, positive)) == []
    for alerts in (0.0, 0.04, 0.96, 1.0, 1.04, 2.0, 1_000.4):
        assert faults(alerts_a_day_words(alerts)) == []


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("value", [1.0, None])
def test_rules_are_on_or_off_and_counted_where_many(number, value):
    rules = tuple(f"R{i}" for i in range(number))
    words = thresholds_words(("model", *rules), (0.5, *[value] * number), rules)
    state = "off" if value is None else "on"
    assert words.startswith("model ≥ 0.5")
    assert "≥ 1" not in words
    assert "never" not in words
    assert words.count(state) == (number if number <= 2 else 1)
    assert (f"{number} rules {state}" in words) == (number > 2)
    assert len(rules_named(rules)) == (number if 0 < number <= 2 else number > 2)


# Functions that write a number; the words after it must come from `plural`.
WRITERS = {"count", "number", "whole", "estimate", "len", "int", "round"}
NOUN = re.compile(r"^\*{0,2} (?:more |other |rated |false |missed )*([a-z]+s)\b")
# Numbers that are never 0 or 1: limits and totals.
SEVERAL = {
    "classes",
    "data",
    "directed",
    "drawn",
    "draws",
    "found",
    "frame",
    "largest",
    "n",
    "path",
    "predictions",
    "rows",
    "scores",
    "search",
    "size",
    "sizes",
    "source",
    "state",
    "values",
    "weeks",
    "words",
}


def sentences(folder):
    for file in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield file.relative_to(ROOT).as_posix(), node


def counted_nouns(node):
    for value, after in zip(node.values, node.values[1:], strict=False):
        if not (isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant)):
            continue
        written = value.value
        names = {part.id for part in ast.walk(written) if isinstance(part, ast.Name)}
        is_count = isinstance(written, ast.Call) and isinstance(written.func, ast.Name) and written.func.id in WRITERS
        if not is_count or any(name.isupper() for name in names) or names & SEVERAL:
            continue
        noun = NOUN.match(str(after.value))
        if noun and noun[1] not in NO_NOUNS:
            yield f"{ast.unparse(written)} {noun[1]}"


@pytest.mark.parametrize("folder", ["ui", "multiloss_core/decisions", "multiloss_core/command_line"])
def test_counts_take_their_nouns_from_plural(folder):
    found = [(file, words) for file, node in sentences(folder) for words in counted_nouns(node)]
    assert found == []


@pytest.mark.parametrize("value", [-0.0, -1e-9])
def test_zero_has_no_sign(value):
    words = [write(value) for write in (formatting.count, formatting.percent, formatting.points, formatting.money)]
    words += [formatting.short_percent(-0.0), *percent_axis()["ticktext"]]
    assert [text for text in words if text.startswith(("-", "\N{MINUS SIGN}"))] == []
