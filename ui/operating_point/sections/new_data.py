"""The parts of the operating-point page on what new data will show."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import (
    Certificate,
    CountSurfaces,
    DataError,
    certify,
    compare_with_simpler_rules,
    rated_size,
    rating_plan,
)
from multiloss_core.figures.uncertainty import marginal_precision_curve
from multiloss_core.formatting import (
    NEVER,
    UNDEFINED,
    Unit,
    area,
    count,
    money,
    percent,
    plural,
    share,
    threshold,
    whole,
)
from multiloss_core.numerics.arrays import ratio
from multiloss_core.thresholds.data.flagging import flagged
from multiloss_core.thresholds.data.rated_documents import RatedDocuments
from multiloss_core.thresholds.generalisation.bootstrap import Interval, PointBootstrap
from multiloss_core.thresholds.paths.operating_point import ManualPoint, Point
from ui.operating_point.analysis import Analysis, Settings
from ui.operating_point.point_text import WORDS
from ui.operating_point.resampling_jobs import SLIDER_TARGETS, PathEvidence, path_job, point_job
from ui.operating_point.target import DIGITS, current_target
from ui.shared.background_job import Job
from ui.shared.formatting import FRAUD, as_text
from ui.shared.lazy_section import shown_when_open
from ui.shared.page_setup import theme
from ui.shared.url_params import as_numbers, as_text_of, from_address, into_address

SECONDS_BETWEEN_LOOKS = 0.7
MAX_RATINGS_TOLD = 100_000
ON_SLIDER, ON_SLIDER_IN_URL = "guarantee_on_slider", "guaranteed"
LEAST_PRECISION, MAX_PRECISION = 1.0, 99.5
CONFIDENCES = {"95 %": 95.0, "90 %": 90.0, "99 %": 99.0}


def ask_new_data() -> bool:
    """Whether to find out what new data will show."""
    return st.toggle(
        "What new data will show",
        key="new_data",
        bind="query-params",
        help="Intervals by resampling, held-out counts of every method, the spread of the thresholds. Takes some seconds "
        "in the background; the slider stays free.",
    )


def show_new_data(analysis: Analysis, point: Point) -> None:
    """Intervals at the point, the smooth path's or one set by hand, bands along the path and held-out counts."""
    jobs = _jobs(analysis, point)
    unfinished = not all(job.finished for job in jobs)
    st.fragment(_look, run_every=SECONDS_BETWEEN_LOOKS if unfinished else None)(analysis, point, unfinished)


def finished_evidence(analysis: Analysis, point: Point) -> tuple[PointBootstrap | None, PathEvidence | None]:
    """What is known by now, for the charts."""
    bootstrap, path = _latest(analysis, point)
    complete = bootstrap is not None and bootstrap.done == bootstrap.requested
    return (bootstrap if complete else None), path


def interval_words(analysis: Analysis, bootstrap: PointBootstrap | None, point: Point) -> dict[str, Any] | None:
    """Intervals of what is expected on new data, to be shown beside the numbers of their point."""
    if bootstrap is None:
        return None
    found, words, number = bootstrap.intervals(), WORDS[analysis.settings.unit], analysis.settings.unit.estimate
    lines = {
        words.caught: (found.tp, number),
        words.false: (found.fp, number),
        words.alerts: (found.alerts, number),
        words.precision: (found.precision, percent),
    }
    return {
        "percent": current_target().percent
        if isinstance(point, ManualPoint)
        else round(100 * float(bootstrap.targets[0]), DIGITS),
        "by_hand": isinstance(point, ManualPoint),
        "words": {label: f"expected {_between(interval, shown)}" for label, (interval, shown) in lines.items()},
    }


def _jobs(analysis: Analysis, point: Point) -> tuple[Job[PointBootstrap] | Job[PathEvidence], ...]:
    resampling, others = point_job(analysis, point), path_job(analysis)
    return (others,) if resampling is None else (resampling, others)


def _latest(analysis: Analysis, point: Point) -> tuple[PointBootstrap | None, PathEvidence | None]:
    resampling = point_job(analysis, point)
    return None if resampling is None else resampling.latest, path_job(analysis).latest


