"""Find the number of most probable items to flag, for uploaded items with probabilities."""

import streamlit as st

from ui.data.scored import choose_scored_source
from ui.optimal_cut.answer import answered, introduction, show_answer, show_curve, show_loss
from ui.optimal_cut.batches import show_batches
from ui.optimal_cut.calibration import calibrated_items, show_calibration, show_effect
from ui.optimal_cut.choices import ask_loss
from ui.optimal_cut.comparison import compare_losses, interval_of
from ui.optimal_cut.items import ask_item_columns, ask_items, checked_items, show_facts
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
introduction()
picker, uploader = st.columns(2, gap="large")
with picker:
    source = choose_scored_source(lambda: ask_items(uploader))
    columns = ask_item_columns(source)
dataset = checked_items(source, columns)
if dataset is None:
    st.stop()
with picker:
    show_facts(dataset)

asked = ask_loss(dataset)
if asked is None:
    st.stop()
used = calibrated_items(dataset, asked.calibration)
found = answered(used, asked)
if found is not None:
    show_answer(used, found)
    if used.calibration:
        show_effect(dataset, used, asked.loss, asked.at_least)
    show_curve(used, found, interval_of(dataset, found))
    show_batches(used, found)
show_loss(used, asked, found)
if asked.compare_all or found is None:
    compare_losses(used, asked.beta, asked.at_least)
show_calibration(dataset, used)
