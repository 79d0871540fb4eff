"""The tour, the presentation and the explanations of the operating point."""

import re

import pytest

from multiloss_core.formatting import FRAUD
from tests.pages.operating_point.test_operating_point import percent_of, words_of
from tests.pages.steps import explorer, opened, run
from ui.operating_point.tour import LAST_WORD, STEPS


def button(app, label):
    (found,) = [button for button in app.button if button.label == label]
    return found


def test_the_tour_does_what_its_buttons_say():
    app = opened(data="Login alerts")
    run(button(app, "Tour in five steps").click())
    seen = []
    for number, step in enumerate(STEPS, 1):
        assert any(
            f"{number} of 5" in element.value and FRAUD.in_words(step.sentence) in element.value
            for element in app.markdown
        )
        run(button(app, step.action).click())
        seen.append((app.selectbox(key="data").value, percent_of(app), app.selectbox(key="method").value))
    assert seen == [
        ("Card alerts", 20.0, "smooth"),
        ("Card alerts", 50.0, "smooth"),
        ("Card alerts", 50.0, "graph"),
        ("Card alerts", 50.0, "smooth"),
        ("Card alerts", 20.0, "smooth"),
    ]
    assert app.toggle(key="new_data").value
    assert any(element.value == LAST_WORD for element in app.markdown)
    run(button(app, "End").click())
    assert not any(element.value == LAST_WORD for element in app.markdown)


def test_the_tour_is_about_documents():
    app = opened(count="money")
    run(button(app, "Tour in five steps").click())
    run(button(app, STEPS[0].action).click())
    assert app.button_group(key="count").value == "documents"
    assert "alerts" in explorer(app)["question"]


def test_a_presentation_keeps_every_choice_and_has_a_way_back():
    app = opened(data="Marketplace listings", method="graph", m="42", present="true")
    assert words_of(app) == words_of(opened(data="Marketplace listings", method="graph", m="42"))
    assert any("display: none" in element.proto.body for element in app.get("html"))
    run(button(app, "Leave the presentation").click())
    assert not any("display: none" in element.proto.body for element in app.get("html"))
    assert app.selectbox(key="method").value == "graph"


@pytest.mark.parametrize("query", [{"data": "Login alerts", "method": "graph"}, {"m": "99.5"}])
def test_every_number_has_explanation_made_of_numbers_on_screen(query):
    app = opened(**query)
    explanations, words = explorer(app)["explanations"], words_of(app)
    shown = dict([*words["thresholds"], *words["counts"], *words["rates"]])
    for label in shown:
        (text,) = [text for about, text in explanations.items() if label.startswith(about)]
        assert set(re.findall(r"{(.*?)}", text)) <= set(shown)
