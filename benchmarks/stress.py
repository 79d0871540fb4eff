"""Simulate populations that make the choice of thresholds hard.

Difficulties of real detectors: precision that falls from 1 to 0 within a few documents, rounded scores,
atoms, false alerts at high scores, classifiers that must agree, useless or dominating ones, negative dependence, a
prevalence from 0.5 to 40 %. The last kinds are detectors trained on public tables, their scores smoothed; they need
the folder `shared/data` beside the checkout.
"""

import gzip
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import expit

from experiments.files import BESIDE_THE_CHECKOUT
from experiments.natarajan.data import LETTERS, NATARAJAN_SETS
from experiments.robles.data import ROBLES_SETS
from multiloss_core.numerics import Bools, Floats

DATA = BESIDE_THE_CHECKOUT
# Number of the most common words of messages.
WORDS = 400
TREES = 100


def available_detectors() -> list[str]:
    """Name those whose tables are there."""
    return [name for name, (folder, _) in _TABLES.items() if (DATA / folder).is_dir()]


@cache
def real_scores(name: str) -> tuple[Floats, Bools]:
    """Score a public table by two detectors (n, 2), out of fold, in log odds; return labels too.

    One is a logistic regression on the even columns, the other a random forest on the odd ones.
    """
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.model_selection import cross_val_predict  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    columns, labels = _TABLES[name][1]()
    detectors = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        RandomForestClassifier(TREES, min_samples_leaf=3, random_state=0, n_jobs=1),
    )
    found = [
        cross_val_predict(detector, columns[:, j::2], labels, cv=5, method="predict_proba")[:, 1]
        for j, detector in enumerate(detectors)
    ]
    shares = np.clip(np.column_stack(found), 1e-4, 1 - 1e-4)
    return np.log(shares / (1 - shares)), labels


def _outcomes(name: str) -> tuple[Floats, Bools]:
    table = ROBLES_SETS[name]()
    # The duration of a call is known only after its outcome.
    columns = table.columns.drop(columns="duration", errors="ignore")
    return pd.get_dummies(columns).to_numpy(dtype=np.float64), table.labels


def _class(name: str, index: int) -> tuple[Floats, Bools]:
    problems = NATARAJAN_SETS[name]()
    features = problems.features
    dense = features if isinstance(features, np.ndarray) else features.toarray()
    return dense, problems.labels[:, index]


def _spam() -> tuple[Floats, Bools]:
    return _class("spambase", 0)


def _segment() -> tuple[Floats, Bools]:
    with gzip.open(DATA / "image_segment/segment.arff.gz", "rt") as file:
        rows = [line.strip().split(",") for line in file if line[:1].isdigit()]
    table = pd.DataFrame(rows).drop_duplicates()
    return table.iloc[:, :-1].to_numpy(dtype=np.float64), table.iloc[:, -1].eq("cement").to_numpy()


def _scene() -> tuple[Floats, Bools]:
    rows = []
    for part in ("train", "test"):
        with gzip.open(DATA / f"scene/scene-{part}.arff.gz", "rt") as file:
            rows += [line for line in file if line[:1].isdigit()]
    table = np.loadtxt(rows, delimiter=",")
    # The last six columns are kinds of scenes: the first are beaches.
    return table[:, :-6], table[:, -6] == 1


def _reuters() -> tuple[Floats, Bools]:
    with np.load(DATA / "reuters/reuters_modapte_single_tf.npz", allow_pickle=False) as file:
        counts = csr_array((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))
        commonest = np.argsort(-np.diff(counts.tocsc().indptr), kind="stable")[:WORDS]
        topics = file["topics"][file["y"]]
    return np.log1p(counts[:, commonest].toarray().astype(np.float64)), topics == "crude"


# The folder of each table, and how it is read.
_TABLES: dict[str, tuple[str, Callable[[], tuple[Floats, Bools]]]] = {
    "card_detectors": ("creditcard_casecontrol", partial(_outcomes, "creditcard")),
    "mammography_detectors": ("mammography", partial(_outcomes, "mammography")),
    "bank_detectors": ("bank_marketing", partial(_outcomes, "bank")),
    "letter_detectors": ("letter", partial(_class, "letters", LETTERS.index("H"))),
    "spam_detectors": ("spambase", _spam),
    "webpage_detectors": ("webpage_w8a", partial(_class, "webpage", 0)),
    "tumour_detectors": ("breast_cancer", partial(_class, "breast", 0)),
    "image_detectors": ("image_segment", _segment),
    "scene_detectors": ("scene", _scene),
    "news_detectors": ("reuters", _reuters),
}

Draw = Callable[[np.random.Generator, int, bool], Floats]
# How wide scores of real detectors are smeared, as a share of their standard deviation in log odds.
BANDWIDTH = 0.06


def _mixture(
    shifts: list[list[float]], generator: np.random.Generator, count: int, positive: bool, *, correlation: float = 0.0
) -> Floats:
    """Draw unit normals; a positive is of one of the kinds whose `shifts` (kinds, k) it gets."""
    k = len(shifts[0])
    scores = np.sqrt(1 - abs(correlation)) * generator.standard_normal((count, k))
    shared = np.sqrt(abs(correlation)) * generator.standard_normal((count, 1))
    scores += shared * np.where(np.arange(k) % 2, np.sign(correlation) or 1.0, 1.0)
    if positive:
        scores += np.array(shifts)[generator.integers(0, len(shifts), count)]
    return scores


