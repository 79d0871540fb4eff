"""Test that pages say where older alerts count less, and let the user decide."""

import pytest

from tests.command_line.test_age_weights import table
from tests.pages.rated_data.steps import box, csv_of, go_to_operating_point, say_no_other_alerts, switch, upload
from tests.pages.steps import opened, run

SENTENCE = "Older alerts count less"


def says_so(app):
    return any(SENTENCE in element.value for element in app.caption)


@pytest.fixture
def point():
    app = say_no_other_alerts(upload(opened("rated_data"), csv_of(table()), "alerts.csv"))
    return go_to_operating_point(app)


def test_switch_changes_the_path_and_not_the_number_of_documents(point):
    assert says_so(point)
    whole = [caption.value for caption in point.caption if "positive" in caption.value]
    run(box(point, "age_weights").uncheck())
    run(point)
    assert not says_so(point)
    assert [caption.value for caption in point.caption if "positive" in caption.value] == whole
    run(box(point, "age_weights").check())
    run(point)
    assert says_so(point)


def test_sheet_offers_to_count_all_alike_and_back(point):
    sheet = switch(point, "pages/decision_sheet.py")
    assert says_so(sheet)
    for key, says in (("equal_ages", False), ("unequal_ages", True)):
        run(sheet.button(key=key).click())
        run(sheet)
        assert says_so(sheet) == says
