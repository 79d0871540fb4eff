"""Scenarios of costs: payoffs under a name, read from one table, the URL and decision records."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from multiloss_core import DataError
from multiloss_core.decisions import RecordedTarget, Wish
from multiloss_core.numerics import written_number
from multiloss_core.thresholds import Payoffs
from ui.shared.session import Scenario
from ui.shared.url_params import UrlParameter

COSTS = "costs"
MAX_SCENARIOS, MAX_NAME, MAX_CURRENCY, MAX_AMOUNT = 20, 60, 12, 1e9
# The columns of the table, which the URL calls so too: what records say of the numbers, and what all show first.
NAME, REVIEW, RECOVERED, CATCH = "wish_name", "wish_review", "wish_recovered", "wish_catch"
ANNOYANCE, CURRENCY = "wish_annoyance", "wish_currency"
RECORDED = {REVIEW: "cost of a review", CATCH: "value of a catch", ANNOYANCE: "annoyance of a false alert"}
SHARE_RECOVERED = "recovered of the amount in percent"
FIRST: dict[str, Any] = {NAME: "", REVIEW: 5.0, RECOVERED: 0.0, CATCH: 25.0, ANNOYANCE: 0.0, CURRENCY: ""}
_IN_RECORD = re.compile(rf"{COSTS}, scenario '(.*)'", re.DOTALL)


def read_scenarios(
    table: pd.DataFrame, check: Callable[[Payoffs], object]
) -> tuple[dict[int, Scenario], dict[int, str]]:
    """Read the scenarios of a table, by the index of their row, and why the other rows hold none.

    `check` raises DataError for payoffs that lead to no point.
    """
    found: dict[int, Scenario] = {}
    refused: dict[int, str] = {}
    for row, cells in zip(table.index.tolist(), table.to_dict("records"), strict=True):
        try:
            scenario = _read(cells, {scenario.name for scenario in found.values()})
            check(scenario.payoffs)
            found[row] = scenario
        except DataError as error:
            refused[row] = str(error)
    return found, refused


def _read(cells: dict[Any, Any], taken: set[str]) -> Scenario:
    name = cleaned(cells[NAME])
    if len(name) > MAX_NAME:
        raise DataError(f"The name of a scenario has at most {MAX_NAME} characters; shorten it.")
    if name in taken:
        named = f"There is another scenario '{name}'" if name else "There is another scenario without a name"
        raise DataError(f"{named}; choose another name.")
    if len(taken) >= MAX_SCENARIOS:
        raise DataError(f"At most {MAX_SCENARIOS} scenarios are compared; remove one.")
    recovered = cells.get(RECOVERED)
    payoffs = Payoffs(
        review=cells[REVIEW],
        catch=cells[CATCH],
        annoyance=cells[ANNOYANCE],
        # Blank, where rows were added without amounts.
        recovered=0.0 if pd.isna(recovered) else recovered / 100,
    )
    return Scenario(name, payoffs, cleaned(cells[CURRENCY])[:MAX_CURRENCY])


def cleaned(text: object) -> str:
    """Put text that may come from anybody's link on one line that every file can keep; "" for no text."""
    return "".join(filter(str.isprintable, text)).strip() if isinstance(text, str) else ""


def asked_in_url() -> dict[str, Any] | None:
    """Read the row that a link, or a step back in the browser, asks for; None where the URL says nothing new."""
    asked = [parameter.asked(if_gone=FIRST[parameter.name]) for parameter in IN_URL]
    if all(value is None for value in asked):
        return None
    shown = {parameter.name: parameter.shown() for parameter in IN_URL}
    return {column: FIRST[column] if value is None else value for column, value in shown.items()}


def share_scenario(scenario: Scenario | None) -> None:
    """Have the URL say what drives, where that is not what all show first; None takes it out."""
    cells = FIRST if scenario is None else _cells(scenario)
    for parameter in IN_URL:
        value = cells[parameter.name]
        parameter.show(None if value == FIRST[parameter.name] else value)


def _cells(scenario: Scenario) -> dict[str, Any]:
    payoffs = scenario.payoffs
    recovered = round(100 * payoffs.recovered, 10)
    values = (scenario.name, payoffs.review, recovered, payoffs.catch, payoffs.annoyance, scenario.currency)
    return dict(zip(FIRST, values, strict=True))


def _amount(text: str) -> float | None:
    try:
        amount = written_number(text)
    except ValueError:
        return None
    return amount if 0 <= amount <= MAX_AMOUNT else None


IN_URL: tuple[UrlParameter[Any], ...] = (
    UrlParameter(NAME, lambda text: cleaned(text)[:MAX_NAME].strip(), str),
    *(UrlParameter(column, _amount, repr) for column in (REVIEW, RECOVERED, CATCH, ANNOYANCE)),
    UrlParameter(CURRENCY, lambda text: cleaned(text)[:MAX_CURRENCY].strip(), str),
)


def recorded_driver(scenario: Scenario) -> tuple[str, tuple[Wish, ...]]:
    """Put a scenario in the words of a decision record: the driver with its name, and numbers in its currency."""
    driver = f"{COSTS}, scenario '{scenario.name}'" if scenario.name else COSTS
    currency = f" in {scenario.currency}" if scenario.currency else ""
    cells = _cells(scenario)
    wishes = tuple(Wish(f"{words}{currency}", cells[column]) for column, words in RECORDED.items())
    return driver, (*wishes, Wish(SHARE_RECOVERED, cells[RECOVERED])) if cells[RECOVERED] else wishes


def scenario_choices(target: RecordedTarget) -> dict[str, str] | None:
    """Write the scenario of a record as a URL holds it; None where it has no scenario."""
    named = _IN_RECORD.fullmatch(target.driver)
    if named is None and target.driver != COSTS:
        return None
    return dict(_choices(target, named[1] if named else ""))


def _choices(target: RecordedTarget, name: str) -> Iterator[tuple[str, str]]:
    if name:
        yield NAME, name
    for wish in target.wishes:
        if wish.name == SHARE_RECOVERED:
            yield RECOVERED, repr(wish.value)
        for key, words in RECORDED.items():
            if wish.name == words:
                yield key, repr(wish.value)
                yield CURRENCY, ""
            elif wish.name.startswith(f"{words} in "):
                yield key, repr(wish.value)
                yield CURRENCY, wish.name.removeprefix(f"{words} in ")
