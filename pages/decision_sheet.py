"""Answer four questions about the user's own data in one sentence."""

import streamlit as st

from multiloss_core import DataError
from ui.data.rated import choose_source, dataset_of
from ui.decisions.sheet_answer import ask_setting, offer_operating_point, save_answer
from ui.decisions.sheet_questions import ask_affordable, ask_current, show_meaning, show_scores
from ui.operating_point.active_goal import use_goals_of
from ui.operating_point.analysis import analyse
from ui.operating_point.current_thresholds import share_comparison
from ui.operating_point.settings import current_settings
from ui.shared.formatting import as_text
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
st.title("Decision sheet")
with st.container(key="sheet"):
    questions, answers = st.columns([5, 8], gap="large")
with questions:
    source = choose_source()
    use_goals_of(source.fingerprint)
    try:
        dataset = dataset_of(source)
        analysis = analyse(dataset, current_settings(dataset))
    except DataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        st.page_link("pages/rated_data.py", label="Check the columns of this file", icon=":material/arrow_back:")
        st.stop()
    share_comparison(analysis)
    show_meaning(source, dataset)
    show_scores(analysis)
    affordable = ask_affordable(analysis)
    ask_current(analysis)
with answers:
    answer = ask_setting(analysis, affordable)
    offer_operating_point(analysis, answer)
    save_answer(analysis, answer)
