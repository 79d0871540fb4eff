"""Plan a random audit of unrated documents, draw it, and read recall from its ratings."""

import streamlit as st

from multiloss_core import DataError
from ui.audit.planning import ask_plan, show_draw, show_plan
from ui.audit.population import ask_population
from ui.audit.reading import ask_audit, follow_opened, show_results
from ui.audit.words import errors_shown, introduction, require_documents
from ui.data.rated import choose_source, dataset_of
from ui.operating_point.active_goal import use_goals_of
from ui.operating_point.analysis import analyse
from ui.operating_point.audits import audited_point, keep_audit
from ui.operating_point.layout import show_unusable
from ui.operating_point.settings import current_settings
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
follow_opened()
st.title("Audit")
source = choose_source()
use_goals_of(source.fingerprint)
try:
    dataset = dataset_of(source)
    analysis = analyse(dataset, current_settings(dataset))
except DataError as error:
    show_unusable(error)
require_documents(analysis)
point = audited_point(analysis)
introduction(analysis, point)

st.subheader("1 · Precision wanted")
with errors_shown():
    population = ask_population(analysis)
    if population is not None:
        plan = ask_plan(analysis, point, population)
        show_plan(plan)
        st.subheader("2 · Draw")
        keep_audit(analysis, plan=plan)
        show_draw(plan, population)

st.subheader("3 · Read the ratings back")
with errors_shown():
    ask_audit(analysis)
    show_results(analysis, point)
