from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloss_core import DataError, RatedDocuments
from multiloss_core.sources import RuleSet
from multiloss_core.thresholds.data.undecided_documents import UndecidedDocuments

NAMES = ("model", "device", "velocity", "country")


def queue() -> RatedDocuments:
    generator = np.random.default_rng(5)
    scores = np.hstack([generator.random((60, 2)), generator.random((60, 2)) < 0.4])
    scores = scores[(scores >= [0.5, 0.6, 1, 1]).any(axis=1)]
    labels = generator.random(len(scores)) < 0.3
    waiting = UndecidedDocuments(scores=scores[:5], weights=np.full(5, 2.0), rows=np.arange(5))
    weights = generator.choice([1.0, 2.5], len(scores))
    return RatedDocuments(
        scores, labels, weights, NAMES, [0.5, 0.6], alert_rules=2, undecided=waiting, groups=np.arange(len(scores)) // 2
    )


THRESHOLDS = st.tuples(
    st.sampled_from([0.5, 0.8, inf]), st.sampled_from([0.6, 0.9, inf]), *[st.sampled_from([1.0, inf])] * 2
)


@given(THRESHOLDS, st.permutations(NAMES))
def test_first_match_wins(thresholds: tuple[float, ...], order: list[str]) -> None:
    """Against a loop over documents."""
    documents = queue()
    found = {source.name: source for source in RuleSet.of(documents, thresholds, order).sources}
    limits = dict(zip(NAMES, thresholds, strict=True))
    first = {name: [0.0, 0.0] for name in NAMES}
    alone = {name: [0.0, 0.0] for name in NAMES}
    for row, label, weight in zip(documents.scores, documents.labels, documents.weights, strict=True):
        raised = [name for name in order if row[NAMES.index(name)] >= limits[name]]
        if raised:
            first[raised[0]][int(label)] += weight
        for name in NAMES:
            would = limits[name] if name in NAMES[:2] else 1.0
            if row[NAMES.index(name)] >= would and not set(raised) - {name}:
                alone[name][int(label)] += weight
    waiting = dict.fromkeys(NAMES, 0.0)
    for row, weight in zip(documents.undecided.scores, documents.undecided.weights, strict=True):
        raised = [name for name in order if row[NAMES.index(name)] >= limits[name]]
        if raised:
            waiting[raised[0]] += weight
    for name, source in found.items():
        assert [source.incremental.fp, source.incremental.tp] == pytest.approx(first[name])
        assert [source.unique.fp, source.unique.tp] == pytest.approx(alone[name])
        assert source.undecided == pytest.approx(waiting[name])
        assert source.is_shadowed == (
            source.is_active and source.raised.alerts > 0 and not sum(first[name]) and not waiting[name]
        )
    assert [source.name for source in RuleSet.of(documents, thresholds, order).sources] == list(order)
    counted = documents.counts_at(np.array(thresholds))
    assert sum(source.incremental.tp for source in found.values()) == pytest.approx(counted.tp)
    assert sum(source.incremental.fp for source in found.values()) == pytest.approx(counted.fp)


@given(THRESHOLDS, st.sampled_from(NAMES[2:]))
def test_a_switch_changes_the_counts_by_alone(thresholds: tuple[float, ...], name: str) -> None:
    documents, place = queue(), NAMES.index(name)
    on, off = (np.array([*thresholds[:place], value, *thresholds[place + 1 :]]) for value in (1.0, inf))
    before, after = documents.counts_at(on), documents.counts_at(off)
    for state in (on, off):
        alone = next(one.unique for one in RuleSet.of(documents, state).sources if one.name == name)
        assert (alone.tp, alone.fp) == pytest.approx((before.tp - after.tp, before.fp - after.fp))


def test_every_score_needed() -> None:
    """Under the rule of all scores `alone` counts documents that one score holds back."""
    documents = RatedDocuments([[0.9, 0.1], [0.8, 0.9], [0.1, 0.9], [0.7, 0.2]], [1, 1, 0, 0], floors=[0.5, 0.5])
    first, second = RuleSet.of(documents, [0.5, 0.5], rule="all").sources
    assert (first.unique.tp, first.unique.fp) == (0.0, 1.0)
    assert (second.unique.tp, second.unique.fp) == (1.0, 1.0)


def test_a_rule_that_raised_nothing_is_unknown() -> None:
    documents = RatedDocuments([[0.9, 0], [0.8, 0]], [1, 0], names=["model", "velocity"], floors=[0.5], alert_rules=1)
    velocity = RuleSet.of(documents, [0.5, 1]).sources[1]
    assert (velocity.is_known, velocity.is_shadowed) == (False, False)
    assert np.isnan(velocity.switch_off.estimate)


@pytest.mark.parametrize("order", [["model", "model"], ["nobody"]], ids=["twice", "unknown"])
def test_refuses_an_order(order: list[str]) -> None:
    with pytest.raises(DataError, match=order[0]):
        RuleSet.of(queue(), [0.5, 0.6, 1, 1], order)
