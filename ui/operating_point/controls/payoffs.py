"""What an alert costs and brings: the payoff matrix, and scenarios of it kept beside each other."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import DataError, operating_point
from multiloss_core.formatting import count, share, short_percent, threshold
from multiloss_core.thresholds import Payoffs, Point
from ui.operating_point.analysis import Analysis
from ui.operating_point.payoff_scenarios import (
    CURRENCY,
    FIRST_CURRENCY,
    MAX_CURRENCY,
    MAX_NAME,
    NAME,
    NUMBERS,
    Scenario,
    cleaned,
    drive_by,
    scenario_now,
    scenarios,
)
from ui.operating_point.target import DIGITS
from ui.shared.formatting import as_text

MOST = 1e9
PICKED, RENAMED, COMPLAINT = "scenario_picked", "scenario_renamed", "scenario_complaint"
LABELS = {
    "wish_review": ("One review costs", "Of every alert, fraud or not."),
    "wish_catch": ("One catch is worth", "What is saved when a fraud is caught, before its review is paid."),
    "wish_annoyance": (
        "Annoyance",
        "What a false alert costs beyond its review: a good customer was stopped. 0 where nobody notices.",
    ),
}


def ask_payoffs() -> Payoffs:
    """Read the numbers of the payoff matrix. Raises DataError where they make none."""
    boxes = [*st.columns(2), *st.columns(2)]
    for box, (key, (_, first)) in zip(boxes, NUMBERS.items(), strict=False):
        label, hint = LABELS[key]
        box.number_input(label, 0.0, MOST, first, key=key, bind="query-params", help=hint)
    boxes[-1].text_input(
        "Currency",
        FIRST_CURRENCY,
        key=CURRENCY,
        bind="query-params",
        max_chars=MAX_CURRENCY,
        help="Only a word or sign beside the numbers.",
    )
    return scenario_now().payoffs


def show_scenarios(analysis: Analysis, method: str, point: Point) -> None:
    """Show the payoff matrix with what the point brings, and the kept scenarios side by side."""
    # Drawn while closed, too: the name belongs to the link.
    with st.expander("Payoffs and scenarios", icon=":material/payments:", key="scenarios_box"):
        left, right = st.columns(2, gap="large")
        with right:
            _ask_to_keep()
        try:
            now = scenario_now()
        except DataError:
            # Said where the numbers are.
            now = None
        if now is not None:
            with left:
                _show_matrix(now, point)
        _ask_about_kept(right)
        _show_comparison(analysis, method, point, now)


def _show_matrix(now: Scenario, point: Point) -> None:
    payoffs = now.payoffs
    st.dataframe(
        pd.DataFrame(
            {
                "": ["Fraud", "No fraud"],
                "Flagged": [_money(payoffs.of_catch, now), _money(-payoffs.of_false_alert, now)],
                "Not flagged": ["0", "0"],
            }
        ),
        hide_index=True,
        alt="What a document brings that is flagged or not, fraud or not.",
    )
    total = payoffs.total(point.tp, point.fp)
    st.markdown(
        f"**This point brings {as_text(_money(total, now))}:** {count(point.tp)} caught at "
        f"{as_text(_money(payoffs.of_catch, now))} each, {count(point.fp)} false alerts at "
        f"{as_text(_money(-payoffs.of_false_alert, now))} each."
    )
    st.caption(
        "Counted against flagging nothing: how much fraud is missed cannot be known from rated alerts, so what is not "
        f"flagged brings 0. An alert just pays at a marginal precision of {short_percent(payoffs.marginal_precision)}."
    )


def _ask_to_keep() -> None:
    name_box, button_box = st.columns([2, 1], vertical_alignment="bottom")
    name_box.text_input("Name of this scenario", key=NAME, bind="query-params", max_chars=MAX_NAME)
    button_box.button(
        "Keep this scenario",
        icon=":material/bookmark_add:",
        key="scenario_keep",
        on_click=_keep,
        width="stretch",
    )
    complaint = st.session_state.pop(COMPLAINT, None)
    if complaint:
        st.error(as_text(complaint), icon=":material/error:")


def _ask_about_kept(place: DeltaGenerator) -> None:
    found = scenarios()
    with place:
        if found.before is not None:
            told, button = st.columns([2, 1], vertical_alignment="center")
            told.caption(as_text(found.done))
            button.button("Undo", icon=":material/undo:", key="scenario_undo", on_click=found.undo, width="stretch")
        if not found.kept:
            st.caption("Scenarios that you keep are compared here, until the browser tab is closed.")
            return
        names = list(found.kept)
        if st.session_state.get(PICKED) not in names:
            st.session_state[PICKED] = names[-1]
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.selectbox("Kept scenario", names, key=PICKED, persist_state="session", width=200)
            st.button("Drive by it", icon=":material/tune:", key="scenario_use", on_click=_use)
            with st.popover("Rename", icon=":material/edit:"):
                st.text_input("New name", key=RENAMED, max_chars=MAX_NAME, on_change=_rename)
            st.button("Remove", icon=":material/delete:", key="scenario_remove", on_click=_remove)


def _show_comparison(analysis: Analysis, method: str, point: Point, now: Scenario | None) -> None:
    kept = scenarios().kept
    if not kept:
        return
    rows = [_row(analysis, method, point, scenario, drives=scenario == now) for scenario in kept.values()]
    if now is not None and now not in kept.values():
        state = "(changed)" if now.name in kept else "(not kept)"
        rows.append(_row(analysis, method, point, replace(now, name=f"{now.name} {state}".strip()), drives=True))
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        alt="The kept scenarios with their payoffs, the points they lead to, and what these and the present point "
        "bring.",
    )
    st.caption(
        f"Every scenario at its own point of the {method} path. Payoffs are counted on this data, against flagging "
        "nothing."
        + (
            " The path chooses by a smooth estimate, so another point may by chance bring more on this data."
            if analysis.path(method).smooth_tp is not None
            else ""
        )
    )


def _row(analysis: Analysis, method: str, point: Point, scenario: Scenario, *, drives: bool) -> dict[str, str]:
    payoffs = scenario.payoffs
    # As the slider would hold it: where a step of the path is just worth it, the last digits decide.
    own = operating_point(analysis.path(method), round(100 * payoffs.marginal_precision, DIGITS) / 100)
    return {
        "Scenario": scenario.name,
        "": "drives" if drives else "",
        "Review": _money(payoffs.review, scenario),
        "Catch": _money(payoffs.catch, scenario),
        "Annoyance": _money(payoffs.annoyance, scenario),
        "Marginal precision": short_percent(payoffs.marginal_precision),
        "Payoff there": _money(payoffs.total(own.tp, own.fp), scenario),
        "Payoff of this point": _money(payoffs.total(point.tp, point.fp), scenario),
        **{
            f"{name} ≥": threshold(value)
            for name, value in zip(own.names, analysis.deployable(own).tolist(), strict=True)
        },
        "TP": count(own.tp),
        "FP": count(own.fp),
        "Alerts": count(own.alerts),
        "Precision": share(own.precision, own.alerts),
    }


def _money(value: float, scenario: Scenario) -> str:
    """Write an amount with at most two decimals and its currency."""
    digits = f"{value:,.2f}".removesuffix(".00").replace("-", "\N{MINUS SIGN}")
    return f"{digits}\N{NO-BREAK SPACE}{scenario.currency}".rstrip("\N{NO-BREAK SPACE}")


def _keep() -> None:
    def keep() -> None:
        now = scenario_now()
        scenarios().keep(now)
        st.session_state[PICKED] = now.name

    _or_complain(keep)


def _use() -> None:
    found = scenarios().kept.get(st.session_state[PICKED])
    if found is not None:
        drive_by(found)


def _remove() -> None:
    scenarios().remove(st.session_state[PICKED])


def _rename() -> None:
    old, new = st.session_state[PICKED], cleaned(st.session_state[RENAMED], MAX_NAME)

    def rename() -> None:
        driving = cleaned(st.session_state.get(NAME), MAX_NAME) == old
        scenarios().rename(old, new)
        st.session_state[PICKED], st.session_state[RENAMED] = new, ""
        if driving:
            st.session_state[NAME] = new

    _or_complain(rename)


def _or_complain(change: Callable[[], None]) -> None:
    try:
        change()
    except DataError as error:
        st.session_state[COMPLAINT] = str(error)
