"""Measure how fast expected losses are found: `python -m benchmarks.losses` prints Markdown tables.

Speed and peak memory at a million items are measured in a fresh process each. The quadratic dynamic programme that
others use runs row by row in NumPy; compiled with numba it took about as long.
"""

import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial, reduce
from multiprocessing import get_context
from statistics import median
from time import perf_counter

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.shared.reporting import interleaved, print_header, print_row, print_setup
from multiloss_core import AM, AUC, G_MEAN, G_TP_PR, H_MEAN, JACCARD, LOSSES, F, expected_losses, optimal_top_k
from multiloss_core.losses import Loss
from multiloss_core.losses.expected.cubic import loss_matrix
from multiloss_core.numerics import Bools, Floats

NEAR_LINEAR = (F(), JACCARD, AM, G_TP_PR, AUC)
TOLERANCE = 1e-9


def main() -> None:
    print_setup("Expected multivariate losses: speed", ["NumPy", "SciPy"], ".")
    print_speed()
    print_against_dynamic_programme()
    print_windowed()
    print_uncertified_rules()
    print_consistency()


def random_vectors(n: int, count: int, seed: int) -> list[Floats]:
    """Draw uniform, sparse, skewed, almost certain and all but certain probabilities in turn."""
    generator = np.random.default_rng(seed)
    kinds: list[Callable[[], Floats]] = [
        lambda: generator.random(n),
        lambda: generator.beta(0.05, 2.0, n),
        lambda: generator.random(n) ** 6,
        lambda: generator.beta(0.1, 0.1, n),
        lambda: 1.0 - generator.random(n) ** 6,
    ]
    return [kinds[i % len(kinds)]() for i in range(count)]


def print_speed() -> None:
    print(f"## Every k, tolerance {TOLERANCE:g}: seconds (peak memory of the process)\n")
    sizes = (10_000, 100_000, 1_000_000)
    print_header("loss", "probabilities", *(f"n = {n:,}" for n in sizes), "bound at the last")
    for loss in NEAR_LINEAR:
        for kind in ("uniform", "sparse", "mean count 10"):
            cells, bound = [], 0.0
            for n in sizes:
                seconds, peak, bound = in_fresh_process(loss.name, kind, n)
                cells.append(f"{seconds:.3f} ({peak:,.0f} MB)")
            print_row(loss.name, kind, *cells, f"{bound:.1e}")
    print()


def in_fresh_process(name: str, kind: str, n: int) -> tuple[float, float, float]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, name, kind, n).result()


def measure(name: str, kind: str, n: int) -> tuple[float, float, float]:
    """Find the median seconds of three runs, peak megabytes, and the error bound."""
    find = partial(expected_losses, probabilities_of(kind, n), LOSSES[name], tolerance=TOLERANCE)
    (seconds,) = interleaved([find], repetitions=3)
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return seconds, kilobytes / 1024, find().error_bound


def probabilities_of(kind: str, n: int) -> Floats:
    generator = np.random.default_rng(0)
    if kind == "uniform":
        return generator.random(n)
    return generator.beta(0.05, 2.0, n) if kind == "sparse" else generator.random(n) * 20.0 / n


def print_against_dynamic_programme() -> None:
    print("## Expected F1 for every k: against a dynamic programme with O(n^2) time and memory (Ye et al. 2012)\n")
    print_header(
        "n", "dynamic programme", "its table", "near_linear", "times faster", "quadratic", "largest difference"
    )
    for n in (1_000, 10_000):
        descending = np.sort(np.random.default_rng(1).random(n))[::-1].copy()
        programme = partial(f1_by_dynamic_programme, descending)
        near_linear = partial(expected_losses, descending, F(), method="near_linear")
        quadratic = partial(expected_losses, descending, F(), method="quadratic")
        slow, fast, exact = interleaved([programme, near_linear, quadratic], repetitions=3)
        difference = np.abs(programme() - (1.0 - near_linear().values))[1:].max()
        print_row(
            *(f"{n:,}", f"{slow:.3f} s", f"{8 * (n + 1) ** 2 / 1e6:,.0f} MB", f"{fast:.4f} s"),
            *(f"{slow / fast:.0f}", f"{exact:.3f} s", f"{difference:.1e}"),
        )
    print()


def f1_by_dynamic_programme(descending: Floats) -> Floats:
    """Find expected F1 for k = 1..n: a table of count probabilities, and E[1 / (a + K2)] for a = 1..2n from the end."""
    n = descending.size
    table = np.zeros((n + 1, n + 1))
    table[0, 0] = 1.0
    for i, eta in enumerate(descending):
        table[i + 1] = table[i] * (1.0 - eta)
        table[i + 1, 1:] += table[i, :-1] * eta
    inverse = np.append(0.0, 1.0 / np.arange(1, 2 * n + 1))
    utility = np.zeros(n + 1)
    for k in range(n, 0, -1):
        counts = np.arange(1, k + 1)
        utility[k] = 2.0 * (counts * table[k, 1 : k + 1]) @ inverse[k + 1 : 2 * k + 1]
        eta = descending[k - 1]
        # Only a <= 2 (k - 1) is read from here on.
        inverse[1 : 2 * k] = eta * inverse[2 : 2 * k + 1] + (1.0 - eta) * inverse[1 : 2 * k]
    return utility


