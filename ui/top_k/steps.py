"""The steps below the first screen in the order of the lesson; only one is computed."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from ui.shared.choices import ask_choice, chosen
from ui.shared.page_setup import asked_in_address
from ui.shared.session import session
from ui.shared.widgets import lesson_plan
from ui.top_k.assumptions import broken_assumption
from ui.top_k.checks import early_stop, many_draws
from ui.top_k.items import Settings
from ui.top_k.losses import every_loss, expected_loss, monotone_losses
from ui.top_k.tangent import corner_or_best_set, sliding_along_the_curve


class Step(NamedTuple):
    """The label, question and content of a step; whether it shows the items of the first screen."""

    label: str
    question: str
    show: Callable[[Settings], None]
    shows_items: bool = False


# By the name in the URL.
STEPS = {
    "loss": Step("Expected loss", "Which outcome is the likeliest, and which costs most?", expected_loss, True),
    "losses": Step("All losses", "How many would you flag under each loss?", every_loss, True),
    "draws": Step("Many draws", "Is the best of all predictions always a top-k set?", many_draws),
    "early": Step("Early stop", "May the search stop where the loss first rises?", early_stop),
    "assumption": Step("Broken assumption", "Is top-k still best without an assumption?", broken_assumption),
    "monotone": Step("Monotone losses", "Which losses fall with every true positive?", monotone_losses),
    "tangent": Step("Tangent", "Where to stop, if one fraud is worth four false alerts?", sliding_along_the_curve),
    "scores": Step("Two scores", "What does a corner of two thresholds miss?", corner_or_best_set),
    "lesson": Step("Lesson plan", "A lesson of 50 minutes", lambda _: lesson_plan()),
}
# Of earlier links: steps that are parts of the page Papers now.
MOVED = {
    "classes": {"natarajan_part": "classes"},
    "training": {"natarajan_part": "training"},
    "graph": {"paper": "robles", "robles_part": "search"},
}
SCROLL = "<script>document.querySelector('.st-key-topk_steps')?.scrollIntoView()</script>"


def follow_moved_step() -> None:
    """Lead links to a step that is a part of Papers there, with their other choices."""
    asked = asked_in_address()
    place = MOVED.get("".join(asked.pop("step", [])))
    if place is not None:
        st.switch_page("pages/papers.py", query_params={**asked, **place})


def show_steps(settings: Settings) -> None:
    """Draw the list of steps and the open one; a link with `?step=` scrolls to it."""
    before, is_linked = chosen("step"), "step" in st.query_params
    with st.container(key="topk_steps"):
        labels = {name: f"{number} {step.label}" for number, (name, step) in enumerate(STEPS.items(), 1)}
        name = ask_choice(st.segmented_control, "Steps", labels, key="step", required=True)
        step = STEPS[name]
        st.subheader(step.question, anchor=False)
        session().top_k.part_shows_items = step.shows_items
        step.show(settings)
    if name != before and is_linked:
        st.html(SCROLL, unsafe_allow_javascript=True)
