"""Plan a random audit of unrated documents, draw it, and read recall from its ratings."""

import streamlit as st

from multiloss_core import DataError
from ui.audit.introduction import PLAN, READ, ask_start, errors_shown, introduction, require_documents
from ui.audit.planning import ask_plan, show_draw, show_plan
from ui.audit.population import ask_population
from ui.audit.reading import ask_audit, follow_opened, show_results, show_unknown
from ui.data.rated import choose_source, dataset_of
from ui.operating_point.active_goal import use_goals_of
from ui.operating_point.analysis import analyse
from ui.operating_point.audits import audited_point, keep_audit, kept_audit
from ui.operating_point.layout import show_unusable
from ui.operating_point.settings import METHOD_KEY, current_settings
from ui.shared.choices import chosen_or_linked
from ui.shared.formatting import unrated
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
follow_opened()
st.title("Audit")
source = choose_source()
use_goals_of(source.fingerprint)
try:
    dataset = dataset_of(source)
    analysis = analyse(dataset, current_settings(dataset), method=chosen_or_linked(METHOD_KEY))
except DataError as error:
    show_unusable(error)
require_documents(analysis)
point = audited_point(analysis)
introduction(analysis, point)
results, asked, unknown = st.container(), ask_start(), st.container()
with errors_shown():
    if asked == PLAN:
        st.subheader(f"1 · Where are all {unrated()}?")
        population = ask_population(analysis)
        if population is not None:
            st.subheader("2 · How many can be rated?")
            plan = ask_plan(analysis, point, population)
            show_plan(plan)
            keep_audit(analysis, plan=plan)
            show_draw(analysis, plan, population)
with errors_shown():
    if asked == READ or kept_audit(analysis).plan is not None:
        st.subheader("3 · Give the ratings back")
        ask_audit(analysis)
with results, errors_shown():
    show_results(analysis, point)
    if not asked:
        with unknown:
            show_unknown(analysis)