def print_windowed() -> None:
    print("## G-Mean and H-Mean at n = 10,000: every k, and so the optimal one, tolerance 1e-6\n")
    print_header("loss", "probabilities", "seconds", "optimal k", "expected loss", "bound")
    for loss in (G_MEAN, H_MEAN):
        for kind in ("uniform", "sparse", "all 1/2"):
            probabilities = np.full(10_000, 0.5) if kind == "all 1/2" else probabilities_of(kind, 10_000)
            start = perf_counter()
            found = optimal_top_k(probabilities, loss, tolerance=1e-6)
            seconds = perf_counter() - start
            figures = f"{seconds:.2f}", f"{found.k:,}", f"{found.expected_loss:.6f}", f"{found.error_bound:.1e}"
            print_row(loss.name, kind, *figures)
    print()


def print_uncertified_rules() -> None:
    print("## Expected F1 lost by near-linear rules without a certificate\n")
    print(
        "Reciprocal moments (the RMA formula of rankseg): the k >= 1 with the largest 2 sum / (mu + k + 1). Ratio of "
        "expectations: the largest 2 sum / (mu + k). Neither weighs k = 0, so regret is against the best k >= 1; the "
        "last column adds what forgetting k = 0 costs them. Mean (largest) over 500 vectors, uniform, sparse, skewed "
        "and almost certain in turn.\n"
    )
    print_header(
        *("n", "reciprocal moments", "ratio of expectations", "optimal_top_k (proven), k = 0 included"),
        *("ms: moments", "ms: ratio", "ms: ours", "without k = 0"),
    )
    rules = partial(_best_of, shift=1.0), partial(_best_of, shift=0.0), by_certified
    for n in (10, 50, 200, 1000):
        regrets: list[list[float]] = [[], [], []]
        times: list[list[float]] = [[], [], []]
        forgotten, bound = [], 0.0
        for vector in random_vectors(n, 500, n):
            exact = expected_losses(vector, F(), method="quadratic").values
            for i, rule in enumerate(rules):
                start = perf_counter()
                k = rule(vector)
                times[i].append(1000.0 * (perf_counter() - start))
                regrets[i].append(float(exact[k] - (exact if i == 2 else exact[1:]).min()))
            forgotten.append(float(exact[1:].min() - exact.min()))
            bound = max(bound, expected_losses(vector, F()).error_bound)
        cells = [f"{np.mean(regret):.5f} ({max(regret):.3f})" for regret in regrets[:2]]
        cells.append(f"{max(regrets[2]):.0e} <= {2 * bound + 1e-12:.0e}")
        milliseconds = (f"{median(time):.3f}" for time in times)
        print_row(f"{n:,}", *cells, *milliseconds, f"{np.mean(forgotten):.5f} ({max(forgotten):.3f})")
    print()


def by_certified(probabilities: Floats) -> int:
    return optimal_top_k(probabilities, F()).k


def _best_of(probabilities: Floats, shift: float) -> int:
    sums = np.cumsum(np.sort(probabilities)[::-1])
    return int(np.argmax(2.0 * sums / (sums[-1] + np.arange(1, sums.size + 1) + shift))) + 1


def print_consistency() -> None:
    print("## Theorem 3: the loss of a prediction from estimated probabilities tends to the smallest\n")
    print(
        "50 items in the plane, P(Y = 1 | x) a sigmoid of w.x + b; w and b estimated by logistic regression on m other "
        "labelled items. Mean excess of the true expected loss over the optimum, 60 repetitions.\n"
    )
    losses = (F(), JACCARD, AM, G_TP_PR, G_MEAN, H_MEAN)
    print_header("m", *(loss.name for loss in losses))
    for size in (30, 100, 300, 1_000, 10_000, 100_000):
        generator = np.random.default_rng(7)
        excess = np.zeros(len(losses))
        for _ in range(60):
            weights = np.append(1.5 * generator.standard_normal(2), -1.0)
            train, items = with_constant(generator, size), with_constant(generator, 50)
            labels = generator.random(size) < expit(train @ weights)
            truth, estimate = expit(items @ weights), expit(items @ fitted_weights(train, labels))
            for i, loss in enumerate(losses):
                chosen = optimal_top_k(estimate, loss).selected
                excess[i] += true_loss(chosen, truth, loss) - optimal_top_k(truth, loss).expected_loss
        print_row(f"{size:,}", *(f"{value:.6f}" for value in excess / 60))


def with_constant(generator: np.random.Generator, size: int) -> Floats:
    return np.column_stack([generator.standard_normal((size, 2)), np.ones(size)])


def fitted_weights(x: Floats, labels: Bools) -> Floats:
    """Fit a logistic regression with a penalty that vanishes as the sample grows."""

    def objective(weights: Floats) -> tuple[float, Floats]:
        scores = x @ weights
        value = np.logaddexp(0.0, scores).sum() - scores[labels].sum() + 0.05 * weights @ weights
        return float(value), x.T @ (expit(scores) - labels) + 0.1 * weights

    return np.asarray(minimize(objective, np.zeros(x.shape[1]), jac=True).x)


def true_loss(chosen: Bools, truth: Floats, loss: Loss) -> float:
    """Find the expected loss of any prediction from the Poisson-binomial chances of both counts."""
    flagged, others = (
        reduce(np.convolve, [np.array([1.0 - p, p]) for p in truth[side]], np.ones(1)) for side in (chosen, ~chosen)
    )
    return float(flagged @ loss_matrix(loss, chosen.size, int(chosen.sum())) @ others)


if __name__ == "__main__":
    main()
