"""Find the number of most probable items to flag, for uploaded items with probabilities."""

import streamlit as st

from ui.data.scored import scored_uploads
from ui.optimal_cut.answer import answered, introduction, show_answer
from ui.optimal_cut.calibration import calibrated_items, warn_of_doubt
from ui.optimal_cut.choices import ask_loss
from ui.optimal_cut.items import ask_item_columns, ask_items, show_facts
from ui.optimal_cut.more import show_more
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
introduction()
with st.container(key="cut"):
    left, right = st.columns(2, gap="large")
items_place, loss_place, settings_place = left.columns([4, 3, 3], vertical_alignment="bottom")
with items_place:
    source = scored_uploads().pick(lambda: ask_items(right))
with left:
    columns = ask_item_columns(source)
dataset = scored_uploads().checked(source, columns, "items")
if dataset is None:
    st.stop()
with left:
    show_facts(dataset)
asked = ask_loss(dataset, loss_place, settings_place)
if asked is None:
    st.stop()
used = calibrated_items(dataset, asked.calibration)
found = answered(used, asked)
if found is not None:
    warn_of_doubt(used)
    show_answer(used, found, dataset)
show_more(dataset, used, asked, found)
