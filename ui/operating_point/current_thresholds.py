"""The thresholds that a point is compared with: those in use today, typed or loaded, or a pinned point."""

import math
from dataclasses import dataclass

import numpy as np
import streamlit as st

from multiloss_core import DataError
from multiloss_core.formatting import NEVER, short_percent
from multiloss_core.numerics.arrays import Floats
from multiloss_core.thresholds.data.flagging import checked_thresholds
from multiloss_core.thresholds.paths.operating_point import ManualPoint, Point
from multiloss_core.thresholds.points.thresholds_file import read_thresholds
from ui.operating_point.analysis import Analysis
from ui.shared.formatting import as_text
from ui.shared.url_params import as_numbers, as_text_of, from_address, into_address

KEPT = "counterparts"
FILE = "current_file"
PRESENT, PINNED = "Present thresholds", "Pinned point"
PRESENT_IN_URL, PIN_IN_URL, WITH_IN_URL = "now", "pin", "against"


@dataclass(frozen=True)
class Pin:
    """A point that was pinned: its thresholds, infinity for never, and where it came from."""

    thresholds: tuple[float, ...]
    origin: str


@dataclass
class Counterpart:
    """What one user compares the points of one dataset and rule with.

    `present` are the thresholds in use today; None is an empty box, and stands for never beside one that is not empty.
    `complaint` is about the last file, `origin` the name of the file that they came from.
    """

    present: list[float | None]
    pin: Pin | None = None
    with_pin: bool = False
    origin: str | None = None
    complaint: str | None = None


def counterpart(analysis: Analysis) -> Counterpart:
    """What was typed, loaded and pinned for this dataset and rule; kept while others are looked at."""
    kept: dict[tuple[str, str], Counterpart] = st.session_state.setdefault(KEPT, {})
    key = analysis.dataset.key, analysis.settings.rule
    return kept.setdefault(key, Counterpart([None] * len(analysis.surfaces.names)))


def share_counterpart(analysis: Analysis) -> None:
    """Take what a link compares with, and keep the address at what is compared with now."""
    kept = counterpart(analysis)
    present, pin = _linked(analysis, PRESENT_IN_URL), _linked(analysis, PIN_IN_URL)
    if present is not None:
        kept.present = [None if math.isinf(value) else value for value in present]
        kept.with_pin, kept.origin = False, "the link"
    if pin is not None:
        kept.pin = Pin(tuple(pin), "as it was in the link")
        kept.with_pin = st.query_params.get(WITH_IN_URL) != PRESENT_IN_URL
    known = any(value is not None for value in kept.present)
    into_address(
        PRESENT_IN_URL,
        as_text_of(math.inf if value is None else value for value in kept.present) if known else None,
    )
    into_address(PIN_IN_URL, None if kept.pin is None else as_text_of(kept.pin.thresholds))
    into_address(WITH_IN_URL, PRESENT_IN_URL if kept.pin is not None and not kept.with_pin else None)


def _linked(analysis: Analysis, name: str) -> list[float] | None:
    """Thresholds of a link, where they can be used."""
    try:
        return checked_thresholds(as_numbers(from_address(name)) or [], analysis.surfaces.names).tolist()
    except DataError:
        return None


def present_thresholds(analysis: Analysis) -> Floats | None:
    """The thresholds in use today (k,), infinity for never; None where none were given or one cannot be used."""
    present = counterpart(analysis).present
    if all(value is None for value in present):
        return None
    try:
        return checked_thresholds([math.inf if value is None else value for value in present], analysis.surfaces.names)
    except DataError:
        return None


def current_thresholds(analysis: Analysis) -> Floats | None:
    """The thresholds (k,) to compare with: the pinned ones if these were chosen, else those in use today, if any."""
    kept = counterpart(analysis)
    if kept.pin is not None and kept.with_pin:
        return np.array(kept.pin.thresholds)
    return present_thresholds(analysis)


def ask_current_thresholds(analysis: Analysis, point: Point) -> None:
    """Boxes for the thresholds in use today, a file that holds them, and a button that pins the point."""
    kept = counterpart(analysis)
    for i, (place, name) in enumerate(
        zip(st.columns(len(kept.present)), analysis.surfaces.names, strict=True),
    ):
        # What was typed is kept for each dataset and rule; the box shows it.
        st.session_state[f"current_{i}"] = kept.present[i]
        place.number_input(
            f"Present threshold of {name}",
            value=None,
            step=_step(analysis, i),
            format="%g",
            placeholder=NEVER,
            key=f"current_{i}",
            on_change=_keep_typed,
            args=(kept, i),
        )
    file_box, pin_box = st.columns([2, 1], gap="medium")
    file_box.file_uploader(
        "or load them",
        type=["json", "csv"],
        key=FILE,
        max_upload_size=1,
        on_change=_load,
        args=(analysis, kept),
        help="A thresholds.json or thresholds.csv that was downloaded here, or a decision record.",
    )
    with pin_box:
        st.button(
            "Pin this point",
            icon=":material/push_pin:",
            key="pin",
            on_click=_pin,
            args=(analysis, kept, point),
            help="Keeps the thresholds of the point as it is now, to compare other points with them.",
            width="stretch",
        )
        if kept.pin is not None:
            _ask_which(kept)
    if kept.complaint:
        st.error(f"{as_text(kept.complaint)} The thresholds above are as they were.", icon=":material/error:")


def _ask_which(kept: Counterpart) -> None:
    st.session_state["compare_with"] = PINNED if kept.with_pin else PRESENT
    st.segmented_control(
        "Compare with",
        [PRESENT, PINNED],
        key="compare_with",
        required=True,
        on_change=_keep_which,
        args=(kept,),
        width="stretch",
    )


def _keep_which(kept: Counterpart) -> None:
    kept.with_pin = st.session_state["compare_with"] == PINNED


def _keep_typed(kept: Counterpart, i: int) -> None:
    kept.present[i] = st.session_state[f"current_{i}"]
    kept.with_pin, kept.origin, kept.complaint = False, None, None


def _load(analysis: Analysis, kept: Counterpart) -> None:
    kept.complaint = None
    file = st.session_state[FILE]
    if file is None:
        return
    try:
        found = read_thresholds(file.getvalue(), file.name, analysis.surfaces.names, analysis.settings.rule)
    except DataError as error:
        kept.complaint = str(error)
        return
    kept.present = [None if math.isinf(value) else float(value) for value in found]
    kept.with_pin, kept.origin = False, file.name


def _pin(analysis: Analysis, kept: Counterpart, point: Point) -> None:
    how = (
        "set by hand"
        if isinstance(point, ManualPoint)
        else f"{point.method} at {short_percent(point.marginal_precision)}"
    )
    kept.pin = Pin(tuple(analysis.deployable(point).tolist()), how)
    kept.with_pin = True


def _step(analysis: Analysis, i: int) -> float:
    """How far the buttons of a box move: about a hundredth of what the scores span."""
    axis = analysis.surfaces.axes[i]
    return float(10.0 ** math.floor(math.log10(axis[-1] - axis[0]) - 1.5))
