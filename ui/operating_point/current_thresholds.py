"""Manage the compared thresholds: typed, loaded, deployed or pinned."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from decision_log import LogEntry
from multiloss_core import DataError, OperatingPoint
from multiloss_core.formatting import NEVER, score_name, score_value, short_percent, shortened
from multiloss_core.numerics import Floats, typed_number
from multiloss_core.thresholds import ManualPoint, Point, Rule, checked_thresholds, read_thresholds
from multiloss_core.thresholds.targets import on_precision_of_scores, out_of_range
from ui.operating_point.analysis import Analysis
from ui.records import decided_words, deployed_entry
from ui.shared.choices import UrlParameter, choose, chosen, numbers_parameter
from ui.shared.formatting import as_label, as_text
from ui.shared.session import ComparedThresholds, PinnedPoint, session

FILE_KEY, COMPARE_WITH_KEY, PIN_KEY = "current_file", "compare_with", "pin"
CURRENT_WORDS, PINNED_WORDS = "Current thresholds", "Pinned point"
CURRENT, PINNED = numbers_parameter("now"), numbers_parameter("pin")
AGAINST: UrlParameter[str] = UrlParameter("against", lambda text: text if text == CURRENT.name else None, str)


def comparison_of(analysis: Analysis) -> ComparedThresholds:
    """Return the typed, loaded and pinned thresholds kept for this dataset and rule."""
    key = analysis.dataset.key, analysis.settings.rule
    return session().point.compared.setdefault(key, ComparedThresholds([None] * len(analysis.names)))


def share_comparison(analysis: Analysis) -> None:
    """Compare with the URL's choice, else the deployed thresholds; update the URL."""
    kept = comparison_of(analysis)
    current, pinned = _linked(analysis, CURRENT), _linked(analysis, PINNED)
    if current is not None:
        kept.current = [None if math.isinf(value) else value for value in current]
        kept.with_pinned, kept.origin = False, "the link"
    if pinned is not None:
        kept.pinned = PinnedPoint(tuple(pinned), "as it was in the link")
        kept.with_pinned = AGAINST.shown() is None
    _use_deployed(analysis, kept)
    known = any(value is not None for value in kept.current)
    CURRENT.show([math.inf if value is None else value for value in kept.current] if known else None)
    PINNED.show(None if kept.pinned is None else list(kept.pinned.thresholds))
    AGAINST.show(CURRENT.name if kept.pinned is not None and not kept.with_pinned else None)


def _linked(analysis: Analysis, parameter: UrlParameter[list[float]]) -> list[float] | None:
    """Thresholds of a link, where they can be used."""
    try:
        return checked_thresholds(parameter.asked() or [], analysis.names).tolist()
    except DataError:
        return None


def keep_current(key: str, rule: Rule, thresholds: Sequence[float | None], origin: str) -> dict[str, str]:
    """Set the current thresholds (k,), None for never, and return the choice for the URL."""
    session().point.compared[key, rule] = ComparedThresholds(list(thresholds), origin=origin)
    if all(value is None for value in thresholds):
        return {}
    return {CURRENT.name: CURRENT.write([math.inf if value is None else value for value in thresholds])}


def current_thresholds_of(analysis: Analysis) -> Floats | None:
    """Return the current thresholds (k,), infinity for never; None if missing or invalid."""
    found = current_for(analysis.dataset.key, analysis.settings.rule, analysis.names)
    return None if found is None else on_precision_of_scores(analysis.rated.source, found)


def current_for(key: str, rule: Rule, names: tuple[str, ...]) -> tuple[float, ...] | None:
    """Return the current thresholds (k,) of a dataset and rule; at first those of a link."""
    kept = session().point.compared.get((key, rule))
    current = [*(CURRENT.shown() or [])] if kept is None else kept.current
    if all(value is None for value in current):
        return None
    try:
        return tuple(checked_thresholds([math.inf if one is None else one for one in current], names).tolist())
    except DataError:
        return None


def compared_thresholds(analysis: Analysis) -> Floats | None:
    """Return the compared thresholds (k,): pinned if chosen, else the current ones, if any."""
    kept = comparison_of(analysis)
    if kept.pinned is not None and kept.with_pinned:
        return np.array(kept.pinned.thresholds)
    return current_thresholds_of(analysis)


def ask_compared_thresholds(analysis: Analysis, point: Point) -> None:
    """Ask for the current thresholds as numbers or a file, and offer to pin the point."""
    kept = comparison_of(analysis)
    ask_current_thresholds(analysis, lambda name: f"Current threshold of {as_label(score_name(name))}", key="current")
    offer_deployed(analysis)
    file_box, pin_box = st.columns([2, 1], gap="medium")
    file_box.file_uploader(
        "or load them",
        type=["json", "csv"],
        key=FILE_KEY,
        max_upload_size=1,
        on_change=_load,
        args=(analysis, kept),
        help="A thresholds.json or thresholds.csv that was downloaded here, or a decision record.",
    )
    with pin_box:
        st.button(
            "Pin this point",
            icon=":material/push_pin:",
            key=PIN_KEY,
            on_click=_pin,
            args=(analysis, kept, point),
            help="Keeps the thresholds of the point as it is now, to compare other points with them.",
            width="stretch",
        )
        if kept.pinned is not None:
            _ask_which(kept)


