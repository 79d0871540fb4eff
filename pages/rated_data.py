"""Upload rated documents, assign their columns and check their limits."""

import streamlit as st

from multiloss_core import CountSurfaces, RatedCounts, RatedDocuments
from ui.data.rated import choose_source, rated_uploads, say_missing_earlier
from ui.operating_point.analysis import prepare
from ui.operating_point.settings import current_settings
from ui.rated_data.alert_sources import ask_alert_sources
from ui.rated_data.checks import (
    ask_complete_weeks,
    ask_earlier_files,
    show_count_table,
    show_counted,
    show_first_rows,
    show_funnel,
    show_histograms,
)
from ui.rated_data.column_roles import ask_columns, ask_upload
from ui.rated_data.rating_meanings import confirm_columns, show_reading_notes
from ui.records import show_deployed
from ui.shared.page_setup import bootstrap

bootstrap(__file__)
st.title("Rated data")
picker, uploader = st.columns([2, 3], gap="large")
with picker:
    source = choose_source(lambda: ask_upload(uploader))
    if source.name in rated_uploads().samples:
        st.caption("Simulated")
show_reading_notes(source)
left, right = st.columns([3, 2], gap="large")
with right:
    question, summary = st.container(), st.container(key="column_summary")
with left:
    choice = ask_columns(source)
with question:
    choice = ask_alert_sources(source, choice)
with summary:
    choice = ask_complete_weeks(source, choice)
    choice = ask_earlier_files(source, choice)
    dataset = rated_uploads().checked(source, choice, "data")
    if dataset is not None:
        rated = dataset.source
        if isinstance(rated, RatedCounts):
            show_counted(rated, dataset.columns)
        elif isinstance(rated, CountSurfaces):
            show_count_table(rated)
        else:
            show_funnel(dataset, rated_uploads().choice_for(source))
        say_missing_earlier(dataset)
        confirm_columns(source)
        show_deployed(rated.names, dataset.name)
        if isinstance(rated, RatedDocuments):
            show_histograms(dataset.key, rated)
        prepare(dataset, current_settings(dataset))
show_first_rows(source)
