import numpy as np
import pytest

from experiments.natarajan.data import NATARAJAN_SETS, reuters, topics_with
from experiments.robles.data import ROBLES_SETS


@pytest.mark.parametrize(
    ("name", "shape", "test_rows", "share"),
    [
        ("reuters", (8293, 26221), 2347, 1 / 65),
        ("letters", (20000, 16), 4000, 1 / 26),
        ("scene", (2230, 294), 1093, 1 / 6),
        ("webpage", (34780, 300), 27824, 0.0282),
        ("spambase", (4601, 57), 1530, 0.394),
        ("image", (2310, 18), 1010, 0.5714),
        ("breast", (683, 9), 220, 0.35),
    ],
)
def test_a_set_of_natarajan_et_al_has_the_papers_rows(papers_data, name, shape, test_rows, share):
    problems = NATARAJAN_SETS[name](papers_data)
    assert problems.features.shape == shape
    assert problems.labels.shape == (shape[0], len(problems.classes))
    assert shape[0] - problems.training_rows == test_rows
    assert problems.is_test is None or np.count_nonzero(problems.is_test) == test_rows
    assert problems.labels.mean() == pytest.approx(share, abs=1e-3)


def test_reuters_has_the_papers_numbers_of_topics(papers_data):
    problems = reuters(papers_data)
    assert [len(topics_with(problems, least)) for least in (1, 10, 50, 100)] == [51, 21, 6, 2]


@pytest.mark.parametrize(
    ("name", "rows", "share"),
    [("bank", 41188, 0.1127), ("mammography", 11183, 0.0233), ("creditcard", 284807, 0.00173)],
)
def test_robles_set_has_its_rows_and_positives(papers_data, name, rows, share):
    table = ROBLES_SETS[name](papers_data)
    assert len(table.columns) == table.labels.size == table.weights.size
    assert table.weights.sum() == pytest.approx(rows)
    assert table.weights @ table.labels / rows == pytest.approx(share, abs=1e-4)
