import dataclasses

import numpy as np
import pytest

from multiloss_core import (
    RatedDocuments,
    analytic_path,
    benchmark_path,
    count_surfaces,
    graph_path,
    mean_graph_path,
    operating_point,
    simulate_population,
)
from multiloss_core.figures import (
    count_surface,
    majorant_trace,
    score_histogram,
    surface_marks,
    threshold_curves,
    threshold_mark,
    threshold_space,
    tp_fp_plane,
)
from multiloss_core.figures.count_surface import PATH_LIFT
from multiloss_core.figures.method_styles import look_of
from multiloss_core.thresholds import slice_documents
from ui.shared.formatting import FRAUD


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def found(request):
    documents = simulate_population(np.random.default_rng(5), documents=100_000, classifiers=request.param).rated()
    surfaces = count_surfaces(documents, resolution=30, spacing="positives")
    paths = [
        graph_path(surfaces),
        mean_graph_path(surfaces, np.random.default_rng(0), draws=3, documents=documents),
        analytic_path(documents),
        analytic_path(documents, family="beta"),
        benchmark_path(surfaces),
    ]
    return documents, surfaces, paths, [operating_point(path, 0.2) for path in paths]


def flat(documents, surfaces, point):
    if len(surfaces.axes) == 2:
        return surfaces
    return slice_documents(documents, point.thresholds, (0, 1), rule="any", resolution=30)


def test_the_points_are_drawn_where_they_are(found):
    documents, surfaces, paths, points = found
    space = threshold_space(flat(documents, surfaces, points[0]), paths, points, chosen="graph", theme="light")
    plane = tp_fp_plane(paths, points, chosen="graph", theme="light")
    for figure, place in ((space, lambda p: (p.thresholds[0], p.thresholds[1])), (plane, lambda p: (p.fp, p.tp))):
        trace = next(trace for trace in figure.data if trace.name.startswith("points"))
        assert list(trace.marker.symbol).count("star") == 1
        for x, y, symbol, colour, point in zip(
            trace.x, trace.y, trace.marker.symbol, trace.marker.color, [*points[1:], points[0]], strict=True
        ):
            assert (x, y) == pytest.approx(place(point))
            assert symbol == ("star" if point.method == "graph" else "circle")
            assert colour == look_of(point.method).colour


def test_tangent_has_target_slope_and_lies_above_curve(found):
    *_, paths, points = found
    figure = tp_fp_plane(paths, points, chosen="graph", theme="light")
    tangent = next(trace for trace in figure.data if trace.name.startswith("tangent"))
    (x0, x1), (y0, y1) = tangent.x, tangent.y
    slope = (y1 - y0) / (x1 - x0)
    assert slope == pytest.approx(0.2 / 0.8)
    assert y0 + slope * (points[0].fp - x0) == pytest.approx(points[0].tp)
    curve = next(trace for trace in figure.data if trace.name == "graph")
    assert (np.asarray(curve.y) <= y0 + slope * (np.asarray(curve.x) - x0) + 1e-6).all()


def test_paths_lie_on_surface_and_surface_heights_are_counts(found):
    documents, surfaces, paths, points = found
    plane = flat(documents, surfaces, points[0])
    for count, counts in (("tp", plane.tp), ("fp", plane.fp)):
        figure = count_surface(plane, paths, count=count, theme="light")
        surface = figure.data[0]
        for i, j in np.random.default_rng(2).integers(0, len(surface.x), (40, 2)):
            assert surface.z[j][i] == counts[next_nodes(plane, surface.x[i], surface.y[j])]
        lines = figure.data[1:]
        assert {line.name for line in lines} == {path.method for path in paths if path.monotone}
        for line in lines:
            assert np.isin(np.round(np.asarray(line.z) - PATH_LIFT * np.ptp(counts), 6), counts).all()


def next_nodes(plane, *place):
    """The first node at or above each coordinate, or the last one."""
    return tuple(
        next(n for n, node in enumerate(axis) if node >= value or n == len(axis) - 1)
        for axis, value in zip(plane.axes, place, strict=True)
    )


