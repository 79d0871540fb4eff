"""The tour, the presentation and the explanations of the operating point."""

from multiloss_core.formatting import FRAUD
from tests.pages.operating_point.test_operating_point import percent_of
from tests.pages.steps import opened, run
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
