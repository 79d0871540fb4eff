"""The charts of a decision for its report, which runs nothing and loads nothing."""

import math

import numpy as np

from multiloss_core import DataError, DecisionRecord
from multiloss_core.figures import curves_drawing, plane_drawing, space_drawing, surface_drawing
from multiloss_core.formatting import score_name
from multiloss_core.targets import manual_point
from multiloss_core.thresholds import Point
from ui.operating_point.analysis import Analysis
from ui.records.record_files import weeks_of
from ui.shared.formatting import vocabulary


def drawings_of(record: DecisionRecord, analysis: Analysis, point: Point, pair: tuple[int, int]) -> dict[str, str]:
    """Draw the charts by their titles, the first two for the first page; a single classifier has no surfaces."""
    path, unit = analysis.path(point.method), analysis.settings.unit
    words = vocabulary()
    present = _present(record, analysis, point)
    plane = plane_drawing(path, point, present, unit=unit, vocabulary=words)
    if len(path.names) == 1:
        only = score_name(path.names[0])
        return {
            "True against false positives": plane,
            f"Counts against the threshold of {only}": curves_drawing(path, point, present),
            **weeks_of(record),
        }
    surfaces = analysis.sliced(point, pair)
    titles = {"tp": "True positives over the two thresholds", "fp": "False positives over the two thresholds"}
    return {
        "True against false positives": plane,
        "Threshold space: FP as shade, TP as lines": space_drawing(surfaces, path, point, present, pair=pair),
        **weeks_of(record),
        **{
            title: surface_drawing(surfaces, path, point, present, count=count, pair=pair, unit=unit, vocabulary=words)
            for count, title in titles.items()
        },
    }


def _present(record: DecisionRecord, analysis: Analysis, point: Point) -> Point | None:
    if record.current is None:
        return None
    thresholds = np.array([math.inf if value is None else value for value in record.current.thresholds])
    try:
        return manual_point(analysis.dataset.source, analysis.path(point.method), thresholds)
    except DataError:
        # A table of counts does not tell what lies below its first nodes.
        return None
