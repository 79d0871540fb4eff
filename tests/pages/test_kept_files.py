"""Files that are not loaded any more, or again: no other data ever takes their place."""

import hashlib
import re

import pytest

from multiloss_core.datasets import RATED_SAMPLES as SAMPLES
from multiloss_core.tables import ColumnMeanings
from tests.pages.rated_data.steps import (
    GOOD,
    as_read,
    box,
    confirm,
    csv_of,
    funnel,
    rated_frame,
    say_no_other_alerts,
    upload,
    use,
    used_as,
)
from tests.pages.steps import opened, run, state
from ui.data import store
from ui.data.store import Remembered, columns_signature, remembered_from_json, remembered_to_json
from ui.server.file_store import DAYS, file_store

PAGES_WITH_DATA = {"rated_data": "data", "operating_point": "data", "optimal_cut": "scored_data"}


def numbers(app):
    """Return every element that shows numbers of data."""
    losses = [one for one in app.markdown if " rows: " in one.value]
    charts = [
        *app.get("plotly_chart"),
        *(one for one in app.get("bidi_component") if "explorer" in one.proto.component_name),
    ]
    return [*app.metric, *app.dataframe, *charts, *app.subheader, *losses]


@pytest.mark.parametrize(("page", "key"), PAGES_WITH_DATA.items())
def test_missing_file_is_not_replaced_by_other_data(page, key):
    app = opened(page, **{key: "gone.csv", f"{key}_file": f"{'0' * 32}0123456789ab", "m": "35"})
    assert not numbers(app)
    assert not app.error
    (warning,) = app.warning
    assert as_read(warning.value).startswith("Your file is not loaded any more. Upload 'gone.csv' again")
    assert len(app.file_uploader) == 1
    # The address stays.
    assert app.query_params[key] == ["gone.csv"] or app.query_params[key] == "gone.csv"
    assert app.query_params["m"] in ("35", ["35"])
    run(app.button(key=f"{key}_sample").click())
    assert not app.warning
    assert numbers(app)


def address_of(app):
    """Return the parameters of the address that name data."""
    said = {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}
    return {name: value for name, value in said.items() if name.startswith("data")}


def test_the_address_holds_a_random_key_and_no_name_of_a_file(app):
    data = csv_of(rated_frame())
    upload(app, data, GOOD)
    found = address_of(app)["data_file"]
    assert re.fullmatch(f"[0-9a-f]{{32}}{hashlib.sha256(data).hexdigest()[:12]}", found)
    run(app.switch_page("pages/operating_point.py"))
    assert address_of(app) == {"data_file": found}
    run(app.selectbox(key="data").select("Login alerts"))
    assert address_of(app) == {"data": "Login alerts"}
    run(app.selectbox(key="data").select(GOOD))
    assert address_of(app) == {"data_file": found}
    # A step back, to the sample; and forward again.
    run(app)
    app.query_params.clear()
    app.query_params["data"] = "Login alerts"
    run(app)
    assert app.selectbox(key="data").value == "Login alerts"
    app.query_params.clear()
    app.query_params["data_file"] = found
    run(app)
    assert app.selectbox(key="data").value == GOOD


def test_the_same_content_has_the_same_address(app):
    addresses = set()
    for _ in range(2):
        upload(app, csv_of(rated_frame()), GOOD)
        addresses.add(address_of(app)["data_file"])
    assert len(addresses) == 1


def test_another_session_opens_the_link_with_the_chosen_columns(app):
    upload(app, csv_of(rated_frame()), GOOD)
    say_no_other_alerts(run(box(app, "floor_model A").set_value("0.5")))
    before, link = funnel(app), address_of(app)
    for page in ("rated_data", "operating_point"):
        other = opened(page, **link)
        assert other.selectbox(key="data").value == GOOD
        assert numbers(other)
        assert address_of(other) == link
    other = opened("rated_data", **link)
    assert funnel(other) == before
    assert box(other, "floor_model A").value == "0.5"
    # Floors are of one file.
    upload(other, csv_of(rated_frame(3)), "next month.csv")
    assert box(other, "floor_model A").value != "0.5"


