from itertools import product

import numpy as np
import pytest

from experiments.printed import natarajan_losses, robles_rows
from experiments.printed.natarajan import bound_checks, fit_of, largest_loss, questions
from experiments.printed.report import audit
from experiments.printed.robles import claims, ensemble_pairs, held_out, printed_pairs, recovered_counts, wrong_f1
from multiloss_core import F


def losses_of_counts(n, p, tp, fp):
    return (
        1 - 2 * tp / (p + tp + fp),
        1 - tp / (p + fp),
        1 - (tp / p + 1 - fp / (n - p)) / 2,
        1 - tp / np.sqrt(p * (tp + fp)),
    )


def test_all_figures_are_there():
    assert len(natarajan_losses()) == len({(one.data_set, one.least, one.loss, one.method)
                                           for one in natarajan_losses()}) == 160  # fmt: skip
    assert len(robles_rows()) == 68


@pytest.mark.parametrize("sizes", [(12, 5), (9, 4)])
def test_f1_bounds_the_losses_of_every_prediction(sizes):
    n, p = sizes
    for tp, fp in product(range(1, p + 1), range(n - p + 1)):
        f1, jaccard, _, g = losses_of_counts(n, p, tp, fp)
        assert jaccard == pytest.approx(largest_loss("Jaccard", f1))
        assert g <= largest_loss("G-TP/PR", f1) + 1e-12


def test_the_bound_on_all_160_cells():
    checks = bound_checks()
    assert len(checks) == 160
    printed = {(one.data_set, one.least, one.loss, one.method): one.value for one in natarajan_losses()}
    for check in checks:
        f1 = printed[check.data_set, check.least, "F1", check.method]
        bound = {"Jaccard": 2 * f1 / (1 + f1), "G-TP/PR": f1}.get(check.loss)
        assert check.bound == (None if bound is None else pytest.approx(bound))
        if check.contradicts:
            assert check.printed > bound
            assert check.method != "S-SVM"


def test_the_rows_that_need_two_predictions():
    found = audit()
    assert set(found.contradicting_rows) == {
        *(f"REUTERS, T = {least}" for least in (10, 50, 100)),
        "LETTERS",
        "SCENE",
        "WEB PAGE",
        "BREAST CANCER",
    }
    assert len(found.least_f1_rows) == 6
    assert set(found.least_f1_rows) <= set(found.contradicting_rows)


@pytest.mark.parametrize(
    ("data_set", "positive", "other", "least_misfit_of_other"),
    [("SPAMBASE", "spam", "ham", 0.005), ("IMAGE", "the majority", "the minority", 0.02)],
)
def test_one_side_of_a_set_is_positive(data_set, positive, other, least_misfit_of_other):
    fits = {fit.question.positive: fit for fit in audit().fits if fit.question.data_set == data_set}
    fit = fits[positive]
    assert fit.misfit <= 0.0006
    assert fit.losses == pytest.approx(losses_of_counts(fit.question.test, fit.positives, fit.tp, fit.fp))
    assert fits[other].misfit > least_misfit_of_other


def test_printed_losses_stand_under_the_names_of_their_sets():
    """Table 2 lists WEB PAGE, SPAMBASE, IMAGE, BREAST CANCER in this order."""
    f1 = [(one.data_set, one.value) for one in natarajan_losses() if (one.loss, one.method) == ("F1", "Proposed")]
    assert f1[-4:] == [("WEB PAGE", 0.1606), ("SPAMBASE", 0.1552), ("IMAGE", 0.1458), ("BREAST CANCER", 0.0207)]


def test_robles_et_al_compare_six_kinds_of_classifiers():
    assert len({row.kind.lower() for row in robles_rows()}) == 6


def test_f_of_table_1_has_beta_on_the_wrong_side():
    u, v, p, beta = 0.1, 0.3, 0.15, 2.0
    precision, recall = u / v, u / p
    meant = 1 - (1 + beta**2) / (1 / precision + beta**2 / recall)
    printed = 1 - (1 + beta**2) / (beta**2 / precision + 1 / recall)
    assert float(F(beta)(u, v, p)) == pytest.approx(meant)
    assert abs(printed - meant) > 0.1


