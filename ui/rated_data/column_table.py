"""Ask for the use of each column of a rated table, in one row for each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core.datasets import RatedSource
from multiloss_core.formatting import HAS, MINUS, plural, shortened
from multiloss_core.tables import (
    MAX_ALERT_RULES,
    RECIPROCAL,
    ColumnMeanings,
    DecimalSign,
    Keep,
    Meaning,
    RepeatedRows,
    base_of,
    find_falling,
    possible_alert_rules,
)
from ui.data.rated import needs_answers, rated_uploads
from ui.rated_data.rating_meanings import ask_meanings
from ui.shared.choices import choose, choose_first, chosen
from ui.shared.formatting import as_label, as_text, vocabulary
from ui.shared.widgets import MAX_COLUMNS

MAX_SCORES, EXAMPLES = 4, 3
UNUSED = "unused"
USES = (
    {"rating": "rating", "score": "score", "falling": "score, low is suspicious", "alert_rule": "alert rule"}
    | {use: use for use in ("amount", "time", "group", "segment", "weight")}
    | {"rate": "weight, 1 / value", "identifier": "identifier", UNUSED: "not used"}
)
HINTS = """
- **rating**: what the {document} turned out to be.
- **score**: of one classifier. Of some scores the low values are suspicious.
- **alert rule**: raises {documents} whatever their scores: 0 and 1, or words of reasons.
- **amount**, **time**: money, 0 or more, and when the {document} came. Thresholds can be chosen by money as well.
- **group**: rows that belong together, such as {documents} of one customer. Held-out numbers respect it.
- **segment**: few words to look at {documents} by: country, channel, product.
- **weight**: how many {documents} a row stands for, if only a sample was rated.
- **identifier**: names a {document} that stands in several rows.
"""
# Uses of one kind take no room from each other.
KINDS = {"falling": "score", "rate": "weight"}
ROLES = {"score": "scores", "alert_rule": "alert_rules", "identifier": "repeats"}
SINGLE = ("rating", "amount", "time", "group", "segment", "weight", "identifier")
MAX_OF_KIND = {"score": (MAX_SCORES, "scores"), "alert_rule": (MAX_ALERT_RULES, "alert rules")}


def key_of(source: RatedSource, name: str) -> str:
    """Name the widget of a table that asks for `name`."""
    return f"{name}_{source.fingerprint[:12]}"


def use_as(source: RatedSource, kind: str, name: str) -> None:
    """Use a column as a score, or as the alert rule of this name; call this in a callback."""
    column = str(base_of(source.frame, name))
    choose(key_of(source, f"used_as_{column}"), kind)
    if kind == "score":
        choose(key_of(source, "new_score"), column)
    elif name != column:
        choose(key_of(source, f"words_{column}"), [*chosen(key_of(source, f"words_{column}"), ()), name])


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnTable:
    """Hold the use of each column: as guessed, `before` by the known choice, `now` by the menus.

    `doubts`: the roles to ask about a column.
    """

    source: RatedSource
    known: ColumnMeanings
    guessed: Mapping[str, str]
    before: Mapping[str, str]
    now: dict[str, str]
    doubts: Mapping[str, set[str]]

    @classmethod
    def of(cls, source: RatedSource, known: ColumnMeanings) -> "ColumnTable":
        """Read the menus, which are drawn later."""
        guessed, before = (_uses(source.frame, choice) for choice in (source.guess or source.first_choice, known))
        names = [name for place, name in enumerate(map(str, source.frame)) if place < MAX_COLUMNS or name in before]
        now = {name: chosen(key_of(source, f"used_as_{name}"), before.get(name, UNUSED)) for name in names}
        return cls(source=source, known=known, guessed=guessed, before=before, now=now, doubts=_doubts(source, guessed))

    def ask(self) -> ColumnMeanings:
        """Draw the rows, uncertain columns first and unused ones in an expander."""
        st.markdown("#### Columns", help=vocabulary().in_words(HINTS))
        if complaint := chosen(key_of(self.source, "full")):
            st.error(complaint, icon=":material/error:")
            choose(key_of(self.source, "full"), None)
        offered = {*self.guessed, *self.doubts, *(self.source.guess.more_scores if self.source.guess else ())}
        shown = [name for name, use in self.now.items() if use != UNUSED or name in offered]
        order = list(USES)
        shown.sort(key=lambda name: (name not in self.doubts, order.index(self.guessed.get(name) or self.now[name])))
        places = [st.container(key=f"column_row_{place}") for place in range(len(shown))]
        examples = _examples(self.source.fingerprint, tuple(shown), self.source.frame)
        rows = dict(zip(shown, zip(places, examples, strict=True), strict=True))
        rating = self._holder("rating")
        meanings: tuple[tuple[str, Meaning | None], ...] = ()
        if rating is not None:
            # First, as the direction of scores follows from it.
            place, cells = rows.pop(rating)
            with place:
                self._draw(rating, cells)
                of_known = dict(self.known.meanings) if rating == self.known.rating else {}
                meanings = ask_meanings(self.source, rating, of_known)
        scores = tuple(self._used_as("score"))
        falling, surely = _falling(self.source.fingerprint, scores, rating, meanings, self.source.frame)
        if (new := chosen(key_of(self.source, "new_score"))) in surely:
            choose(key_of(self.source, f"used_as_{new}"), "falling")
            self.now[new] = "falling"
        choose(key_of(self.source, "new_score"), None)
        rules: list[str] = []
        signs: dict[str, DecimalSign | None] = {}
        repeats = None
        for name, (place, cells) in rows.items():
            with place:
                self._draw(name, cells, falls=name in falling)
                if self.now[name] == "alert_rule":
                    rules += self._ask_rules(name)
                if name in self.source.ambiguous and self.now[name] in ("score", "falling", "weight", "rate", "amount"):
                    signs[name] = self._ask_decimal_sign(name)
                if name == self._holder("identifier"):
                    repeats = self._ask_repeats(name)
        if len(rules) > MAX_ALERT_RULES:
            st.error(f"At most {MAX_ALERT_RULES} alert rules are used: the first ones. Remove some words.")
        self._show_others([name for name in self.now if name not in shown])
        return self._choice(
            rating=rating,
            meanings=meanings,
            alert_rules=tuple(sorted(rules, key=[*self.known.alert_rules, *rules].index)[:MAX_ALERT_RULES]),
            decimal_signs=tuple((name, signs[name]) for name in self.source.ambiguous if name in signs),
            repeats=repeats,
        )

    def _choice(self, **more: Any) -> ColumnMeanings:
        scores = {name: f"{MINUS}{name}" if self.now[name] == "falling" else name for name in self._used_as("score")}
        order = [*(base_of(self.source.frame, score) for score in self.known.scores), *scores]
        found: dict[str, Any] = {kind: self._holder(kind) for kind in ("amount", "time", "group", "segment", "weight")}
        if found["weight"] is not None and self.now[found["weight"]] == "rate":
            found["weight"] = f"{RECIPROCAL}{found['weight']}"
        chosen_scores = tuple(scores[name] for name in sorted(scores, key=order.index))
        return ColumnMeanings(
            scores=chosen_scores,
            combined=self.known.combined if chosen_scores == self.known.scores else None,
            floor_method=self.known.floor_method,
            since=self.known.since if found["time"] == self.known.time else None,
            age_weights=self.known.age_weights,
            **found,
            **more,
        )

    def _used_as(self, kind: str) -> list[str]:
        return [name for name, use in self.now.items() if KINDS.get(use, use) == kind]

    def _holder(self, kind: str) -> str | None:
        """Return the column of a use that only one can have."""
        if held := self._used_as(kind):
            return held[0]
        # A stored choice may give two uses to one column, of which the menu shows one.
        stored = _named(self.known).get(kind)
        column = stored and base_of(self.source.frame, stored)
        return column if column and self.now.get(column) == self.before.get(column) not in (None, kind) else None

    def _draw(self, name: str, examples: str, *, falls: bool = False) -> None:
        """Draw the name, example cells, the menu and the reason of one column."""
        key = key_of(self.source, f"used_as_{name}")
        choose_first(key, self.now[name])
        left, middle, right = st.columns([4, 4, 5], vertical_alignment="center", gap="small")
        left.markdown(f"**{as_text(shortened(name))}**  \n:small[:gray[{as_text(examples)}]]")
        middle.selectbox(
            f"Use of {as_label(shortened(name))}",
            list(USES),
            format_func=lambda use: USES.get(use, use),
            key=key,
            persist_state="session",
            label_visibility="collapsed",
            on_change=_change_use,
            # Names alone, as a callback that held the table would keep its memory when the table goes.
            args=(self.source.name, name, self.now),
        )
        if reason := self._reason(name, falls=falls):
            right.markdown(f":small[{reason}]")

    def _reason(self, name: str, *, falls: bool) -> str:
        """Return why a column has its use, or why to check it."""
        guess, use, doubts = self.source.guess, self.now[name], self.doubts.get(name, ())
        notes = ["rated fraud has rather low values: the low ones may be suspicious"] * (use == "score" and falls)
        notes += [f"also {USES[kind]}" for kind in SINGLE if self._holder(kind) == name and KINDS.get(use, use) != kind]
        badge = ""
        if guess is not None and use == self.guessed.get(name, UNUSED):
            if doubts and needs_answers(self.source):
                badge = ":orange-badge[please check] "
                notes += [guess.reasons.get(role, "") for role in sorted(doubts)]
            elif name in guess.more_scores:
                notes.append(f"looks like a score as well; {len(guess.scores)} are used")
            elif use == UNUSED:
                notes.append(guess.unused.get(name, ""))
            elif not guess.unsure & {_role(use)}:
                notes.append(guess.reasons.get(_role(use), ""))
        return badge + as_text("; ".join(filter(None, notes)))

    def _ask_rules(self, name: str) -> list[str]:
        """Return the rules of a column: itself, or those of its words that are chosen."""
        key = key_of(self.source, f"words_{name}")
        known = [rule for rule in self.known.alert_rules if base_of(self.source.frame, rule) == name]
        possible = _possible_rules(self.source.fingerprint, name, self.source.frame)
        offered = [*dict.fromkeys([*known, *possible, *chosen(key, ())])]
        if offered in ([], [name]):
            return [name]
        choose_first(key, known)
        return st.multiselect(
            f"Words of {as_label(shortened(name))} that are rules",
            offered,
            format_func=lambda rule: rule.removeprefix(f"{name}{HAS}"),
            key=key,
            persist_state="session",
            max_selections=MAX_ALERT_RULES,
            placeholder="Choose at least one word",
        )

    def _ask_repeats(self, identifier: str) -> RepeatedRows:
        """Ask which rows count of an alert in several rows."""
        known = self.known.repeats or RepeatedRows(identifier=identifier, keep="last", by=self._holder("time"))
        by = f" by {as_label(shortened(known.by))}" if known.by else " in the file"
        words: dict[Keep, str] = {"last": f"the last{by}", "first": f"the first{by}", "all": "all rows"}
        keep = st.segmented_control(
            f"Of rows with the same {as_label(shortened(identifier))}, use",
            get_args(Keep),
            default=known.keep,
            required=True,
            format_func=lambda keep: words.get(keep, keep),
            key=key_of(self.source, "repeats"),
            persist_state="session",
        )
        return RepeatedRows(identifier=identifier, keep=keep, by=known.by)

    def _ask_decimal_sign(self, name: str) -> DecimalSign | None:
        """Ask how numbers such as 1,234 are meant, which alone can be read in two ways."""
        cells = self.source.frame[name].dropna().astype(str)
        example = next((cell for cell in cells if re.search(r"\d[.,]\d", cell)), "1,234")
        sign: DecimalSign = "," if "," in example else "."
        other: DecimalSign = "." if sign == "," else ","
        meant: dict[DecimalSign, str] = {other: example.replace(sign, ""), sign: example.replace(",", ".")}
        return st.segmented_control(
            f"In {as_label(name)}, {as_label(shortened(example))} is",
            list(meant),
            default=dict(self.known.decimal_signs).get(name),
            format_func=lambda decimal: meant.get(decimal, decimal),
            key=key_of(self.source, f"decimal_{name}"),
            persist_state="session",
        )

    def _show_others(self, names: list[str]) -> None:
        """Draw the rows of unused columns while their expander is open."""
        if not names:
            return
        key = key_of(self.source, "other_columns")
        # Without a rating or a score, one of them must be chosen.
        choose_first(key, not (self._used_as("rating") and self._used_as("score")))
        others = st.expander(f"{plural(len(names), 'other column')}, not used", key=key, on_change="rerun")
        if others.open:
            examples = _examples(self.source.fingerprint, tuple(names), self.source.frame)
            for place, (name, cells) in enumerate(zip(names, examples, strict=True)):
                with others.container(key=f"column_row_other_{place}"):
                    self._draw(name, cells)


def _named(choice: ColumnMeanings) -> dict[str, str | None]:
    """Return the column of each use that only one can have."""
    identifier = None if choice.repeats is None else choice.repeats.identifier
    return {"identifier": identifier, **{kind: getattr(choice, kind) for kind in SINGLE if kind != "identifier"}}


def _uses(frame: pd.DataFrame, choice: ColumnMeanings) -> dict[str, str]:
    """Return the uses of columns; scores and rules come before other uses of a column."""
    derived = {"score": "falling", "weight": "rate"}
    named = [*_named(choice).items()]
    named += [*(("alert_rule", rule) for rule in choice.alert_rules), *(("score", score) for score in choice.scores)]
    uses = {}
    for use, name in named:
        if name is not None and (column := base_of(frame, name)) is not None:
            uses[column] = use if column == name else derived.get(use, use)
    return uses


def _doubts(source: RatedSource, guessed: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the uncertain roles of each column that has them or that their reason names."""
    found: dict[str, set[str]] = {name: {"decimal_signs"} for name, _ in source.first_choice.decimal_signs}
    unsure, reasons = (source.guess.unsure, source.guess.reasons) if source.guess else ((), {})
    for role in unsure:
        reason = reasons.get(role, "")
        named = [name for name in map(str, source.frame) if f"'{shortened(name)}'" in reason]
        have = [name for name, use in guessed.items() if _role(use) == ("rating" if role == "meanings" else role)]
        # A column that may be a score as well is no doubt about the others.
        is_of_others = role == "scores" and named and not set(named) & set(have)
        for name in named if is_of_others else [*named, *have]:
            found.setdefault(name, set()).add(role)
    return found