def test_columns_are_remembered_in_other_sessions(app):
    frame = rated_frame().assign(other=lambda table: table["model B"] / 2)
    upload(app, csv_of(frame), GOOD)
    use(use(app, "model B", "unused"), "other", "score")
    other = opened("rated_data")
    upload(other, csv_of(rated_frame(3).assign(other=lambda table: table["model B"] / 3)), "next month.csv")
    assert {*used_as(other, "score")} == {"model A", "other"}


def test_what_is_uncertain_is_asked_of_each_user(app):
    """Without sign-in the next session may be another person's."""
    frame = rated_frame().assign(genuine=lambda table: (table["rating"] == "fraud").astype(int)).drop(columns="rating")
    for session in (app, opened("rated_data")):
        say_no_other_alerts(upload(session, csv_of(frame), "ones.csv"))
        assert [button for button in session.button if button.key == "confirm_columns"]
        confirm(session)
        assert not [button for button in session.button if button.key == "confirm_columns"]


def test_a_stored_file_can_be_read_in_another_way(app):
    upload(app, csv_of(rated_frame()), GOOD)
    other = opened("rated_data", **address_of(app))
    rows = funnel(other)[0]
    next(one for one in other.number_input if one.key.endswith("_skip_last")).set_value(7)
    run(next(one for one in other.button if one.label == "Read again").click())
    assert funnel(other)[0] == rows - 7
    # The way of reading is kept as well.
    assert funnel(opened("rated_data", **address_of(other)))[0] == rows - 7


def test_a_deleted_file_is_gone_in_all_sessions(app, stored_files):
    upload(app, csv_of(rated_frame()), GOOD)
    link = address_of(app)
    assert list(stored_files.glob("*/bytes"))
    run(app.button(key="upload_delete").click())
    assert GOOD not in app.selectbox(key="data").options
    assert not list(stored_files.glob("*/bytes"))
    other = opened("rated_data", **link)
    assert not numbers(other)
    assert "not loaded any more" in as_read(other.warning[0].value)


def test_without_storage_a_link_needs_the_file(monkeypatch):
    monkeypatch.setenv(DAYS, "0")
    file_store.cache_clear()
    app = opened("rated_data")
    upload(app, csv_of(rated_frame()), GOOD)
    assert numbers(app)
    assert any("does not keep the file" in caption.value for caption in app.caption)
    assert not numbers(opened("rated_data", **address_of(app)))


def test_unknown_address_waits_for_its_file():
    data = csv_of(rated_frame())
    start = hashlib.sha256(data).hexdigest()[:12]
    for key in ("f" * 32,):
        for content, is_it in ((data, True), (csv_of(rated_frame(2)), False)):
            app = opened("rated_data", data_file=key + start)
            assert not numbers(app)
            assert f"Upload it again (its SHA-256 begins with {start})" in as_read(app.warning[0].value)
            upload(app, content, "any name.csv")
            assert app.selectbox(key="data").value == "any name.csv"
            said = [as_read(warning.value) for warning in app.warning]
            assert bool(said) != is_it
            assert is_it or "not the same file as before" in said[0]
            assert not [name for name in app.selectbox(key="data").options if start in name]


@pytest.mark.parametrize("said", ["", "../../etc/passwd", "0" * 11 + "\N{ARABIC-INDIC DIGIT ONE}", "0" * 45])
def test_what_is_no_address_asks_for_nothing(said):
    app = opened("rated_data", data_file=said)
    assert app.selectbox(key="data").value == next(iter(SAMPLES))
    assert numbers(app)


