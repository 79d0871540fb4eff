"""Scenarios of costs: payoffs under a name, kept in the session to be compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import streamlit as st

from multiloss_core import DataError
from multiloss_core.decisions import RecordedTarget, Wish
from multiloss_core.thresholds import Payoffs

KEPT = "scenarios"
COSTS = "costs"
FIRST_CURRENCY = "EUR"
MAX_KEPT, MAX_NAME, MAX_CURRENCY = 20, 60, 12
NAME, CURRENCY = "wish_name", "wish_currency"
# Widgets of the numbers: what they ask for, and what they show first.
NUMBERS = {
    "wish_review": ("cost of a review", 5.0),
    "wish_catch": ("value of a catch", 25.0),
    "wish_annoyance": ("annoyance of a false alert", 0.0),
}
WIDGETS = (NAME, CURRENCY, *NUMBERS)
_IN_RECORD = re.compile(rf"{COSTS}, scenario '(.*)'", re.DOTALL)


@dataclass(frozen=True)
class Scenario:
    """Payoffs in a currency, under a name that may be empty until it is kept."""

    name: str
    payoffs: Payoffs
    currency: str


@dataclass
class Scenarios:
    """What was kept, by name; `before` is what it was before the last change, which `done` tells."""

    kept: dict[str, Scenario]
    before: dict[str, Scenario] | None = None
    done: str = ""

    def keep(self, scenario: Scenario) -> None:
        """Keep a scenario, in place of the one of the same name.

        Raises
        ------
        DataError : it has no name, or too many are kept.
        """
        if not scenario.name:
            raise DataError("The scenario has no name; enter one to keep it under.")
        if len(self.kept) >= MAX_KEPT and scenario.name not in self.kept:
            raise DataError(f"{MAX_KEPT} scenarios are kept already; remove one first.")
        verb = "Replaced" if scenario.name in self.kept else "Kept"
        self._change({**self.kept, scenario.name: scenario}, f"{verb} '{scenario.name}'.")

    def remove(self, name: str) -> None:
        """Forget a scenario; `undo` brings it back."""
        self._change({other: kept for other, kept in self.kept.items() if other != name}, f"Removed '{name}'.")

    def rename(self, old: str, new: str) -> None:
        """Give a scenario another name, at the same place.

        Raises
        ------
        DataError : an empty name, or that of another scenario.
        """
        if not new:
            raise DataError("The new name is empty; enter one.")
        if new in self.kept and new != old:
            raise DataError(f"There is another scenario '{new}'; choose another name.")
        renamed = [replace(kept, name=new) if name == old else kept for name, kept in self.kept.items()]
        self._change({kept.name: kept for kept in renamed}, f"Renamed '{old}' to '{new}'.")

    def undo(self) -> None:
        """Take the last change back."""
        if self.before is not None:
            self.kept, self.before, self.done = self.before, None, ""

    def _change(self, kept: dict[str, Scenario], done: str) -> None:
        self.before, self.kept, self.done = self.kept, kept, done


def scenarios() -> Scenarios:
    """Get this session's scenarios."""
    found: Scenarios = st.session_state.setdefault(KEPT, Scenarios({}))
    return found


def scenario_now() -> Scenario:
    """Read the scenario that the widgets show. Raises DataError where their numbers make no payoffs."""
    review, catch, annoyance = (float(st.session_state.get(key, first)) for key, (_, first) in NUMBERS.items())
    return Scenario(
        cleaned(st.session_state.get(NAME), MAX_NAME),
        Payoffs(review=review, catch=catch, annoyance=annoyance),
        cleaned(st.session_state.get(CURRENCY, FIRST_CURRENCY), MAX_CURRENCY),
    )


def cleaned(text: object, most: int) -> str:
    """Make a name on one line that every file can keep. It may come from anybody's link."""
    return "".join(filter(str.isprintable, str(text or ""))).strip()[:most].strip()


def drive_by(scenario: Scenario) -> None:
    """Have the widgets show a scenario; before they are drawn."""
    payoffs = scenario.payoffs
    for key, value in zip(NUMBERS, (payoffs.review, payoffs.catch, payoffs.annoyance), strict=True):
        st.session_state[key] = value
    st.session_state[NAME], st.session_state[CURRENCY] = scenario.name, scenario.currency


def recorded_driver(scenario: Scenario) -> tuple[str, tuple[Wish, ...]]:
    """Put a scenario in the words of a decision record: the driver with its name, and numbers in its currency."""
    driver = f"{COSTS}, scenario '{scenario.name}'" if scenario.name else COSTS
    currency = f" in {scenario.currency}" if scenario.currency else ""
    payoffs = scenario.payoffs
    values = (payoffs.review, payoffs.catch, payoffs.annoyance)
    return driver, tuple(
        Wish(f"{words}{currency}", value) for (words, _), value in zip(NUMBERS.values(), values, strict=True)
    )


def scenario_choices(target: RecordedTarget) -> dict[str, str] | None:
    """Find the widgets' values that show the scenario of a record, as in a URL; None where it has none."""
    named = _IN_RECORD.fullmatch(target.driver)
    if named is None and target.driver != COSTS:
        return None
    return dict(_choices(target, named[1] if named else ""))


def _choices(target: RecordedTarget, name: str) -> Iterator[tuple[str, str]]:
    if name:
        yield NAME, name
    for wish in target.wishes:
        for key, (words, _) in NUMBERS.items():
            if wish.name == words:
                yield key, repr(wish.value)
                yield CURRENCY, ""
            elif wish.name.startswith(f"{words} in "):
                yield key, repr(wish.value)
                yield CURRENCY, wish.name.removeprefix(f"{words} in ")
