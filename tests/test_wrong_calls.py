"""Public functions refuse wrong arguments in one sentence."""

import functools

import numpy as np
import pytest

import multiloss_core as library
from multiloss_core import DataError

WRONG = {
    "None": None,
    "text": "text",
    "empty list": [],
    "mapping": {},
    "cube": np.ones((2, 2, 2)),
    "NaN": [np.nan, 0.5],
    "negative": -1,
    "two": 2,
    "object": object(),
    "ragged": [[0.1], [0.2, 0.3]],
    "bytes": b"\xff\xfe\x00",
    "infinity": float("inf"),
}


@functools.cache
def right():
    """Arguments that each function takes."""
    documents = library.simulate_population(np.random.default_rng(0), documents=20_000, prevalence=0.01).rated()
    surfaces, path = library.count_surfaces(documents, resolution=20), library.smooth_path(documents)
    loss = library.JACCARD
    targets = library.thresholds.targets
    return {
        library.operating_point: (path, 0.2),
        library.operating_points: (path, [0.2]),
        library.smooth_path: (documents,),
        library.graph_path: (surfaces,),
        library.mean_graph_path: (surfaces, np.random.default_rng(0)),
        library.benchmark_path: (surfaces,),
        library.analytic_path: (documents,),
        library.count_surfaces: (documents,),
        library.flagged: (documents.scores, [0.5, 0.5], "any"),
        library.combined_score: (documents,),
        library.optimal_top_k: ([0.1, 0.5], loss),
        library.expected_losses: ([0.1, 0.5], loss),
        library.batch_top_k: ([[0.1, 0.5]], loss),
        library.batch_expected_losses: ([[0.1, 0.5]], loss),
        library.multinomial_top_k: ([[0.1, 0.9]], loss),
        library.exhaustive_search: ([0.1, 0.5], loss),
        library.read_table: (b"a,b\n1,2\n",),
        library.read_rated: (b"model,verdict\n.9,fraud\n.7,ok\n",),
        library.f_beta_of_point: (library.operating_point(path, 0.2),),
        library.RatedDocuments: (documents.scores, documents.labels),
        library.ScoredItems: ([0.1, 0.5],),
        targets.point_for_alerts: (path, documents, 100),
        targets.point_for_precision: (path, documents, 0.5),
    }


def complaint(function, arguments):
    """The sentence of a documented exception; None for arguments that are taken."""
    try:
        function(*arguments)
    except DataError as error:
        return str(error)
    except FileNotFoundError as error:
        return f"{error}."
    return None


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_argument_is_one_sentence(wrong):
    taken = {}
    for function, arguments in right().items():
        for place in range(len(arguments)):
            given = [*arguments]
            given[place] = WRONG[wrong]
            sentence = complaint(function, given)
            if sentence is None:
                taken.setdefault(function.__name__, []).append(place)
            else:
                assert sentence.count("\n") == 0, function
                assert sentence.endswith("."), function
    # Of these values some are right for some arguments, but never for all.
    assert len(taken) < len(right()) / 2, taken
