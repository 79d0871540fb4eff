import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from multiloss_core import DataError
from multiloss_core.numerics.proportions import share_interval


@given(documents=st.integers(1, 10_000), part=st.floats(0, 1), level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_whole_numbers_give_the_interval_of_scipy(documents, part, level):
    positives = round(part * documents)
    expected = binomtest(positives, documents).proportion_ci(level, method="wilson")
    np.testing.assert_allclose(share_interval(positives, documents, level), expected, rtol=1e-13, atol=1e-15)


def test_arrays_give_the_interval_of_each_entry():
    positives, documents = np.array([[0, 3], [7.5, 20]]), np.array([[0, 10], [30.25, 20]])
    low, high = share_interval(positives, documents)
    assert low.shape == high.shape == (2, 2)
    for place in np.ndindex(2, 2):
        np.testing.assert_array_equal(share_interval(positives[place], documents[place]), [low[place], high[place]])


def test_the_ends_are_exact_and_rounding_does_no_harm():
    assert share_interval(0, 12.3)[0] == 0
    assert share_interval(0.1 + 0.2, 0.3)[1] == 1


@pytest.mark.parametrize(("positives", "documents"), [(-1, 5), (6, 5), ([1, 2], [1, 1]), (1, 0)])
def test_more_positives_than_documents_are_refused(positives, documents):
    with pytest.raises(DataError, match="between 0 and the number"):
        share_interval(positives, documents)
