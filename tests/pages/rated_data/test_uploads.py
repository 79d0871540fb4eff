"""Files brought in: good ones, unreadable ones, and those that came before."""

import io

import pytest

from multiloss_core import RatedDocuments, read_table
from multiloss_core.datasets import RATED_SAMPLES as SAMPLES
from multiloss_core.tables import guess_columns, is_count_table
from tests.pages.rated_data.steps import (
    GOOD,
    UNUSABLE,
    back_to_rated_data,
    box,
    changed,
    charts,
    count_frame,
    csv_of,
    funnel,
    go_to_operating_point,
    infos,
    only_error,
    pick,
    rated_frame,
    say_no_other_alerts,
    steps,
    upload,
    used_as,
)
from tests.pages.steps import run
from tests.tables.reading.workbooks import workbook
from ui.rated_data.column_roles import TEMPLATE


def parquet_of(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "encode"),
    [
        ("rated.parquet", parquet_of),
        ("semicolons.csv", lambda frame: csv_of(frame, sep=";", decimal=",")),
        ("utf16.txt", lambda frame: frame.to_csv(index=False).encode("utf-16")),
    ],
)
def test_a_good_upload_is_read_picked_and_shown(app, name, encode):
    frame = rated_frame()
    upload(app, encode(frame), name)
    assert not app.error
    assert app.selectbox(key="data").value == name
    assert app.selectbox(key="data").options == [*SAMPLES, name]
    documents = RatedDocuments.from_frame(frame, ["model A", "model B"], "rating", "fraud")
    assert funnel(app) == steps(documents)
    assert used_as(app, "rating", "score", "weight") == ["rating", "model A", "model B"]
    assert [box(app, f"meaning_rating_{word}").value for word in ("fraud", "ok")] == ["positive", "negative"]
    assert [f"{floor:.6g}" in chart.alt for chart, floor in zip(charts(app), documents.floors, strict=True)] == [
        True
    ] * 2
    go_to_operating_point(app)
    assert app.selectbox(key="data").value == name
    assert not app.error


def test_the_template_can_be_used_as_it_is(app):
    buttons = {button.proto.label for button in app.get("download_button")}
    assert buttons == {"Template (CSV)"}
    frame = read_table(TEMPLATE.encode(), "multiloss-template.csv")
    guess = guess_columns(frame)
    assert not is_count_table(frame)
    assert guess.scores == ("model A", "model B")
    assert (guess.rating, guess.positive, guess.weight) == ("rating", "fraud", None)
    upload(app, TEMPLATE.encode(), "multiloss-template.csv")
    # Five rows do not show floors.
    say_no_other_alerts(app)
    assert not app.error
    assert funnel(app) == [5, 4, 4, 4, 2]
    go_to_operating_point(app)
    assert not app.error
    assert app.metric


def test_unreadable_upload_is_one_sentence(app_with_upload):
    app = app_with_upload
    before = funnel(app)
    upload(app, b"model A,rating\n0.5,1\n0.\x006,0\n", "bad.csv")
    error = only_error(app)
    assert "'bad.csv'" in error
    assert "row 2" in error
    assert app.selectbox(key="data").value == GOOD
    assert app.selectbox(key="data").options == [*SAMPLES, GOOD]
    assert funnel(app) == before
    go_to_operating_point(app)
    assert not app.error
    assert app.selectbox(key="data").value == GOOD
    assert app.selectbox(key="data").options == [*SAMPLES, GOOD]


@pytest.mark.parametrize("case", ["one class", "text"])
def test_unusable_values_give_one_sentence_and_other_data_stay(app_with_upload, case):
    app = app_with_upload
    before = funnel(app)
    change, words = UNUSABLE[case]
    upload(app, csv_of(change(rated_frame())), "bad.csv")
    error = only_error(app)
    for word in words:
        assert word in error
    assert not app.metric
    assert any("Nothing that you loaded is lost" in info for info in infos(app))
    go_to_operating_point(app)
    # Uncertain columns have to be checked first.
    assert only_error(app) == error or "check them on Rated data first" in only_error(app)
    assert app.page_link[0].value == "Correct the columns of this file"
    pick(app, GOOD)
    assert not app.error
    assert app.metric
    back_to_rated_data(app)
    assert not app.error
    assert app.selectbox(key="data").options == [*SAMPLES, GOOD, "bad.csv"]
    assert funnel(app) == before


def test_bad_count_table_is_one_sentence_and_other_data_stay(app_with_upload):
    app = app_with_upload
    before = funnel(app)
    upload(app, csv_of(changed("TP", [20], 100_000)(count_frame())), "bad.csv")
    error = only_error(app)
    for word in ("'TP'", "rises", "row 20"):
        assert word in error
    go_to_operating_point(app)
    assert only_error(app) == error
    pick(app, GOOD)
    assert not app.error
    back_to_rated_data(app)
    assert funnel(app) == before


def test_sheet_with_table_is_read_and_can_be_changed(app):
    first, second = rated_frame(1), rated_frame(2)
    data = workbook(
        {
            "About": [["Report"], ["Alerts of two months"]],
            "May": [list(first.columns), *first.to_numpy().tolist()],
            "June": [list(second.columns), *second.to_numpy().tolist()],
        }
    )
    mime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    upload(app, data, "months.xlsx", mime)
    assert not app.error
    assert funnel(app)[0] == len(first)
    (sheet,) = [element for element in app.selectbox if element.label == "Sheet of months.xlsx"]
    assert (sheet.value, sheet.options) == ("May", ["About", "May", "June"])
    run(sheet.select("June"))
    assert not app.error
    assert funnel(app)[0] == len(second)
    assert app.selectbox(key="data").value == "months.xlsx"
    go_to_operating_point(app)
    back_to_rated_data(app)
    assert funnel(app)[0] == len(second)


def lines_of(app, header_line=None, skip_last=0, repeats=False):
    """Ask for lines and rows of the file in the uploader."""
    inputs = {element.label: element for element in app.number_input}
    inputs["Line of the header"].set_value(header_line)
    inputs["Lines to leave out at the end"].set_value(skip_last)
    (box,) = [element for element in app.checkbox if element.label.startswith("Leave out rows identical")]
    box.set_value(repeats)
    (button,) = [element for element in app.button if element.label == "Read again"]
    run(button.click())


def test_lines_of_a_file_can_be_chosen(app):
    frame = rated_frame().iloc[:600]
    text = frame.to_csv(index=False)
    upload(
        app,
        ("a,b\n1,2\n" + text + frame.iloc[:9].to_csv(index=False, header=False) + "1,2,3,4,5,6,7,8,9\n").encode(),
        GOOD,
    )
    assert app.error
    lines_of(app, header_line=3, skip_last=1)
    assert not app.error
    assert funnel(app)[0] == len(frame) + 9
    lines_of(app, header_line=3, skip_last=1, repeats=True)
    assert funnel(app)[0] == len(frame)
    lines_of(app, header_line=900)
    assert "900" in only_error(app)
    assert funnel(app)[0] == len(frame)
