"""How fast thresholds are found: `python -m benchmarks.thresholds` prints Markdown tables.

Every ratio compares two ways in one run, their repetitions interleaved, by medians.
"""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter

import networkx as nx
import numpy as np

from benchmarks.real_halves import FOLDER, read_rated
from benchmarks.reporting import print_setup, print_table
from multiloss_core import (
    CountSurfaces,
    RatedDocuments,
    analytic_path,
    count_surfaces,
    graph_path,
    operating_point,
    operating_points,
    smooth_path,
)
from multiloss_core.numerics import Floats
from multiloss_core.thresholds import SPACINGS, Spacing, bucket_counts, classifier_margins, grid_axes, to_networkx
from multiloss_core.thresholds.data.count_surfaces import surfaces_from_buckets
from multiloss_core.thresholds.data.grid_counts import Axes


def main() -> None:
    print_setup("Speed of thresholds", ["NumPy", "SciPy", "networkx"], ". Medians; ratios of one run.")
    million = documents_of(1_000_000)
    compare_graph_paths(documents_of(20_000))
    compare_counting(million)
    time_paths(million)
    time_default(million)
    time_points(million)


def interleaved(
    ways: Sequence[Callable[[], object]], *, repetitions: int, inner: tuple[int, ...] | None = None
) -> list[float]:
    """Time all ways in turn, under the same noise; return median seconds of each."""
    inner = inner or (1,) * len(ways)
    for way, times in zip(ways, inner, strict=True):
        if times > 1 or repetitions > 2:
            way()
    seconds: list[list[float]] = [[] for _ in ways]
    for _ in range(repetitions):
        for way, times, measured in zip(ways, inner, seconds, strict=True):
            start = perf_counter()
            for _ in range(times):
                way()
            measured.append((perf_counter() - start) / times)
    return [median(measured) for measured in seconds]


def documents_of(count: int, seed: int = 0) -> RatedDocuments:
    """Documents with two scores in (0, 1), 5 % positive, all above some floor."""
    generator = np.random.default_rng(seed)
    labels = generator.random(count) < 0.05
    scores = 1 / (1 + np.exp(-generator.standard_normal((count, 2)) - labels[:, np.newaxis]))
    floors = [0.1, 0.1]
    below = (scores < floors).all(axis=1)
    scores[below, 0] = floors[0]
    return RatedDocuments(scores, labels, names=("left", "right"), floors=floors)


def compare_graph_paths(documents: RatedDocuments) -> None:
    surfaces = count_surfaces(documents)
    last = tuple(n - 1 for n in surfaces.tp.shape)
    graph = to_networkx(surfaces)

    def search() -> float:
        return float(nx.bellman_ford_path_length(graph, (0, 0), last))

    ours, build, theirs = interleaved(
        [lambda: graph_path(surfaces), lambda: to_networkx(surfaces), search], repetitions=2, inner=(10, 1, 1)
    )
    difference = abs(graph_path(surfaces).area / -search() - 1)
    print_table(
        f"Best path on a {last[0] + 1} x {last[1] + 1} grid (relative difference of the areas: {difference:.0e})",
        ("way", "seconds", "`graph_path` is faster by"),
        [
            ("`graph_path`", f"{ours:.4f}", ""),
            ("networkx: build the graph", f"{build:.4f}", f"{build / ours:.1f}"),
            ("networkx: Bellman-Ford on it", f"{theirs:.4f}", f"{theirs / ours:.1f}"),
            ("networkx: both", f"{build + theirs:.4f}", f"{(build + theirs) / ours:.1f}"),
        ],
    )
    rows = []
    for resolution in (200, 500, 1000):
        large = count_surfaces(documents, resolution=resolution)
        seconds = interleaved([lambda large=large: graph_path(large)], repetitions=5)[0]
        rows.append((f"{resolution} x {resolution}", f"{seconds:.3f}"))
    third = documents.scores.mean(axis=1)
    three = RatedDocuments(np.column_stack([documents.scores, third]), documents.labels, floors=[0.1] * 3)
    cube = count_surfaces(three, resolution=100)
    rows.append(("100 x 100 x 100", f"{interleaved([lambda: graph_path(cube)], repetitions=5)[0]:.3f}"))
    print_table("`graph_path` on larger grids", ("nodes", "seconds"), rows)


