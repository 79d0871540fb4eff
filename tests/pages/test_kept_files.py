"""Files that are not loaded any more, or again: no other data ever takes their place."""

import hashlib
import json

import pytest

from multiloss_core.datasets import RATED_SAMPLES as SAMPLES
from multiloss_core.tables import ColumnMeanings
from tests.pages.rated_data.steps import GOOD, as_read, box, csv_of, funnel, rated_frame, say_no_other_alerts, upload
from tests.pages.steps import opened, run, state
from ui.data import store, uploader
from ui.data.browser_storage.component import checked
from ui.data.store import Remembered, columns_signature, remembered_from_json, remembered_to_json

PAGES_WITH_DATA = {"rated_data": "data", "operating_point": "data", "optimal_cut": "scored_data"}


def storage(app):
    """Return the messages to the browser's storage."""
    return [
        json.loads(found.proto.json)
        for found in app.get("bidi_component")
        if found.proto.component_name == "multiloss_kept_files"
    ]


def wanted(app):
    return [message["wanted"] for message in storage(app) if "wanted" in message]


def say_gone(app, page, name):
    """Have the browser say that it does not keep a file."""
    visit = state(app)
    (visit.scored if page == "optimal_cut" else visit.rated).gone.add(name)
    return run(app)


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
    app = opened(page, **{key: "gone.csv", f"{key}_file": "0123456789ab", "m": "35"})
    assert not numbers(app)
    assert "Bringing back" in as_read(app.info[0].value)
    assert "gone.csv" in as_read(app.info[0].value)
    assert wanted(app) == [{"name": "gone.csv", "digest": "0123456789ab"}]
    say_gone(app, page, "gone.csv")
    assert not numbers(app)
    assert not app.error
    (warning,) = app.warning
    assert as_read(warning.value).startswith("Your file is not loaded any more. Upload 'gone.csv' again")
    assert len(app.file_uploader) == 1
    assert wanted(app) == [None]
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


def test_the_address_holds_a_fingerprint_and_no_name_of_a_file(app):
    data = csv_of(rated_frame())
    upload(app, data, GOOD)
    start = hashlib.sha256(data).hexdigest()[:12]
    assert address_of(app) == {"data_file": start}
    run(app.switch_page("pages/operating_point.py"))
    assert address_of(app) == {"data_file": start}
    run(app.selectbox(key="data").select("Login alerts"))
    assert address_of(app) == {"data": "Login alerts"}
    run(app.selectbox(key="data").select(GOOD))
    assert address_of(app) == {"data_file": start}
    # A step back, to the sample; and forward again.
    run(app)
    app.query_params.clear()
    app.query_params["data"] = "Login alerts"
    run(app)
    assert app.selectbox(key="data").value == "Login alerts"
    app.query_params.clear()
    app.query_params["data_file"] = start
    run(app)
    assert app.selectbox(key="data").value == GOOD


def test_unknown_fingerprint_waits_for_its_file():
    data = csv_of(rated_frame())
    start = hashlib.sha256(data).hexdigest()[:12]
    for content, is_it in ((data, True), (csv_of(rated_frame(2)), False)):
        app = opened("rated_data", data_file=start)
        assert not numbers(app)
        assert wanted(app) == [{"name": start, "digest": start}]
        say_gone(app, "rated_data", start)
        assert f"Upload it again (its SHA-256 begins with {start})" in as_read(app.warning[0].value)
        upload(app, content, "any name.csv")
        assert app.selectbox(key="data").value == "any name.csv"
        said = [as_read(warning.value) for warning in app.warning]
        assert bool(said) != is_it
        assert is_it or "not the same file as before" in said[0]
        assert not [name for name in app.selectbox(key="data").options if start in name]


@pytest.mark.parametrize(
    "said", ["", "x", "0123", "../../etc/passwd", "G" * 12, "0" * 11 + "\N{ARABIC-INDIC DIGIT ONE}"]
)
def test_what_is_no_fingerprint_asks_for_nothing(said):
    app = opened("rated_data", data_file=said)
    assert app.selectbox(key="data").value == next(iter(SAMPLES))
    assert numbers(app)