def test_the_marks_on_a_surface_stand_at_the_exact_counts(found):
    documents, surfaces, _, points = found
    plane = flat(documents, surfaces, points[0])
    for count in ("tp", "fp"):
        marks = surface_marks(points, plane, count=count, chosen="graph", theme="light")
        assert list(marks.z) == [getattr(point, count) for point in [*points[1:], points[0]]]
        assert list(marks.marker.symbol) == ["circle"] * (len(points) - 1) + ["diamond"]


def test_shade_shows_counts_at_the_next_node(found):
    documents, surfaces, paths, points = found
    plane = flat(documents, surfaces, points[0])
    shade = threshold_space(plane, paths, points, chosen="graph", theme="light").data[0]
    generator = np.random.default_rng(1)
    for i, j in generator.integers(0, len(shade.x), (40, 2)):
        a, b = next_nodes(plane, shade.x[i], shade.y[j])
        assert tuple(shade.customdata[j][i]) == pytest.approx((plane.tp[a, b], plane.fp[a, b]))
        assert 10 ** shade.z[j][i] - 1 == pytest.approx(plane.fp[a, b], rel=1e-5, abs=1e-4)


def test_histograms_hold_every_document_by_rating():
    generator = np.random.default_rng(2)
    scores, labels = generator.random((500, 1)), generator.random(500) < 0.2
    weights = generator.integers(1, 5, 500)
    documents = RatedDocuments(scores, labels, weights, names=["model"])
    figure = score_histogram(documents, 0, theme="light")
    totals = {trace.name: np.sum(trace.y) for trace in figure.data if trace.type == "bar"}
    assert totals == {
        "rated negative (false alert)": weights[~labels].sum(),
        "rated positive": weights[labels].sum(),
    }
    words = {trace.name for trace in score_histogram(documents, 0, theme="light", vocabulary=FRAUD).data}
    assert words == {"rated negative (false alert)", "rated positive (fraud)"}


def test_a_single_classifier_has_curves_and_a_majorant():
    documents = simulate_population(np.random.default_rng(3), documents=50_000, classifiers=1).rated()
    path = graph_path(count_surfaces(documents, resolution=200))
    point = operating_point(path, 0.3)
    figure = threshold_curves(path, theme="light")
    mark = threshold_mark(point, 9.0, theme="light")
    assert list(mark.x) == [point.thresholds[0]] * 2
    nothing = dataclasses.replace(point, status="unreachable")
    assert list(threshold_mark(nothing, 9.0, theme="light").x) == [None, None]
    for name, label in (("true positives, TP", True), ("false positives, FP", False)):
        trace = next(trace for trace in figure.data if trace.name == name)
        for threshold, height in zip(trace.x[::20], trace.y[::20], strict=True):
            assert height == ((documents.scores[:, 0] >= threshold) & (documents.labels == label)).sum()
    majorant = majorant_trace(path, "light")
    assert point.fp in majorant.x
    slopes = np.diff(majorant.y) / np.maximum(np.diff(majorant.x), 1e-12)
    assert (np.diff(slopes) <= 1e-9).all()


def test_points_that_are_not_reached_do_not_break_a_figure(found):
    documents, surfaces, paths, _ = found
    points = [operating_point(path, 0.999999) for path in paths]
    tp_fp_plane(paths, points, chosen="graph", theme="light")
    threshold_space(flat(documents, surfaces, points[0]), paths, points, chosen="graph", theme="light")


def test_a_path_of_the_users_own_is_drawn_everywhere(found):
    documents, surfaces, paths, _ = found
    own = dataclasses.replace(paths[0], method="last year's")
    point = operating_point(own, 0.2)
    plane, looks = flat(documents, surfaces, point), {"chosen": own.method, "theme": "light"}
    for figure in (
        threshold_space(plane, [own], [point], **looks),
        tp_fp_plane([own], [point], **looks),
    ):
        assert look_of(own.method).colour in figure.to_json()
