"""Built-in samples of rated data, simulated: one to four classifiers, and a ready table of counts."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import count_surfaces, flagged, simulate_population
from multiloss_core.numerics import Bools
from multiloss_core.tables import Meaning
from ui.data.rated_datasets import ColumnChoice, RatedSource, first_choice

FRAUD_OR_OK: tuple[tuple[str, Meaning], ...] = (("fraud", "positive"), ("ok", "negative"))
UNRATED_SHARE = 0.02
FIRST_DAY = pd.Timestamp("2026-01-05")


@st.cache_resource(max_entries=8, show_spinner="Simulating a population …")
def sample(name: str) -> RatedSource:
    """Return a built-in sample; the same for everybody."""
    return SAMPLES[name](name)


def _documents_sample(*names: str, seed: int, with_context: bool = False) -> Callable[[str], RatedSource]:
    def make(title: str) -> RatedSource:
        generator = np.random.default_rng(seed)
        population = simulate_population(generator, classifiers=len(names), names=names, strength=3.5)
        kept = flagged(population.scores, population.floors, "any")
        frame = pd.DataFrame(population.scores[kept], columns=list(names))
        frame.insert(0, "document", np.flatnonzero(kept))
        ratings = np.where(population.labels[kept], "fraud", "ok").astype(object)
        ratings[generator.random(len(ratings)) < UNRATED_SHARE] = None
        frame["rating"] = ratings
        floors = tuple(population.floors.tolist())
        choice = ColumnChoice(is_counts=False, scores=names, rating="rating", meanings=FRAUD_OR_OK, floors=floors)
        if with_context:
            _add_context(frame, population.labels[kept], np.random.default_rng([seed, 1]))
            choice = replace(choice, amount="amount", time="time", segment="channel")
        return RatedSource(title, _fingerprint(frame), frame, choice)

    return make


def _add_context(frame: pd.DataFrame, fraud: Bools, generator: np.random.Generator) -> None:
    """Add to alerts in order of time what each was worth, when it came (in ten weeks) and through which channel."""
    n = len(fraud)
    amounts = np.where(fraud, 160.0, 60.0) * np.exp(np.where(fraud, 1.1, 1.0) * generator.standard_normal(n))
    weekdays = np.array([1.0, 0.95, 1.0, 1.05, 1.3, 0.8, 0.6])
    days = generator.choice(70, n, p=np.tile(weekdays, 10) / weekdays.sum() / 10)
    seconds = (days * 86_400 + 3_600 * generator.triangular(0, 16, 24, n)).astype(np.int64)
    channels = np.array(["online", "card present", "phone"], dtype=object)
    usual, in_fraud = (channels[generator.choice(3, n, p=shares)] for shares in ([0.5, 0.42, 0.08], [0.7, 0.1, 0.2]))
    frame["amount"] = np.maximum(amounts, 0.01).round(2)
    frame["time"] = FIRST_DAY + pd.to_timedelta(np.sort(seconds), unit="s")
    frame["channel"] = np.where(fraud, in_fraud, usual)


def _counts_sample(title: str) -> RatedSource:
    documents = simulate_population(np.random.default_rng(11), classifiers=2, strength=3.5).rated()
    surfaces = count_surfaces(documents, resolution=60)
    first, second = np.meshgrid(*surfaces.axes, indexing="ij")
    frame = pd.DataFrame(
        {"T1": first.ravel(), "T2": second.ravel(), "TP": surfaces.tp.ravel(), "FP": surfaces.fp.ravel()}
    ).astype({"TP": int, "FP": int})
    return RatedSource(title, _fingerprint(frame), frame, first_choice(frame))


def _fingerprint(frame: pd.DataFrame) -> str:
    return hashlib.sha256(pd.util.hash_pandas_object(frame).to_numpy().tobytes()).hexdigest()


SAMPLES: dict[str, Callable[[str], RatedSource]] = {
    "Card alerts": _documents_sample("transaction model", "account model", seed=20, with_context=True),
    "Login alerts": _documents_sample("login model", seed=21),
    "Marketplace listings": _documents_sample("listing model", "seller model", "message model", seed=22),
    "Insurance claims": _documents_sample("text model", "image model", "network model", "price model", seed=23),
    "Count table": _counts_sample,
}