def ask_current_thresholds(analysis: Analysis, label: Callable[[str], str], *, key: str) -> None:
    """Ask for each classifier's current threshold; `key` is the prefix of widget keys."""
    kept = comparison_of(analysis)
    scored = analysis.names[: len(analysis.surfaces.names)]
    for i, (place, name) in enumerate(zip(st.columns(len(scored)), scored, strict=True)):
        # What was typed is kept for each dataset and rule; the box shows it.
        own = f"{key}_{i}"
        value = score_value(name, kept.current[i])
        choose(own, "" if value is None else f"{value:.10g}")
        # A box of numbers would read 1,000 as 1 and 0,9 as 9.
        place.text_input(label(name), placeholder=NEVER, key=own, on_change=_keep_typed, args=(analysis, kept, i, own))
    if kept.complaint:
        st.error(f"{as_text(kept.complaint)} The thresholds above are as they were.", icon=":material/error:")
    for words in out_of_range(analysis.rated.source, [math.inf if one is None else one for one in kept.current]):
        st.warning(as_text(words), icon=":material/straighten:")
    if analysis.alert_rules:
        own, first = f"{key}_rules", len(scored)
        on = [rule for rule, value in zip(analysis.alert_rules, kept.current[first:], strict=True) if value is not None]
        choose(own, on if _is_known(kept) else list(analysis.alert_rules))
        st.multiselect(
            "Alert rules that are on", analysis.alert_rules, key=own, on_change=_keep_rules, args=(analysis, kept, own)
        )


def _is_known(kept: ComparedThresholds) -> bool:
    return any(value is not None for value in kept.current)


def _keep_rules(analysis: Analysis, kept: ComparedThresholds, key: str) -> None:
    kept.current[len(analysis.surfaces.names) :] = [
        1.0 if rule in chosen(key) else None for rule in analysis.alert_rules
    ]
    kept.with_pinned, kept.origin, kept.complaint = False, None, None


def offer_deployed(analysis: Analysis) -> None:
    """Offer the deployed thresholds of these data, else of others with the same scores."""
    entry, kept = _deployed(analysis), comparison_of(analysis)
    if entry is None or tuple(kept.current) == entry.record.thresholds:
        return
    record = entry.record
    which = "" if record.segments is None else "common "
    st.button(
        f"Use the deployed {which}thresholds: {as_text(decided_words(record))}",
        key="use_production",
        icon=":material/rocket_launch:",
        on_click=_use,
        args=(kept, entry),
        help=f"Decision {entry.id} of the log, for {as_text(shortened(record.data.name))}.",
    )


def _use_deployed(analysis: Analysis, kept: ComparedThresholds) -> None:
    """Compare with the deployed thresholds once for each dataset without current ones.

    Common thresholds beside those of segments are not what is deployed: the user decides on them.
    """
    is_new, kept.is_looked_up = not kept.is_looked_up, True
    if is_new and all(value is None for value in kept.current):
        entry = _deployed(analysis)
        if entry is not None and entry.record.segments is None:
            _use(kept, entry)


def _deployed(analysis: Analysis) -> LogEntry | None:
    return deployed_entry(analysis.names, analysis.dataset.name, analysis.settings.rule)


def _use(kept: ComparedThresholds, entry: LogEntry) -> None:
    kept.current, kept.with_pinned, kept.complaint = list(entry.record.thresholds), False, None
    which = "" if entry.record.segments is None else "the common thresholds of "
    kept.origin = f"{which}decision {entry.id} of the log"


def _ask_which(kept: ComparedThresholds) -> None:
    choose(COMPARE_WITH_KEY, PINNED_WORDS if kept.with_pinned else CURRENT_WORDS)
    st.segmented_control(
        "Compare with",
        [CURRENT_WORDS, PINNED_WORDS],
        key=COMPARE_WITH_KEY,
        required=True,
        on_change=_keep_which,
        args=(kept,),
        width="stretch",
    )


def _keep_which(kept: ComparedThresholds) -> None:
    kept.with_pinned = chosen(COMPARE_WITH_KEY) == PINNED_WORDS


def _keep_typed(analysis: Analysis, kept: ComparedThresholds, i: int, key: str) -> None:
    if not _is_known(kept):
        # Rules are on until the user switches them off.
        kept.current[len(analysis.surfaces.names) :] = [1.0] * len(analysis.alert_rules)
    name, text = analysis.names[i], chosen(key).strip()
    try:
        value = None if text in ("", NEVER) else typed_number(text)
    except ValueError:
        kept.complaint = f"'{shortened(text)}' is not one number for '{shortened(score_name(name))}'; type it as 0.5."
        return
    kept.current[i] = score_value(name, value)
    kept.with_pinned, kept.origin, kept.complaint = False, None, None


def _load(analysis: Analysis, kept: ComparedThresholds) -> None:
    kept.complaint = None
    file = chosen(FILE_KEY)
    if file is None:
        return
    try:
        found = read_thresholds(file.getvalue(), file.name, analysis.names, analysis.settings.rule)
    except DataError as error:
        kept.complaint = str(error)
        return
    kept.current = [None if math.isinf(value) else float(value) for value in found]
    kept.with_pinned, kept.origin = False, file.name


def _pin(analysis: Analysis, kept: ComparedThresholds, point: Point) -> None:
    if isinstance(point, ManualPoint):
        how = "set manually"
    else:
        near = "at" if isinstance(point, OperatingPoint) else "near"
        how = f"{point.method} {near} {short_percent(point.marginal_precision)}"
    kept.pinned = PinnedPoint(tuple(analysis.deployable(point).tolist()), how)
    kept.with_pinned = True
