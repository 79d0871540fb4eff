"""Format numbers, text and the two units of TP and FP for people."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape

NEVER = "never"
UNDEFINED = "undefined"
# Of a gain whose interval contains 0.
WITHIN_CHANCE = "The interval contains 0: chance may explain the gain, and common thresholds may do as well."
# Prefix of an inverted score: "minus trust" holds -trust, as low values of trust are suspicious.
MINUS = "minus "
MAX_RULES_NAMED = 2
# Between a column of alert reasons and one of its words: "reason has R12" is 1 where the cell holds that word, else 0.
HAS = " has "
# Cents are hidden from here on.
_WHOLE_MONEY = 99.995
# Control characters, and those that turn or hide text.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MARKDOWN = r"\`*_[]<>|&#~$"


def as_html_table(title: str, cells: Mapping[str, object]) -> str:
    """Write names and values as a small table, for notebooks."""
    rows = (f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in cells.items())
    return f"<table><caption>{escape(title)}</caption>{''.join(rows)}</table>"


def as_markdown(text: str, *, also: str = "") -> str:
    """Escape text on one line: nothing is Markdown or HTML unless it starts the line.

    `also`: further characters with a meaning in the surrounding format.
    """
    return re.sub(f"([{re.escape(_MARKDOWN + also)}])", r"\\\1", " ".join(text.split()))


def visible(text: str) -> str:
    """Write control characters and those that turn or hide text as escapes, such as \\u202e."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def count(value: float) -> str:
    """Write a count with thousands separators; one decimal if it is fractional."""
    return f"{value:z,.{_count_digits(value)}f}"


def whole(value: float) -> str:
    """Write an estimated count, rounded to a whole number; `undefined` for NaN."""
    return UNDEFINED if math.isnan(value) else f"{value:z,.0f}"


def money(value: float) -> str:
    """Write an amount of money: whole from 100 on, at most two decimals below."""
    if math.isnan(value):
        return UNDEFINED
    # Sums of cents differ by the order of summation, which could change the rounding of half a unit.
    value = round(value, 6)
    return f"{value:z,.0f}" if abs(value) >= _WHOLE_MONEY else f"{value:z.2f}".removesuffix(".00")


def share(value: float | None, out_of: float) -> str:
    """Write a share in percent with the digits of its base; `undefined` for None and NaN."""
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{100 * value:.{share_digits(out_of)}f}\N{NO-BREAK SPACE}%"


def share_digits(out_of: float) -> int:
    """Return the decimals of a percentage that its base supports."""
    return 0 if out_of < 100 else 1 if out_of < 10_000 else 2


def percent(value: float) -> str:
    """Write an estimated share as a percentage with one decimal; `undefined` for NaN."""
    return UNDEFINED if math.isnan(value) else f"{100 * value:z.1f}\N{NO-BREAK SPACE}%"


def short_percent(value: float) -> str:
    """Write a share as a percentage with three significant digits."""
    return f"{100 * value:z.3g}\N{NO-BREAK SPACE}%"


def between(interval: tuple[float, float]) -> str:
    """Write a range of shares in whole percent; empty where it is undefined."""
    low, high = interval
    return "" if math.isnan(low) else f"{100 * low:z.0f}–{100 * high:z.0f}\N{NO-BREAK SPACE}%"


def rate(value: float) -> str:
    """Write a ratio of two counts; `undefined` for NaN."""
    return UNDEFINED if math.isnan(value) else f"{value:z.3g}"


def area(value: float) -> str:
    """Write a normalised area in [0, 1]; `undefined` for NaN."""
    return UNDEFINED if math.isnan(value) else f"{value:z.4f}"


def short_loss(value: float) -> str:
    """Write a loss in [0, 1] with four decimals; `undefined` for NaN."""
    return UNDEFINED if math.isnan(value) else f"{value:z.4f}"


def shortest(value: float) -> str:
    """Write a number with all its digits but no trailing zero: 40, not 40.0."""
    return repr(float(value)).removesuffix(".0")


def threshold(value: float | None) -> str:
    """Write a threshold with all its digits; None and infinity are `never`."""
    return NEVER if value is None or math.isinf(value) else shortest(value)


def score_name(name: str) -> str:
    """Return the column name of a score: an inverted one, "minus trust", is `trust`."""
    return name.removeprefix(MINUS)


def direction(name: str) -> float:
    """Return 1 for a score with suspicious high values, -1 for an inverted one ("minus trust")."""
    return -1.0 if name.startswith(MINUS) else 1.0


def score_value(name: str, value: float | None) -> float | None:
    """Return a threshold or value of a score on the scale of its column; None stays None."""
    return None if value is None else direction(name) * value


def score_threshold(name: str, value: float | None) -> str:
    """Write a threshold of a score on the scale of its column; None and infinity are `never`."""
    return threshold(score_value(name, value))


def score_range(name: str, low: float, high: float) -> str:
    """Write a range of thresholds of a score on the scale of its column, the smaller end first."""
    ends = (low, high) if direction(name) > 0 else (high, low)
    return " to ".join(score_threshold(name, end) for end in ends)


def comparison(name: str) -> str:
    """Return the comparison of a score with its threshold: ">=", or "<=" for an inverted one."""
    return "<=" if name.startswith(MINUS) else ">="


def score_side(name: str) -> str:
    """Name a score with its flagged side: "model A ≥", or "trust ≤" for an inverted one."""
    return f"{score_name(name)} {'≤' if name.startswith(MINUS) else '≥'}"


def reached(name: str, value: float | None, alert_rules: Sequence[str] = ()) -> str:
    """Write a threshold as "≥ 0.5", "≤ 432" if inverted, `never`; of a rule "on", "off"."""
    if name in alert_rules:
        return on_or_off(name, value)
    words = score_threshold(name, value)
    return words if words == NEVER else f"{'≤' if name.startswith(MINUS) else '≥'} {words}"