def _look(analysis: Analysis, point: Point, unfinished: bool) -> None:
    jobs = _jobs(analysis, point)
    if unfinished and all(job.finished for job in jobs):
        # Once more for everything: the charts show bands and clouds.
        st.rerun()
    for job in jobs:
        if job.failure is not None:
            st.error(f"Not found: {as_text(str(job.failure))}", icon=":material/error:")
    bootstrap, path = _latest(analysis, point)
    _show_progress(bootstrap, path, jobs)
    _show_intervals(analysis, point, bootstrap)
    _show_held_out(analysis, point, path)
    if path is not None and path.bands is not None:
        st.plotly_chart(
            marginal_precision_curve(
                path.bands, point.marginal_precision, theme=theme(), unit=analysis.settings.unit, vocabulary=FRAUD
            ),
            theme=None,
            key="marginal_precision",
            alt="Marginal precision of the smooth path against the number of alerts, with its 95 % band and the target.",
        )
        st.caption(
            f"The share of fraud {analysis.settings.unit.among_next} along the smooth path. The band covers what other samples of this "
            "size would have shown, the choice of thresholds included; the dotted line is the target."
        )


def _show_progress(
    bootstrap: PointBootstrap | None,
    path: PathEvidence | None,
    jobs: tuple[Job[PointBootstrap] | Job[PathEvidence], ...],
) -> None:
    if all(job.finished for job in jobs):
        return
    resampled = bootstrap.done / bootstrap.requested if bootstrap is not None else 0.0
    others = path.share_done if path is not None else 0.0
    bar, button = st.columns([4, 1], vertical_alignment="center")
    bar.progress((resampled + others) / 2, "Resampling and holding out documents")
    if button.button("Stop", key="stop_evidence", icon=":material/stop:"):
        for job in jobs:
            job.cancel()


def _show_intervals(analysis: Analysis, point: Point, bootstrap: PointBootstrap | None) -> None:
    if isinstance(point, ManualPoint) and isinstance(analysis.dataset.source, CountSurfaces):
        st.caption("A table of counts says nothing of thresholds set by hand on new data: that takes the documents.")
    if bootstrap is None or bootstrap.done < bootstrap.requested:
        return
    unit = analysis.settings.unit
    found, words, number = bootstrap.intervals(), WORDS[unit], unit.estimate
    alerts = found.sample_tp + found.sample_fp
    # A share has the digits that the number of documents supports, whatever is counted.
    documents = next(iter(analysis.in_other_unit([point]))) if analysis.settings.unit is Unit.MONEY else point
    st.markdown(f"**At these thresholds on new data of the same size, {100 * found.level:g} % intervals**")
    rows: list[tuple[str, str, Interval, Interval | None, Callable[[float], str]]] = [
        (words.caught, unit.number(found.sample_tp), found.tp, found.new_tp, number),
        (words.false, unit.number(found.sample_fp), found.fp, found.new_fp, number),
        (words.alerts, unit.number(alerts), found.alerts, found.new_alerts, number),
        (
            words.precision,
            share(ratio(found.sample_tp, alerts), alerts if documents is None else documents.alerts),
            found.precision,
            found.new_precision,
            percent,
        ),
    ]
    if not isinstance(point, ManualPoint):
        rows.append(("Marginal precision", "", found.marginal_precision, None, percent))
    where = "the thresholds set by hand" if isinstance(point, ManualPoint) else "the smooth path's point"
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "": name,
                    "On this data": here,
                    "Expected on new data": shown(expected.estimate),
                    "between": _between(expected, shown),
                    "One new period will show": _between(new, shown) if new else "",
                }
                for name, here, expected, new, shown in rows
            ]
        ),
        hide_index=True,
        alt=f"Counts and precision of {where} on this data and on new data, with intervals.",
    )
    if isinstance(point, ManualPoint):
        st.caption(
            f"For these thresholds as they are; they were not chosen again. The documents were drawn anew {bootstrap.done} "
            "times. *Expected* is the mean of many new periods; a single new period varies more. Where this data suggested "
            "the thresholds, it flatters them a little."
        )
        return
    spread = " · ".join(
        f"{threshold(low)} to {threshold(high)}" if math.isfinite(low) or math.isfinite(high) else NEVER
        for low, high in zip(found.thresholds_low, found.thresholds_high, strict=True)
    )
    st.caption(
        f"For the smooth path. The documents were drawn anew {bootstrap.done} times, each time the thresholds were chosen "
        f"again; they came out at {spread}. *Expected* is the mean of many new periods, corrected for the choice flattering "
        "itself; a single new period varies more."
    )


