"""The examples in the docstrings of the library."""

import doctest
import inspect
import sys

import pytest

import multiloss_core

MAIN = (
    *("read_table", "RatedDocuments", "CountSurfaces", "count_surfaces", "flagged", "simulate_population"),
    *("graph_path", "mean_graph_path", "benchmark_path", "analytic_path", "smooth_path"),
    *("operating_point", "operating_points", "f_beta_of_point", "ThresholdSelector", "TopKClassifier"),
    *(
        "expected_losses",
        "optimal_top_k",
        "batch_expected_losses",
        "batch_top_k",
        "multinomial_top_k",
        "exhaustive_search",
    ),
    *("ScoredItems", "FractionalLinear", "UserLoss"),
)


@pytest.mark.parametrize("name", MAIN)
def test_example_of_public_name_prints_its_output(name):
    documented = getattr(multiloss_core, name)
    module = sys.modules[inspect.unwrap(documented).__module__]
    examples = [
        test for test in doctest.DocTestFinder().find(documented, name, module=module, globs={}) if test.examples
    ]
    assert examples
    for example in examples:
        assert doctest.DocTestRunner().run(example).failed == 0