def test_the_counts_of_web_page():
    fit = next(fit for fit in audit().fits if fit.question.data_set == "WEB PAGE")
    assert (fit.positives, fit.tp, fit.fp) == (799, 518, 194)
    assert fit.misfit <= 0.0002
    assert fit.losses == pytest.approx(losses_of_counts(27824, 799, 518, 194))


@pytest.mark.parametrize("question", [q for q in questions() if q.data_set == "BREAST CANCER"])
def test_no_counts_come_nearer_than_the_enumeration_of_all(question):
    fit = fit_of(question)
    least = min(
        np.abs(np.subtract(losses_of_counts(question.test, p, tp, fp), fit.printed)).max()
        for p in question.candidates
        for tp in range(1, p + 1)
        for fp in range(question.test - p + 1)
        if tp > 0.8 * p and fp < 60
    )
    assert least - 1e-12 <= fit.misfit <= max(least, 0.0005) + 1e-12
    assert (fit.close is not None) == (least <= 0.0005)


@pytest.mark.parametrize(("data_set", "positives"), [("CreditCards", 120), ("Bank", 1158)])
def test_the_held_out_positives_are_unique(data_set, positives):
    found = held_out(data_set)
    assert found.unique == positives
    recalls = [row.recall for row in robles_rows() if row.data_set == data_set]
    fitting = [
        p
        for p in range(found.searched[0], found.searched[1] + 1)
        if all(
            any(round(tp / p, digits) == recall for tp in range(p + 1))
            for recall in recalls
            for digits in [2 if round(recall, 2) == recall else 4]
        )
    ]
    assert fitting == [positives]


def test_counts_that_follow():
    found = {(one.printed.data_set, one.printed.kind, one.printed.row): one for one in recovered_counts()}
    for kind, row, tp, fp in [
        ("xgboost", "classifier 1", 85, 8),
        ("xgboost", "classifier 2", 90, 10),
        ("k-nearest neighbors", "classifier 1", 77, 17),
        ("k-nearest neighbors", "classifier 2", 71, 5),
    ]:
        one = found["CreditCards", kind, row]
        assert (one.tp, one.fp_least, one.fp_most) == (tp, fp, fp)
    for one in found.values():
        for fp in range(one.fp_least, one.fp_most + 1):
            assert one.tp / (one.tp + fp) == pytest.approx(one.printed.precision, abs=0.0051)


def test_two_f1_do_not_follow():
    found = [(one.printed.data_set, one.printed.kind, one.printed.row, one.printed.f1) for one in wrong_f1()]
    assert found == [
        ("IEEEFraud", "Naive Bayes", "classifier 1", None),
        ("IEEEFraud", "Naive Bayes", "classifier 2", 0.0004),
    ]


def test_claims_of_the_text_against_the_tables():
    found = claims()
    assert found.pairs == 17
    assert found.flags_nothing == {"Analytical": 5, "Graph": 13}
    assert found.flags_everything == {"Analytical": 3, "Graph": 0}
    assert (found.defined.pairs, found.proper.pairs, found.defined.f1_better) == (11, 9, 6)
    defined, proper = ((100 * gain.precision, 100 * gain.recall, 100 * gain.f1) for gain in
                       (found.defined, found.proper))  # fmt: skip
    assert defined == pytest.approx((-5.3, 14.9, -0.8), abs=0.06)
    assert proper == pytest.approx((-0.2, -0.2, 1.0), abs=0.06)
    assert not found.printed_times_agree


def test_better_method_stands_beside_its_classifiers():
    rows = [
        ("A", "tree", "Analytical", (0.5, 0.4, 0.44)),
        ("A", "tree", "Graph", (0.9, 0.5, 0.64)),
        ("A", "tree", "classifier 1", (0.2, 0.4, 0.27)),
        ("A", "tree", "classifier 2", (0.4, 0.8, 0.53)),
        ("A", "forest", "Analytical", (0.5, 0.4, 0.44)),
        ("A", "forest", "classifier 1", None),
        ("A", "forest", "classifier 2", (0.4, 0.8, 0.53)),
    ]
    (pair,) = ensemble_pairs(rows)
    assert (pair.data_set, pair.kind, pair.ensemble) == ("A", "tree", (0.9, 0.5, 0.64))
    assert pair.classifiers == pytest.approx((0.3, 0.6, 0.4))
    assert ("CreditCards", "Linear SVM") in {(one.data_set, one.kind) for one in printed_pairs()}