def test_a_file_of_another_kind_is_not_opened(app):
    upload(app, csv_of(rated_frame()), GOOD)
    other = opened("optimal_cut", scored_data_file=address_of(app)["data_file"])
    assert not numbers(other)
    assert other.warning


def test_columns_are_remembered_for_a_file_with_the_same_ones(app):
    frame = rated_frame().assign(other=lambda table: table["model B"] / 2)
    upload(app, csv_of(frame), GOOD)
    use(use(app, "model B", "unused"), "other", "score")
    upload(app, csv_of(rated_frame(3).assign(other=lambda table: table["model B"] / 3).iloc[:, ::-1]), "next month.csv")
    assert app.selectbox(key="data").value == "next month.csv"
    assert {*used_as(app, "score")} == {"model A", "other"}
    upload(app, csv_of(rated_frame(4)), "others.csv")
    assert used_as(app, "score") == ["model A", "model B"]


def test_what_does_not_fit_any_more_is_guessed_anew(app):
    frame = rated_frame()
    remembered = state(app).rated.remembered
    meanings = (("fraud", "positive"), ("ok", "negative"))
    choice = ColumnMeanings(scores=("model A",), rating="rating", meanings=meanings, floors=(None,))
    good = remembered_to_json(Remembered(choice))
    for bad in (
        "no JSON",
        "[]",
        good.replace("model A", "model X"),
        good.replace("[null]", "[]"),
        good.replace('"rating":"rating"', '"rating":7'),
        good.replace('"positive"', '"negative"'),
        good.replace('["ok","negative"]', '["fine","negative"]'),
        remembered_to_json(Remembered(ColumnMeanings(is_counts=True, scores=()))),
    ):
        assert bad != good
        state(app).rated.choices.clear()
        remembered[columns_signature(frame)] = bad
        upload(app, csv_of(frame), GOOD)
        assert not app.error
        assert funnel(app)
        assert used_as(app, "score") == ["model A", "model B"]
        upload(app, b"", "bad.csv")


@pytest.fixture
def app():
    return opened("rated_data")


def test_files_that_leave_for_lack_of_memory_are_named(app, monkeypatch):
    upload(app, csv_of(rated_frame(1)), "first.csv")
    monkeypatch.setattr(store, "MAX_MEMORY_BYTES", state(app).rated.files["first.csv"].memory + 1)
    upload(app, csv_of(rated_frame(2)), "second.csv")
    assert not app.error
    assert any("No longer loaded, to make room: 'first.csv'." in as_read(info.value) for info in app.info)
    assert app.selectbox(key="data").options == [*SAMPLES, "second.csv", "first.csv (kept on this server)"]
    assert funnel(app)[0] == len(rated_frame(2))
    run(app.selectbox(key="data").select("first.csv"))
    assert funnel(app)[0] == len(rated_frame(1))


def test_other_content_under_a_known_name_gets_a_name_of_its_own(app):
    for seed, name in ((1, GOOD), (2, "good (2).csv"), (3, "good (3).csv"), (2, "good (2).csv")):
        upload(app, csv_of(rated_frame(seed)), GOOD)
        assert not app.error
        assert app.selectbox(key="data").value == name
        assert funnel(app)[0] == len(rated_frame(seed))
        upload(app, b"", "bad.csv")
    assert set(app.selectbox(key="data").options) == {*SAMPLES, GOOD, "good (2).csv", "good (3).csv"}


def test_a_choice_of_columns_survives_as_text():
    choice = ColumnMeanings(
        is_counts=False, scores=("a", "b"), rating="r", meanings=(("x", None),), floors=(None, 0.1 + 0.2)
    )
    for remembered in (Remembered(choice, True), Remembered(choice)):
        assert remembered_from_json(remembered_to_json(remembered), ColumnMeanings) == remembered
    for text in ("", "{", "7", '{"is_counts": false, "scores": "a"}', "[" * 100_000):
        assert remembered_from_json(text, ColumnMeanings) is None
