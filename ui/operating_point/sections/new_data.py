"""Show expected new data: intervals, held-out counts and the band along the path."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import OperatingPoint, Unit
from multiloss_core.figures import marginal_precision_curve
from multiloss_core.formatting import NEVER, percent, score_range, share, shortened
from multiloss_core.generalisation import Interval, PointBootstrap
from multiloss_core.thresholds import Point
from ui.data.engine_connections import ask_along
from ui.operating_point.analysis import Analysis, documents_or_counts
from ui.operating_point.calculations import PathEvidence
from ui.operating_point.costs import with_currency
from ui.operating_point.point_text import WORDS, between_words
from ui.operating_point.resampling_tasks import SLIDER_TARGETS, evidence_tasks, latest_evidence, uncounted_groups
from ui.operating_point.settings import NEW_DATA_KEY
from ui.operating_point.state import PointContext
from ui.server.queue import Task
from ui.shared.choices import choose
from ui.shared.formatting import (
    AREA,
    COUNTED,
    ESTIMATED,
    PERCENT,
    SHARE,
    as_text,
    rounded_share,
    show_numbers,
    vocabulary,
)
from ui.shared.page_setup import theme

SECONDS_BETWEEN_POLLS = 0.7


def show_new_data(context: PointContext) -> None:
    """Show intervals at the assessed point, bands and held-out counts if requested."""
    if not context.new_data:
        return
    analysis, point = context.analysis, context.view.assessed_point
    if not _has_groups_counted(analysis, point):
        return
    tasks = evidence_tasks(analysis, point)
    unfinished = not all(task.finished for task in tasks)
    st.fragment(_follow, run_every=SECONDS_BETWEEN_POLLS if unfinished else None)(analysis, point, unfinished)


def _has_groups_counted(analysis: Analysis, point: Point) -> bool:
    """Return whether intervals can be found; offer to count groups in an engine first."""
    thresholds, column = uncounted_groups(analysis, point), analysis.rated.columns.group
    if thresholds is None or column is None:
        return True
    st.markdown(f"**What new data will show** depends on how alike the rows of one '{as_text(shortened(column))}' are.")
    if ask_along(analysis.rated, thresholds, analysis.settings.rule, "part", column) is not None:
        # Once more for everything: the charts show bands and clouds.
        st.rerun()
    return False


def _follow(analysis: Analysis, point: Point, unfinished: bool) -> None:
    tasks = evidence_tasks(analysis, point)
    if unfinished and all(task.finished for task in tasks):
        # Once more for everything: the charts show bands and clouds.
        st.rerun()
    for task in tasks:
        if task.failure is not None:
            st.error(f"Not found: {as_text(str(task.failure))}", icon=":material/error:")
    bootstrap, path = latest_evidence(analysis, point)
    _show_progress(bootstrap, path, tasks)
    _show_intervals(analysis, point, bootstrap)
    _show_held_out(analysis, point, path)
    if path is not None and path.bands is not None:
        st.plotly_chart(
            marginal_precision_curve(
                path.bands,
                point.marginal_precision,
                theme=theme(),
                unit=analysis.settings.unit,
                vocabulary=vocabulary(),
            ),
            theme=None,
            key="marginal_precision",
            alt="Marginal precision of the smooth path against the number of alerts, with its 95 % band and the "
            "target.",
        )
        st.caption(
            f"The share of fraud {analysis.settings.unit.among_next} along the smooth path. The band covers what other "
            "samples of this size would have shown, the choice of thresholds included; the dotted line is the target. "
            f"Curve and band have gaps where too few {vocabulary().documents} lie next to a point."
        )


def _show_progress(
    bootstrap: PointBootstrap | None,
    path: PathEvidence | None,
    tasks: tuple[Task[PointBootstrap] | Task[PathEvidence], ...],
) -> None:
    if all(task.finished for task in tasks):
        return
    resampled = bootstrap.done / bootstrap.requested if bootstrap is not None else 0.0
    others = path.share_done if path is not None else 0.0
    with st.container(key="evidence_progress", horizontal=True, vertical_alignment="center"):
        st.progress((resampled + others) / 2, "What new data will show", width=210)
        if st.button("Stop", key="stop_evidence", icon=":material/stop:", on_click=_stop, args=(tasks,)):
            st.rerun()


def _stop(tasks: tuple[Task[PointBootstrap] | Task[PathEvidence], ...]) -> None:
    """Cancel the estimates and switch them off: the next look would begin them again."""
    for task in tasks:
        task.cancel()
    choose(NEW_DATA_KEY, False)


def _show_intervals(analysis: Analysis, point: Point, bootstrap: PointBootstrap | None) -> None:
    if not isinstance(point, OperatingPoint) and documents_or_counts(analysis.dataset.source) is None:
        st.caption(
            f"Estimates for thresholds beside the path need the {vocabulary().documents}, not a table of counts."
        )
    if bootstrap is None or bootstrap.done < bootstrap.requested:
        return
    unit = analysis.settings.unit
    found, words, number = bootstrap.intervals(), WORDS[unit], unit.estimate
    own, expected, new = found.in_sample, found.expected, found.new_period
    decided = " decided" if analysis.has_undecided and unit is Unit.DOCUMENTS else ""
    # A share has the digits that the number of documents supports, whatever is counted.
    documents = next(iter(analysis.in_other_unit([point]))) if analysis.settings.unit is Unit.MONEY else point
    st.markdown(f"**At these thresholds on new data of the same size, {100 * found.level:g} % intervals**")
    rows: list[tuple[str, str, Interval, Interval | None, Callable[[float], str]]] = [
        (with_currency(analysis, words.caught, unit), unit.number(own.tp), expected.tp, new.tp, number),
        (with_currency(analysis, words.false, unit), unit.number(own.fp), expected.fp, new.fp, number),
        (
            with_currency(analysis, words.alerts + decided, unit),
            unit.number(own.alerts),
            expected.alerts,
            new.alerts,
            number,
        ),
        (
            words.precision,
            share(own.precision, own.alerts if documents is None else documents.alerts),
            expected.precision,
            new.precision,
            percent,
        ),
    ]
    if isinstance(point, OperatingPoint):
        rows.append(("Marginal precision", "", found.marginal_precision, None, percent))
    where = "the smooth path's point" if isinstance(point, OperatingPoint) else "these thresholds"
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "": name,
                    "On this data": own,
                    "Expected on new data": shown(expected.estimate),
                    "between": between_words(expected, shown),
                    "One new period will show": between_words(new, shown) if new else "",
                }
                for name, own, expected, new, shown in rows
            ]
        ),
        hide_index=True,
        alt=f"Counts and precision of {where} on this data and on new data, with intervals.",
    )
    if not isinstance(point, OperatingPoint):
        st.caption(
            "For these thresholds as they are; they were not chosen again. The "
            f"{vocabulary().documents} were drawn anew {bootstrap.done} times. *Expected* is the mean of many new "
            "periods; a single new period varies more. Thresholds look a little better on the data that suggested them."
        )
        return
    spread = " · ".join(
        score_range(name, low, high) if math.isfinite(low) or math.isfinite(high) else NEVER
        for name, low, high in zip(point.names, found.thresholds_low, found.thresholds_high, strict=True)
    )
    st.caption(
        f"For the smooth path. The {vocabulary().documents} were drawn anew {bootstrap.done} times, each time the "
        f"thresholds were chosen again; they came out at {spread}. *Expected* is the mean of many new periods, "
        "corrected for the choice flattering itself; a single new period varies more."
        + (
            f" No interval of the marginal precision: {found.marginal_precision.reason}"
            if found.marginal_precision.reason
            else ""
        )
    )


def _show_held_out(analysis: Analysis, point: Point, path: PathEvidence | None) -> None:
    if path is None or path.held_out is None:
        return
    near = np.flatnonzero(np.isclose(SLIDER_TARGETS, point.marginal_precision))
    if not near.size:
        return
    i, unit = int(near[0]), analysis.settings.unit
    st.markdown(f"**Every method on {vocabulary().documents} that did not choose its thresholds**")
    show_numbers(
        [
            {
                "Method": name,
                "TP here": found.in_sample.tp[i],
                "TP held out": found.tp[i],
                "FP here": found.in_sample.fp[i],
                "FP held out": found.fp[i],
                "Precision here": rounded_share(found.in_sample.precision[i], found.in_sample.alerts[i]),
                "Precision held out": found.precision[i],
                "Net benefit held out": found.tp[i] - point.slope * found.fp[i],
                "Area here": found.in_sample_area,
                "Area held out": found.area,
            }
            for name, found in path.held_out.items()
        ],
        dict.fromkeys(("TP here", "FP here"), COUNTED[unit])
        | dict.fromkeys(("TP held out", "FP held out", "Net benefit held out"), ESTIMATED[unit])
        | {"Precision here": SHARE, "Precision held out": PERCENT, "Area here": AREA, "Area held out": AREA},
        alt="Held-out counts of every method at the same target.",
    )
    groups = _words_of_groups(analysis)
    st.caption(
        f"Five times, thresholds were chosen without a fifth of the {vocabulary().documents} and counted on it; "
        "the difference to *here* is optimism. Net benefit is TP less FP times the slope of the target." + groups
    )


def _words_of_groups(analysis: Analysis) -> str:
    if not analysis.rated.supports("group"):
        return ""
    if analysis.rated.supports("documents"):
        return " Rows of one group stay together."
    return " Rows were left out one by one, not by groups, which lie in the source; optimism may be larger."
