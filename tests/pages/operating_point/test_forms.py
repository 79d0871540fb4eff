"""Another form of rule is compared, used and undone."""

import pytest

from multiloss_core.combined import compare_forms
from multiloss_core.datasets import RatedDataset
from multiloss_core.tables.score_formula import COMBINED
from tests.pages.steps import complete, explorer, opened, reopen, run, saved_record, state, unfold
from ui.data.rated import sample

NAME = "Card alerts"


@pytest.fixture(scope="module")
def app():
    with pytest.MonkeyPatch.context() as patch:
        complete(patch)
        yield unfold(opened(data=NAME), "forms")


def test_the_comparison_is_that_of_the_core(app):
    source, choice = sample(NAME), sample(NAME).first_choice
    documents = RatedDataset.of(source, choice).documents
    alerts = state(app).point.goals.shown.point.alerts
    found = compare_forms(documents, alerts)
    (table,) = [one.value for one in app.dataframe if "To deploy" in one.value]
    assert [int(cell.split(" ")[0]) for cell in table["Frauds caught"]] == [
        round(one.caught.estimate) for one in found.forms
    ]
    assert any(f"{round(found.better.difference.estimate)} more frauds" in one.value for one in app.markdown)


def test_the_combined_score_is_used_on_all_pages_and_undone(app):
    run(app.button(key="use_form").click())
    assert COMBINED in str(explorer(app))
    choice = state(app).rated.choices[sample(NAME).fingerprint]
    assert choice.combined.names == choice.scores
    record = saved_record(app)
    assert record.columns.combined == choice.combined
    assert record.columns.scores == (COMBINED,)
    flagged = RatedDataset.of(sample(NAME), choice).documents.counts_at(record.threshold_array)
    assert (record.expected.tp, record.expected.fp) == (*flagged,)
    reopen(app)
    assert state(app).rated.choices[sample(NAME).fingerprint].combined == choice.combined
    for page in ("rated_data", "decision_sheet", "audit", "decisions", "operating_point"):
        run(app.switch_page(f"pages/{page}.py"))
    assert state(app).rated.choices[sample(NAME).fingerprint].combined == choice.combined
    unfold(app, "forms")
    run(app.button(key="use_scores").click())
    assert state(app).rated.choices[sample(NAME).fingerprint].combined is None