def _show_held_out(analysis: Analysis, point: Point, path: PathEvidence | None) -> None:
    if path is None or path.held_out is None:
        return
    near = np.flatnonzero(np.isclose(SLIDER_TARGETS, point.marginal_precision))
    if not near.size:
        return
    i, unit, number = int(near[0]), analysis.settings.unit, analysis.settings.unit.estimate
    st.markdown("**Every method on documents that did not choose its thresholds**")
    rows = [
        {
            "Method": name,
            "TP here": unit.number(found.in_sample_tp[i]),
            "TP held out": number(found.tp[i]),
            "FP here": unit.number(found.in_sample_fp[i]),
            "FP held out": number(found.fp[i]),
            "Precision here": share(found.in_sample_precision[i], found.in_sample_tp[i] + found.in_sample_fp[i]),
            "Precision held out": percent(found.precision[i]),
            "Net benefit held out": number(found.tp[i] - point.slope * found.fp[i]),
            "Area here": area(found.in_sample_area),
            "Area held out": area(found.area),
        }
        for name, found in path.held_out.items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Held-out counts of every method at the same target.")
    groups = " Rows of one group stay together." if _groups(analysis) else ""
    st.caption(
        "Five times, thresholds were chosen without a fifth of the documents and counted on that fifth; the difference to "
        "*here* is optimism. Net benefit is TP less FP times the slope: what the target says both are worth." + groups
    )


def show_certificate(analysis: Analysis) -> None:
    """A guarantee on request: the loosest thresholds whose precision is at least so much."""
    documents = analysis.dataset.source
    if isinstance(documents, RatedDocuments):
        _show_certificate(analysis, documents)


@shown_when_open("Guarantee a precision", icon=":material/verified:", key="guarantee")
def _show_certificate(analysis: Analysis, documents: RatedDocuments) -> None:
    wanted, sure = st.columns(2)
    precision = wanted.number_input(
        "Precision of at least, in percent", LEAST_PRECISION, MAX_PRECISION, 50.0, 0.5, key="certify_precision"
    )
    confidence = sure.selectbox("Confidence", list(CONFIDENCES), key="certify_confidence")
    if not 0 < precision < 100:
        st.error(f"The precision is {precision:g} %; choose 1 to 99.5 %.")
        return
    asked = precision / 100, CONFIDENCES.get(confidence, 95.0) / 100
    found = _certificate(analysis.dataset.key, analysis.settings, asked, documents)
    if found.thresholds is None:
        more = _more_ratings(found.more_ratings)
        st.warning(f"**No thresholds can be guaranteed to have {precision:g} %.**{more}", icon=":material/block:")
        return
    words = ", ".join(
        f"{name} {f'≥ {threshold(value)}' if math.isfinite(value) else NEVER}"
        for name, value in zip(found.names, analysis.rounded(found.thresholds), strict=True)
    )
    caught, tested = found.tested_tp, found.tested_tp + found.tested_fp
    flagged_what, decided = (
        ("the money that", f"{money(caught)} of {money(tested)} of the money flagged was.")
        if analysis.settings.unit is Unit.MONEY
        else ("what", f"{count(caught)} of {plural(tested, 'alert')} were.")
    )
    st.success(
        f"**{confidence} sure: of {flagged_what} is flagged at {as_text(words)}, at least {precision:g} % is fraud.** On the documents that "
        f"decided, {decided}",
        icon=":material/verified:",
    )
    if analysis.certificate is not found:
        st.button(
            "Show the guaranteed range on the slider",
            icon=":material/tune:",
            on_click=lambda: _put_on_slider(analysis, asked),
        )
    st.caption(
        "A third of the documents gave a path; on the others, thresholds were tested from strict to loose and the last "
        "that passed is shown (fixed-sequence testing). It holds for data from the same source, for these thresholds and "
        "the stricter ones tested before them, which are the range on the slider. How sure: of all times the question is asked, also those that end without an answer."
        + (
            " Weights or groups: tested by betting, which assumes no larger weight than seen."
            if found.test == "betting"
            else ""
        )
    )


def guaranteed(analysis: Analysis) -> Analysis:
    """The analysis with the path that the reader wanted guaranteed, if it was for the same data and settings."""
    documents = analysis.dataset.source
    about = analysis.dataset.key, analysis.settings
    linked = as_numbers(from_address(ON_SLIDER_IN_URL))
    if linked is not None and len(linked) == 2:
        st.session_state[ON_SLIDER] = (*about, (linked[0] / 100, linked[1] / 100))
    asked = st.session_state.get(ON_SLIDER)
    if asked is None or asked[:2] != about or not _can_be_asked(*asked[2]) or isinstance(documents, CountSurfaces):
        into_address(ON_SLIDER_IN_URL, None)
        return analysis
    into_address(ON_SLIDER_IN_URL, as_text_of(round(100 * share, DIGITS) for share in asked[2]))
    return analysis.with_certificate(_certificate(*about, asked[2], documents))


def _can_be_asked(precision: float, confidence: float) -> bool:
    """Whether the boxes could ask for it. Links and records may come from anybody."""
    in_range = LEAST_PRECISION <= round(100 * precision, DIGITS) <= MAX_PRECISION
    return in_range and round(100 * confidence, DIGITS) in CONFIDENCES.values()


def _put_on_slider(analysis: Analysis, asked: tuple[float, float]) -> None:
    st.session_state[ON_SLIDER] = (analysis.dataset.key, analysis.settings, asked)
    st.session_state["method"] = "guaranteed"


@st.cache_resource(scope="session", max_entries=8, show_spinner="Choosing on one third, testing on the others …")
def _certificate(key: str, settings: Settings, asked: tuple[float, float], _documents: RatedDocuments) -> Certificate:
    precision, confidence = asked
    return certify(_documents, precision, confidence=confidence, rule=settings.rule)


def _more_ratings(more: int | None) -> str:
    if more is None:
        return " No thresholds on the path seem to have that precision."
    if more > MAX_RATINGS_TOLD:
        return f" It would take more than {count(MAX_RATINGS_TOLD)} further rated documents."
    return f" About {count(float(f'{more:.1g}'))} more rated documents would give it in 4 of 5 cases."


def show_simpler_cuts(analysis: Analysis, point: Point) -> None:
    """What simpler cuts lose at as many false positives, and what to rate next."""
    documents = analysis.dataset.source
    if isinstance(documents, RatedDocuments) and point.status != "unreachable":
        _show_simpler_cuts(analysis, documents, point)


@shown_when_open("Simpler cuts, and what to rate next", icon=":material/compare_arrows:", key="simpler")
def _show_simpler_cuts(analysis: Analysis, documents: RatedDocuments, point: Point) -> None:
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "Simpler cut": "one common cut in ranks" if cut.kind == "common" else f"{cut.name} alone",
                    "TP at the same FP": analysis.settings.unit.estimate(cut.tp_at_equal_fp),
                    "TP lost": analysis.settings.unit.estimate(cut.tp_lost),
                    "of the point's": percent(cut.share_lost),
                }
                for cut in compare_with_simpler_rules(documents, point)
            ]
        ),
        hide_index=True,
        alt="True positives that simpler cuts catch at as many false positives as the point.",
    )
    if analysis.settings.unit is Unit.DOCUMENTS:
        _show_rating_plan(analysis, documents, point)
    else:
        st.caption("What to rate next is told where documents are counted.")