def _cliff(
    generator: np.random.Generator, count: int, positive: bool, *, scattered: float = 0.04, k: int = 2
) -> Floats:
    """Draw positives far above negatives in one score, and a few of each misplaced."""
    scores = generator.gumbel(0.0, 1.0, (count, k))
    if positive:
        strong = generator.integers(0, k, count)[:, np.newaxis] == np.arange(k)
        scores = np.where(strong, 9.0 + generator.exponential(2.0, (count, k)), scores + 3.0)
        astray = generator.random(count) < scattered
        scores[astray] = generator.gumbel(1.0, 1.0, (int(astray.sum()), k))
    else:
        astray = generator.random(count) < scattered / 100
        scores[astray] = 8.0 + generator.exponential(2.0, (int(astray.sum()), k))
    return scores


def _agreeing(generator: np.random.Generator, count: int, positive: bool, *, k: int, gap: float) -> Floats:
    """Draw false alerts of single classifiers, and positives with high scores in all."""
    scores = generator.standard_normal((count, k))
    if positive:
        return scores + gap + 0.6 * generator.standard_normal((count, 1))
    fooled = generator.integers(0, k + 1, count)[:, np.newaxis] == np.arange(k)
    return np.asarray(scores + np.where(fooled, gap + 0.5, 0.0))


def _rounded(step: float, draw: Draw, generator: np.random.Generator, count: int, positive: bool) -> Floats:
    scores = expit(1.3 * draw(generator, count, positive) - 2.5)
    return np.asarray(np.floor(999 * scores) if step >= 1 else np.round(scores / step) * step)


def _with_atom(draw: Draw, generator: np.random.Generator, count: int, positive: bool) -> Floats:
    """Replace scores at random by a default score: many false alerts at one value."""
    scores = draw(generator, count, positive)
    unknown = generator.random(scores.shape) < (0.05 if positive else 0.2)
    return np.asarray(np.where(unknown, 1.7, scores))


def _with_block(draw: Draw, generator: np.random.Generator, count: int, positive: bool) -> Floats:
    """Raise the first score of some negatives."""
    scores = draw(generator, count, positive)
    if not positive:
        blocked = generator.random(count) < 0.02
        scores[blocked, 0] = 3.4 + 0.1 * generator.standard_normal(int(blocked.sum()))
    return scores


_TWO = [[2.6, 0.4], [0.4, 2.6], [2.0, 2.0]]
_BOTH = partial(_mixture, _TWO)
# The share of positives among rated documents, the share of documents above each floor, how they are drawn.
SYNTHETIC: dict[str, tuple[float, float, Draw]] = {
    "cliff1": (0.02, 1.0, partial(_cliff, k=1)),
    "cliff2": (0.02, 1.0, _cliff),
    "clean_cliff2": (0.01, 0.8, partial(_cliff, scattered=0.005)),
    "cliff3": (0.03, 0.8, partial(_cliff, k=3)),
    "rounded_hundredth2": (0.05, 0.7, partial(_rounded, 0.01, _BOTH)),
    "rounded_twentieth2": (0.05, 1.0, partial(_rounded, 0.05, _BOTH)),
    "integers2": (0.05, 0.7, partial(_rounded, 1.0, _BOTH)),
    "atom2": (0.05, 0.8, partial(_with_atom, _BOTH)),
    "block2": (0.05, 0.8, partial(_with_block, _BOTH)),
    "block1": (0.05, 1.0, partial(_with_block, partial(_mixture, [[2.4]]))),
    "useless2": (0.05, 0.8, partial(_mixture, [[2.2, 0.0]])),
    "dominating3": (0.03, 0.8, partial(_mixture, [[3.2, 0.9, 0.6]])),
    "opposed2": (0.05, 0.8, partial(_mixture, _TWO, correlation=-0.5)),
    "rare2": (0.005, 0.5, _BOTH),
    "common2": (0.4, 0.8, _BOTH),
    "plain1": (0.05, 1.0, partial(_mixture, [[2.4]])),
    "four4": (0.03, 0.5, partial(_mixture, (2.4 * np.eye(4) + 0.4).tolist(), correlation=0.3)),
}
# Under the rule `all`, where every classifier must agree.
AGREEING: dict[str, tuple[float, float, Draw]] = {
    "agree2": (0.03, 0.8, partial(_agreeing, k=2, gap=2.4)),
    "agree3": (0.03, 0.8, partial(_agreeing, k=3, gap=2.2)),
    "strong_agree2": (0.02, 0.8, partial(_agreeing, k=2, gap=4.5)),
    "weak_agree4": (0.1, 0.9, partial(_agreeing, k=4, gap=1.3)),
}


def _smeared(name: str, generator: np.random.Generator, count: int, positive: bool) -> Floats:
    """Draw from the scores of a table with normal noise."""
    scores, labels = real_scores(name)
    kind = scores[labels == positive]
    width = BANDWIDTH * scores.std(axis=0)
    return np.asarray(kind[generator.integers(0, len(kind), count)] + width * generator.standard_normal((count, 2)))


# Share of positives and of documents above each floor as above.
_DETECTORS = {
    "card_detectors": (0.02, 0.7),
    "mammography_detectors": (0.03, 0.8),
    "bank_detectors": (0.11, 0.8),
    "letter_detectors": (0.037, 0.8),
    "spam_detectors": (0.1, 0.8),
    "webpage_detectors": (0.03, 0.8),
}
REAL = {name: (share, rated, partial(_smeared, name)) for name, (share, rated) in _DETECTORS.items()}
STRESS = {**SYNTHETIC, **AGREEING, **{name: kind for name, kind in REAL.items() if name in available_detectors()}}
