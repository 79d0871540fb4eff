"""Compare the section of rules and scores with pandas, and use its switches."""

from math import inf

import numpy as np
import pytest

from multiloss_core import RatedDocuments, smooth_path
from multiloss_core.generalisation import cross_fit
from multiloss_core.sources import held_out_switches
from tests.pages.steps import opened, run, state, tasks_of, unfold
from ui.data.rated import sample
from ui.operating_point.resampling_tasks import PATH
from ui.operating_point.sections.sources import (
    ALONE,
    CAUGHT_FIRST,
    FALSE_FIRST,
    FRAUD_ALONE,
    NOTE,
    ON,
    ORDER,
    RAISED,
    SOURCE,
)

NAME = "Alert queue"
CHOICE = sample(NAME).first_choice
NAMES = (*CHOICE.scores, *CHOICE.alert_rules)


def open_queue(**query):
    return unfold(opened(data=NAME, **query), "sources")


def editor(app):
    return next(table.value for table in app.dataframe if ORDER in table.value)


def point_of(app):
    return np.array(state(app).point.goals.shown.point.thresholds)


def raised(thresholds):
    frame = sample(NAME).frame
    return {name: frame[name] >= value for name, value in zip(NAMES, thresholds, strict=True)}


def edit(app, row, **changes):
    """Edit a row of the table, as the browser reports it: an AppTest cannot type into it."""
    from ui.operating_point.sections.sources import _keep

    known = next(iter(state(app).point.sources.values()))
    table = editor(app)
    app.session_state["edited"] = {"edited_rows": {row: changes}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.session_state", {"edited": {"edited_rows": {row: changes}}})
        _keep(known, "edited", table[SOURCE].tolist(), table[ON].tolist())
    return run(app)


def test_each_source_counts_in_its_place():
    app = open_queue()
    table, fraud = editor(app), sample(NAME).frame["rating"] == "fraud"
    by, taken = raised(point_of(app)), np.zeros(len(fraud), dtype=bool)
    for _, row in table.iterrows():
        first = by[row[SOURCE]] & ~taken
        assert (row[CAUGHT_FIRST], row[FALSE_FIRST]) == ((first & fraud).sum(), (first & ~fraud).sum())
        taken |= first
    shown = state(app).point.goals.shown.point
    assert (table[CAUGHT_FIRST].sum(), table[FALSE_FIRST].sum()) == (shown.tp, shown.fp)
    # Another order moves alerts and not their sum.
    before = table
    on = before.index[before[ON] & before[SOURCE].isin(CHOICE.alert_rules)][0]
    app = edit(app, int(on), **{ORDER: 1})
    after = editor(app)
    assert after[SOURCE][0] == before[SOURCE][on]
    assert after[CAUGHT_FIRST].sum() == before[CAUGHT_FIRST].sum()
    assert after[CAUGHT_FIRST][0] + after[FALSE_FIRST][0] == before[RAISED][on]


def test_a_switch_shows_its_effect_and_can_be_used():
    app = open_queue()
    table = editor(app)
    off = table.index[~table[ON] & (table[RAISED] > 0)][0]
    before = point_of(app)
    app = edit(app, int(off), **{ON: True})
    added = int(table[ALONE][off])
    assert any(f"+{added:,})" in text.value for text in app.markdown)
    assert point_of(app).tolist() == before.tolist()
    run(app.button(key="sources_use").click())
    expected = before.copy()
    expected[NAMES.index(table[SOURCE][off])] = 1.0
    assert point_of(app)[2:].tolist() == expected[2:].tolist()
    assert not next(iter(state(app).point.sources.values())).switches


def test_a_shadowed_rule_is_named():
    """The last rule of the sample raises what its first score puts highest."""
    thresholds = [*CHOICE.floors, *[1.0] * 5]
    app = open_queue(goal="manual", hand=",".join(map(str, thresholds)))
    table = editor(app).set_index(SOURCE)
    assert table[NOTE]["model rule"] == "never first"


def test_rules_can_be_switched_by_hand():
    app = opened(data=NAME, goal="manual", hand=",".join(map(str, [0.8, 0.8, inf, 1.0, inf, inf, 1.0])))
    assert point_of(app).tolist() == [0.8, 0.8, inf, 1.0, inf, inf, 1.0]
    run(app.toggle(key="hand_2").set_value(True))
    assert point_of(app)[2] == 1.0


def test_shares_come_from_alerts_that_chose_no_rule():
    app = open_queue(new_data="true", m="20")
    before = editor(app)
    for task in tasks_of(app, PATH):
        task.wait(180)
    after = editor(run(app))
    documents = RatedDocuments.from_frame(
        sample(NAME).frame, CHOICE.scores, CHOICE.rating, floors=CHOICE.floors, alert_rules=CHOICE.alert_rules
    )
    fitted = cross_fit(documents, {"smooth": smooth_path}, [0.2])["smooth"]
    expected = held_out_switches(documents, point_of(app), fitted.thresholds[:, 0])
    assert after[SOURCE].tolist() == list(documents.names)
    assert after[FRAUD_ALONE].tolist() == pytest.approx([100 * one.estimate for one in expected], nan_ok=True)
    assert after[FRAUD_ALONE].tolist() != before[FRAUD_ALONE].tolist()