def on_or_off(name: str, value: float | None) -> str:
    """Write the threshold of an alert rule: 1 as "on", never as "off", others as numbers."""
    words = score_threshold(name, value)
    return {"1": "on", NEVER: "off"}.get(words, words)


def rules_named(names: Sequence[str]) -> list[str]:
    """Name alert rules, or count them where they are more than two."""
    counted = len(names) > MAX_RULES_NAMED
    return [plural(len(names), "rule")] if counted else [f"{shortened(name)} rule" for name in names]


def signed(value: float, words: str) -> str:
    """Write the words of a difference with its sign, plus or minus; nothing before zero."""
    return f"{'+' if value > 0 else ''}{words}".replace("-", "\N{MINUS SIGN}")


def points(change: float) -> str:
    """Write a difference of two shares in percentage points, with its sign; `undefined` for NaN."""
    return UNDEFINED if math.isnan(change) else signed(change, f"{100 * change:z.1f} points")


def shortened(text: object, limit: int = 40) -> str:
    """Write a name or a cell of a table on one line, cut after `limit` characters."""
    words = " ".join(str(text).split())
    return words if len(words) <= limit else f"{words[:limit]}…"


# Plurals of nouns, and singulars of verbs, that no rule gives.
_IRREGULAR = {"stratum": "strata", "are": "is", "were": "was", "have": "has"}


def several(words: str) -> str:
    """Write the plural of a noun, or the singular of a verb: "catches", "queries", "strata"."""
    *before, last = words.split(" ")
    regular = re.sub("(?<![aeiou])y$", "ie", re.sub("(s|x|z|ch|sh|o)$", r"\1e", last)) + "s"
    return " ".join([*before, _IRREGULAR.get(last, regular)])


def plural(value: float, noun: str, verb: str = "") -> str:
    """Write a count with its noun and an optional verb, given in the plural: "1 row is"."""
    number = count(value)
    is_one = number == "1"
    words = f"{number} {noun if is_one else several(noun)}"
    return f"{words} {several(verb) if is_one else verb}" if verb else words


def price(marginal_precision: float, positive: str = "positive") -> str:
    """Write a marginal precision as false alerts for each extra `positive`."""
    false_per_catch = (1 - marginal_precision) / marginal_precision
    number = f"{max(false_per_catch, 1 / false_per_catch):z.3g}"
    if false_per_catch >= 1 or number == "1":
        return f"{number} {'false alert' if number == '1' else 'false alerts'} for each extra {positive} caught"
    return f"1 false alert for every {number} extra {several(positive)} caught"


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Words of charts and reports for positives and rows; neutral by default.

    A `document` is one row of the rated data in the user's words. "alert" is excluded: alerts are flagged documents,
    TP + FP, and the same word for all rows would be ambiguous.
    """

    positives: str = "positives"
    true_positives: str = "true positives (TP)"
    rated_positive: str = "rated positive"
    positive: str = "positive"
    how_many_lie: str = "How many positives lie"
    document: str = "document"
    documents: str = "documents"

    @property
    def a_document(self) -> str:
        """Return the row noun with its article."""
        return f"{'an' if self.document[0] in 'aeiou' else 'a'} {self.document}"

    def in_words(self, text: str) -> str:
        """Fill {document}, {documents} and {a_document} in a text."""
        return text.format(document=self.document, documents=self.documents, a_document=self.a_document)

    def counted(self, unit: "Unit") -> str:
        """Name the unit of TP and FP."""
        return unit.value if unit is Unit.MONEY else self.documents


NEUTRAL = Vocabulary()
FRAUD = Vocabulary(
    positives="fraud",
    true_positives="fraud (TP)",
    rated_positive="rated positive (fraud)",
    positive="fraud",
    how_many_lie="How much fraud lies",
)


def _count_digits(value: float) -> int:
    return 0 if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)) else 1


class Unit(StrEnum):
    """Unit of TP and FP: documents, or the money in them; also a URL value and cache key.

    Examples
    --------
    >>> from multiloss_core import Unit
    >>> [unit.value for unit in Unit]
    ['documents', 'money']
    """

    DOCUMENTS = "documents"
    MONEY = "money"

    @property
    def other(self) -> "Unit":
        """Return money for documents, documents for money."""
        return Unit.DOCUMENTS if self is Unit.MONEY else Unit.MONEY

    @property
    def flagged(self) -> str:
        """Name flagged documents in this unit."""
        return "money" if self is Unit.MONEY else "alerts"

    @property
    def among_next(self) -> str:
        """Return the words for the next alerts below a threshold, with their preposition."""
        return "in the next money flagged" if self is Unit.MONEY else "among the next alerts"

    def number(self, value: float) -> str:
        """Write a count in this unit."""
        return money(value) if self is Unit.MONEY else count(value)

    def rounded(self, value: float) -> float:
        """Round a count to the digits that `number` writes."""
        if self is Unit.DOCUMENTS:
            return round(value, _count_digits(value))
        return round(round(value, 6), 0 if abs(value) >= _WHOLE_MONEY else 2)

    def estimate(self, value: float) -> str:
        """Write an estimated count in this unit."""
        return money(value) if self is Unit.MONEY else whole(value)

    def quantity(self, value: float) -> str:
        """Write a quantity of alerts with its noun."""
        return f"{money(value)} of money" if self is Unit.MONEY else plural(value, "alert")

    def precision(self, value: float, alerts: float) -> str:
        """Write a precision with the digits that its alerts support; one decimal for money."""
        return percent(value) if self is Unit.MONEY else share(value, alerts)
