"""The thresholds of the point as files."""

from dataclasses import replace

import streamlit as st

from multiloss_core import Unit
from multiloss_core.thresholds import Point, point_as_csv, point_as_json
from ui.operating_point.analysis import Analysis

PLACE = "download_thresholds"


def offer_downloads(analysis: Analysis, point: Point) -> None:
    """Offer the thresholds as files; applying them gives exactly the counts on the screen."""
    deployed = replace(point, thresholds=analysis.deployable(point))
    origin = {"data": analysis.dataset.name, "data_and_columns_sha256": analysis.dataset.key}
    if analysis.settings.unit is Unit.MONEY:
        origin["counted"] = f"money: sums of '{analysis.dataset.choice.amount}'"
    with st.popover("Download", icon=":material/download:", key=PLACE), st.container(horizontal=True):
        for words, text, name, mime in (
            ("JSON", point_as_json(deployed, origin), "thresholds.json", "application/json"),
            ("CSV", point_as_csv(deployed), "thresholds.csv", "text/csv"),
        ):
            st.download_button(words, text, name, mime, icon=":material/download:", on_click="ignore")
