"""The examples in the docstrings of the library."""

import doctest
import inspect
import sys
from operator import attrgetter

import pytest

import multiloss_core

# Engines make RatedCounts; constants have the example of their class or of the functions that take them.
NAMES = [
    name
    for name in multiloss_core.__all__
    if (inspect.isclass(value := getattr(multiloss_core, name)) or inspect.isroutine(value)) and name != "RatedCounts"
]

OTHERS = (
    "decisions.record_of",
    "thresholds.Payoffs",
    "thresholds.targets.point_for_alerts",
    "thresholds.targets.point_for_precision",
)


@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_example_of_public_name_prints_its_output(name):
    documented = attrgetter(name)(multiloss_core)
    module = sys.modules[inspect.unwrap(documented).__module__]
    examples = [
        test for test in doctest.DocTestFinder().find(documented, name, module=module, globs={}) if test.examples
    ]
    assert examples
    for example in examples:
        assert doctest.DocTestRunner().run(example).failed == 0
