"""How many of the most probable items to flag, for items with probabilities that were brought in."""

import streamlit as st

from ui.data.scored_workspace import choose_scored_source
from ui.optimal_cut.answer import (
    answered,
    ask_item_columns,
    ask_items,
    ask_loss,
    checked_items,
    compare_losses,
    introduction,
    show_answer,
    show_calibration,
    show_curve,
    show_facts,
)
from ui.shared.page_setup import bootstrap

bootstrap()
introduction()
picker, uploader = st.columns(2, gap="large")
with uploader:
    ask_items()
with picker:
    source = choose_scored_source()
    choice = ask_item_columns(source)
dataset = checked_items(source, choice)
with picker:
    show_facts(dataset)

loss, beta, everything = ask_loss()
answer = answered(dataset, loss, beta)
if answer is not None:
    show_answer(dataset, answer)
    show_curve(dataset, answer)
if everything:
    compare_losses(dataset, beta)
show_calibration(dataset)
