"""Compare a guess at an export's columns with the truth."""

from dataclasses import dataclass, field

from multiloss_core.formatting import MINUS, score_name
from multiloss_core.tables import RECIPROCAL

RIGHT, ASKED, WRONG = "right", "asked", "silently wrong"
F, N, U = "positive", "negative", "undecided"


@dataclass
class Truth:
    """Hold the true role of each column; a set lists acceptable ones, None among them.

    `ratings` maps each acceptable column to the meanings of its values; None where the file alone does not show the
    meaning, so that a question is due. `maybe` may be taken for scores or not.
    """

    ratings: dict = field(default_factory=dict)
    scores: set = field(default_factory=set)
    maybe: set = field(default_factory=set)
    falling: set = field(default_factory=set)
    weight: set = field(default_factory=lambda: {None})
    inverse_weight: bool = False
    amount: set = field(default_factory=lambda: {None})
    time: set = field(default_factory=lambda: {None})
    segment: set = field(default_factory=lambda: {None})
    group: set = field(default_factory=lambda: {None})


def judged(guess, truth):
    """Each role as right, asked or silently wrong."""
    scores = {*map(score_name, guess.scores)}
    falling = {score_name(name) for name in guess.scores if name.startswith(MINUS)}
    weight, inverse = guess.weight and guess.weight.removeprefix(RECIPROCAL), str(guess.weight).startswith(RECIPROCAL)
    verdicts = {
        "rating": guess.rating in truth.ratings,
        "meanings": _meanings_are_right(guess, truth),
        "scores": truth.scores <= {*scores, *guess.more_scores} <= truth.scores | truth.maybe
        and len(guess.scores) == min(4, len(guess.scores) + len(guess.more_scores)),
        "falling": falling - truth.maybe == truth.falling or bool({"rating", "meanings"} & guess.unsure),
        "weight": weight in truth.weight and inverse == truth.inverse_weight,
        "amount": guess.amount in truth.amount,
        "time": guess.time in truth.time,
        "segment": guess.segment in truth.segment,
        "group": guess.group in truth.group,
    }
    asked = guess.unsure | ({"falling"} if "scores" in guess.unsure else set())
    return {role: ASKED if role in asked else RIGHT if right else WRONG for role, right in verdicts.items()}


def _meanings_are_right(guess, truth):
    if guess.rating not in truth.ratings:
        # Then the rating must be asked about, and with another column its values are asked anew.
        return "rating" in guess.unsure
    known = {str(value).strip().lower(): meaning for value, meaning in truth.ratings[guess.rating].items()}
    return all(meaning is not None and known[value] == meaning for value, meaning in guess.meanings)