def _role(use: str) -> str:
    return ROLES.get(KINDS.get(use, use), KINDS.get(use, use))


def _change_use(data: str, name: str, before: Mapping[str, str]) -> None:
    """Take a use from the column that had it, or refuse one too many."""
    source = rated_uploads().source(data)
    key, use = key_of(source, f"used_as_{name}"), chosen(key_of(source, f"used_as_{name}"))
    kind = KINDS.get(use, use)
    others = [other for other, use in before.items() if other != name and KINDS.get(use, use) == kind]
    most, noun = MAX_OF_KIND.get(kind, (len(before), ""))
    if len(others) >= most:
        choose(key, before[name])
        choose(key_of(source, "full"), f"At most {most} {noun} can be used; set another column to *not used* first.")
    elif kind in SINGLE:
        for other in others:
            choose(key_of(source, f"used_as_{other}"), UNUSED)
    elif use == "score" and before[name] != "falling":
        choose(key_of(source, "new_score"), name)


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _falling(
    fingerprint: str,
    scores: tuple[str, ...],
    rating: str | None,
    meanings: tuple[tuple[str, Meaning | None], ...],
    _frame: pd.DataFrame,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find scores that fall with fraud, and those that certainly do, once ratings are known."""
    has_both = {"positive", "negative"} <= {meaning for _, meaning in meanings}
    if rating is None or not scores or not has_both:
        return (), ()
    given = (_frame, scores, rating, dict(meanings))
    return find_falling(*given), find_falling(*given, surely=True)


@st.cache_data(scope="session", max_entries=40, show_spinner=False)
def _possible_rules(fingerprint: str, name: str, _frame: pd.DataFrame) -> tuple[str, ...]:
    return possible_alert_rules(_frame[[name]])


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _examples(fingerprint: str, names: tuple[str, ...], _frame: pd.DataFrame) -> list[str]:
    """Write a few different cells of each column."""
    found = (_frame[name].dropna().head(1_000).drop_duplicates().head(EXAMPLES) for name in names)
    return [
        shortened(" · ".join(f"{cell:.6g}" if isinstance(cell, float | np.floating) else str(cell) for cell in cells))
        for cells in found
    ]
