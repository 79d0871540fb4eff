"""Theorem 2 with classes of the user, and Theorem 3 measured."""

import json

import numpy as np
import pytest

from multiloss_core import LOSSES, F, multinomial_top_k
from multiloss_core.figures import regret_by_training_rows
from multiloss_core.losses import Consistency, multinomial_losses, training_regrets
from tests.pages.steps import opened, state
from tests.pages.test_top_k import by_key, decoded
from ui.papers import theorems
from ui.shared.session import OwnItems


@pytest.fixture
def page():
    return opened("papers", natarajan_part="classes")


def chart(page, key):
    (found,) = [one.proto for one in page.get("plotly_chart") if one.proto.id.endswith(f"-{key}")]
    return found


CLASSES = np.array([0.1, 0.45, 0.25, 0.05, 0.15])


@pytest.mark.parametrize(
    "text",
    [
        "0.1, 0.45, 0.25, 0.05, 0.15",
        "\ufeff0.1\n0.45\n0.25\n0.05\n0.15\n",
        "class,p\na,0.1\nb,0.45\nc,0.25\nd,0.05\ne,0.15",
    ],
)
def test_own_classes_are_predicted(page, text):
    by_key(page.text_area, "topk_own_classes").set_value(text).run()
    assert not page.exception
    assert not page.error
    best = multinomial_top_k(CLASSES, F())
    shown = chart(page, "topk_classes")
    assert shown.alt == f"The probabilities of 5 classes, largest first. The best set under F1 holds {best.k}."
    assert any(f"F1 {best.k}, " in caption.value for caption in page.caption)
    share = np.sort(CLASSES)[::-1][: best.k].sum()
    assert any(f"the true class with a probability of {100 * share:.3g}" in caption.value for caption in page.caption)


@pytest.mark.parametrize("choice", ["Jaccard", "AM", "AUC"])
def test_charts_show_the_loss_of_the_page(choice):
    page = opened("papers", topk_loss=choice, natarajan_part="classes")
    by_key(page.text_area, "topk_own_classes").set_value("0.1, 0.45, 0.25, 0.05, 0.15").run()
    assert not page.exception
    best = multinomial_top_k(CLASSES, LOSSES[choice])
    assert chart(page, "topk_classes").alt.endswith(f"The best set under {choice} holds {best.k}.")
    curve = chart(page, "topk_classes_curve")
    assert curve.alt == f"The expected {choice} loss against the number of classes, smallest at k = {best.k}."
    line, star = json.loads(curve.spec)["data"]
    np.testing.assert_allclose(decoded(line["y"]), multinomial_losses(CLASSES, LOSSES[choice]), atol=1e-12)
    assert decoded(star["x"]) == [best.k]
    share = np.sort(CLASSES)[::-1][: best.k].sum()
    words = f"probability of {100 * share:.3g}" if best.k else "no class is chosen"
    assert any(f"Under {choice} " in caption.value and words in caption.value for caption in page.caption)


def test_classes_of_a_file_come_first(page):
    by_key(page.text_area, "topk_own_classes").set_value("0.5, 0.5").run()
    page.file_uploader(key="topk_classes_file").upload(
        "classes.txt", b"\xef\xbb\xbf0.7, 0.2, 0.1\n", "text/plain"
    ).run()
    assert not page.exception
    assert "The probabilities of 3 classes" in chart(page, "topk_classes").alt


def test_most_of_many_classes_have_no_bar(page):
    many = np.random.default_rng(1).dirichlet(np.ones(300)).round(9)
    many[0] += 1 - many.sum()
    by_key(page.text_area, "topk_own_classes").set_value("\n".join(map(str, many))).run()
    assert not page.exception
    assert any("The 60 most probable of 300 classes." in caption.value for caption in page.caption)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.5, 0.4", "add up to 0.9"),
        ("1.5, -0.5", "probability from 0 to 1"),
    ],
)
def test_bad_classes_are_one_error(page, text, words):
    by_key(page.text_area, "topk_own_classes").set_value(text).run()
    assert not page.exception
    (error,) = page.error
    assert words in error.value
    assert error.value.endswith(".")
    by_key(page.text_area, "topk_own_classes").set_value("").run()
    assert not page.error


def test_items_of_probability_0_are_no_classes(page):
    state(page).top_k.own = OwnItems((10, 70, 1.0), (0.0,) * 10)
    page.run()
    assert not page.exception
    assert any("add up to 0; give at least one above 0." in error.value for error in page.error)


def test_theorem_3_is_measured_on_request(monkeypatch):
    monkeypatch.setattr(theorems, "DRAWS", 4)
    monkeypatch.setattr(
        theorems, "training_regrets", lambda *args, **more: training_regrets(*args, sizes=(10, 500), **more)
    )
    page = opened("papers", natarajan_part="training")
    by_key(page.number_input, "topk_n").set_value(5).run()
    assert not page.dataframe
    by_key(page.button, "topk_train").click().run()
    assert not page.exception
    *_, found = training_regrets(np.random.default_rng(70), F(), n=5, scale=1.0, draws=4, sizes=(10, 500))
    table = page.dataframe[0].value
    np.testing.assert_allclose(table["Mean regret"], found.mean)
    np.testing.assert_allclose(table["Optimal predictions"], found.optimal)
    assert "for 10 rows" in chart(page, "topk_regret").alt
    by_key(page.number_input, "topk_seed").set_value(9).run()
    assert not page.dataframe


def test_mean_regret_of_zero_is_left_out_of_the_chart():
    found = Consistency((10, 100, 1_000), 2, np.array([[0.2, 0.01, 0.0], [0.1, 0.03, 0.0]]))
    figure = regret_by_training_rows(found, loss_name="F1", theme="dark")
    (line,) = json.loads(figure.to_json())["data"]
    assert figure.data[0].x.tolist() == [10, 100]
    assert figure.data[0].y.tolist() == pytest.approx([0.15, 0.02])
    assert line["mode"] == "lines+markers"
    assert figure.layout.xaxis.title.text == "training rows N (logarithmic)"