def _show_rating_plan(analysis: Analysis, documents: RatedDocuments, point: Point) -> None:
    try:
        plan = rating_plan(documents, point, analysis.path(point.method))
    except DataError as error:
        st.caption(as_text(str(error)))
        return
    st.markdown(f"**What to rate next.** {plan.sentence}")
    if plan.advice == "rate_a_band":
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        **{
                            name: f"{threshold(low)} to {threshold(high)}"
                            for name, low, high in zip(point.names, band.lower, band.upper, strict=True)
                        },
                        "Rated": count(band.size.documents),
                        "Stand for": count(band.size.stands_for),
                        "Effective": whole(band.size.effective),
                        "Share of the uncertainty": percent(band.share_of_variance),
                        f"{count(band.more)} more take off": percent(band.share_removed),
                    }
                    for band in plan.bands
                ]
            ),
            hide_index=True,
            alt="Bands of flagged documents, with what more ratings in each would bring.",
        )


def show_effective_size(analysis: Analysis, point: Point) -> None:
    """With weights, how much the rates rest on."""
    documents = analysis.dataset.source
    if isinstance(documents, CountSurfaces) or documents.weights.min() == documents.weights.max():
        return
    size = rated_size(documents, flagged(documents.scores, point.thresholds, point.rule))
    of_what = f"{money(size.stands_for)} of money" if analysis.settings.unit is Unit.MONEY else count(size.stands_for)
    st.caption(
        f"Rates over the alerts are as uncertain as over {whole(size.effective)} documents: {plural(size.documents, 'rated document')} "
        f"stand for {of_what}."
    )


def _groups(analysis: Analysis) -> bool:
    source = analysis.dataset.source
    return isinstance(source, RatedDocuments) and source.groups is not None


def _between(interval: Interval, words) -> str:  # type: ignore[no-untyped-def]
    return UNDEFINED if math.isnan(interval.low) else f"{words(interval.low)} – {words(interval.high)}"