def compare_counting(documents: RatedDocuments) -> None:
    rows = []
    for spacing in SPACINGS:
        axes = grid_axes(documents, 100, spacing)
        edges = [np.concatenate([[-np.inf], axis, [np.inf]]) for axis in axes]

        def on_given_axes(axes: Axes = axes) -> CountSurfaces:
            return surfaces_from_buckets(bucket_counts(documents, axes), "any", documents.names)

        def in_all(spacing: Spacing = spacing) -> CountSurfaces:
            return count_surfaces(documents, resolution=100, spacing=spacing)

        def histograms(edges: list[Floats] = edges) -> list[Floats]:
            return [
                np.histogram2d(*documents.scores[documents.labels == positive].T, bins=edges)[0]
                for positive in (True, False)
            ]

        counted, whole, histogram = interleaved([on_given_axes, in_all, histograms], repetitions=7)
        assert histograms()[0].sum() == on_given_axes().tp[0, 0] == in_all().tp[0, 0]
        ours = (text for ours in (counted, whole) for text in (f"{ours:.3f}", f"{histogram / ours:.2f}"))
        rows.append((spacing, f"{histogram:.3f}", *ours))
    print_table(
        f"Counting {len(documents.labels):,} documents on 100 x 100 nodes, seconds",
        (
            "spacing",
            "two `numpy.histogram2d` on given edges",
            "surfaces on the same edges",
            "times faster",
            "`count_surfaces`, which also finds the edges",
            "times faster",
        ),
        rows,
    )


def time_paths(documents: RatedDocuments) -> None:
    few = documents_of(10_000)
    surfaces = count_surfaces(few)
    rows = []
    for family in ("power", "beta"):
        from_many, from_few, from_table = interleaved(
            [
                lambda family=family: analytic_path(documents, family=family),
                lambda family=family: analytic_path(few, family=family),
                lambda family=family: analytic_path(surfaces, family=family),
            ],
            repetitions=3,
        )
        rows.append((family, f"{from_many:.2f}", f"{from_few:.2f}", f"{from_table:.2f}"))
    print_table(
        "`analytic_path`, two classifiers, seconds",
        ("family", f"{len(documents.labels):,} documents", f"{len(few.labels):,} documents", "100 x 100 table"),
        rows,
    )
    path = graph_path(count_surfaces(documents))
    seconds = interleaved([lambda: documents.counts_along(path.thresholds, "any")], repetitions=5)[0]
    print_table("Exact recount of a path", ("documents", "seconds"), [(f"{len(documents.labels):,}", f"{seconds:.3f}")])


def time_default(documents: RatedDocuments) -> None:
    rows, sources = [], [documents_of(10_000), documents]
    file = FOLDER / "bssr1_four_scores_rated.csv"
    if file.exists():
        frame, columns = read_rated(file)
        sources.append(RatedDocuments.from_frame(frame, **columns))
    for source in sources:
        seconds = interleaved([lambda source=source: smooth_path(source)], repetitions=3)[0]
        rows.append((f"{len(source.labels):,}", len(source.names), f"{seconds:.2f}"))
    print_table("`smooth_path`, resamples included, seconds", ("documents", "classifiers", "seconds"), rows)


def time_points(documents: RatedDocuments) -> None:
    path = graph_path(count_surfaces(documents, resolution=500))
    start = perf_counter()
    operating_point(path, 0.2)
    first = perf_counter() - start
    targets = np.linspace(0.01, 0.99, 99)
    one, many, margins = interleaved(
        [
            lambda: operating_point(path, 0.2),
            lambda: operating_points(path, targets),
            lambda: classifier_margins(documents, operating_point(path, 0.2)),
        ],
        repetitions=7,
        inner=(1000, 10, 1),
    )
    print_table(
        f"Operating point on a path of {len(path.tp):,} vertices, microseconds",
        ("what", "microseconds"),
        [
            ("first look-up (with the majorant)", f"{first * 1e6:,.0f}"),
            ("each further look-up", f"{one * 1e6:,.1f}"),
            ("each of 99 at once", f"{many / len(targets) * 1e6:,.1f}"),
            (f"point and its margins, {len(documents.labels):,} documents, sorted before", f"{margins * 1e6:,.0f}"),
        ],
    )


if __name__ == "__main__":
    main()