def test_last_used_file_comes_back_without_address(monkeypatch):
    files = [{"name": GOOD, "digest": "0" * 12}, {"name": "older.csv", "digest": "1" * 12}]
    monkeypatch.setattr(uploader, "kept_before", lambda shelf: (GOOD, files) if shelf == "data" else (None, []))
    app = opened("rated_data")
    assert wanted(app) == [{"name": GOOD, "digest": "0" * 12}]
    assert not numbers(app)
    assert app.selectbox(key="data").options == [
        *SAMPLES,
        "older.csv (kept in this browser)",
        f"{GOOD} (kept in this browser)",
    ]
    # A link to a sample is followed all the same.
    app = opened("rated_data", data="Login alerts")
    assert not app.warning
    assert app.selectbox(key="data").value == "Login alerts"
    assert wanted(app) == [None]
    run(app.selectbox(key="data").select("older.csv"))
    assert wanted(app) == [{"name": "older.csv", "digest": "1" * 12}]
    assert not numbers(app)


def test_browser_gets_loaded_files_with_chosen_columns(app):
    frame = rated_frame()
    upload(app, csv_of(frame), GOOD)
    say_no_other_alerts(run(box(app, "floor_model A").set_value("0.5")))
    files, choices = storage(app)
    (loaded,) = files["loaded"]
    assert (loaded["name"], loaded["given_name"], loaded["size"]) == (GOOD, GOOD, len(csv_of(frame)))
    assert files["using"] == GOOD
    of_file, of_columns = (
        remembered_from_json(choices["choices"][key], ColumnMeanings)
        for key in (loaded["digest"], columns_signature(frame))
    )
    assert of_file.choice.floors[0] == 0.5
    # Floors are of one file.
    assert of_columns.choice.floors == (None, None)
    assert not of_file.confirmed


def test_columns_are_remembered_for_a_file_with_the_same_ones(app):
    frame = rated_frame().assign(other=lambda table: table["model B"] / 2)
    upload(app, csv_of(frame), GOOD)
    run(box(app, "scores").set_value(["model A", "other"]))
    upload(app, csv_of(rated_frame(3).assign(other=lambda table: table["model B"] / 3).iloc[:, ::-1]), "next month.csv")
    assert app.selectbox(key="data").value == "next month.csv"
    assert box(app, "scores").value == ["model A", "other"]
    upload(app, csv_of(rated_frame(4)), "others.csv")
    assert box(app, "scores").value == ["model A", "model B"]


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
        assert box(app, "scores").value == ["model A", "model B"]
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
    assert app.selectbox(key="data").options == [*SAMPLES, "second.csv", "first.csv (kept in this browser)"]
    assert funnel(app)[0] == len(rated_frame(2))


def test_other_content_under_a_known_name_gets_a_name_of_its_own(app):
    for seed, name in ((1, GOOD), (2, "good (2).csv"), (3, "good (3).csv"), (2, "good (2).csv")):
        upload(app, csv_of(rated_frame(seed)), GOOD)
        assert not app.error
        assert app.selectbox(key="data").value == name
        assert funnel(app)[0] == len(rated_frame(seed))
        upload(app, b"", "bad.csv")
    assert set(app.selectbox(key="data").options) == {*SAMPLES, GOOD, "good (2).csv", "good (3).csv"}


def test_invalid_message_of_the_browser_is_ignored():
    gone = [{"gone": value} for value in (7, "", "x" * 256, "a\x00b", "\ud800")]
    kept = [{"kept": value} for value in ("all", [{"name": "a"}], [["a", "b"]])]
    for sent in (None, 7, [], {"choices": {"a": {}}}, *gone, *kept):
        assert checked(sent) == {}


def test_a_choice_of_columns_survives_as_text():
    choice = ColumnMeanings(
        is_counts=False, scores=("a", "b"), rating="r", meanings=(("x", None),), floors=(None, 0.1 + 0.2)
    )
    for remembered in (Remembered(choice, True), Remembered(choice)):
        assert remembered_from_json(remembered_to_json(remembered), ColumnMeanings) == remembered
    for text in ("", "{", "7", '{"is_counts": false, "scores": "a"}', "[" * 100_000):
        assert remembered_from_json(text, ColumnMeanings) is None
