"""Test meanings of ratings, the settings file and the time zone of days."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from tests.pages.rated_data.steps import box, csv_of, funnel, rated_frame, say_no_other_alerts, upload
from tests.pages.steps import opened, run
from ui.data.uploader import Uploader

WORDS = ("Colour Red", "Colour Green", "Colour Blue", "Pending")


def coloured(*more):
    """Rated alerts with three words of which nothing is known, and one for undecided."""
    frame = rated_frame()
    fraud = (frame["rating"] == "fraud").to_numpy()
    words = np.where(fraud, WORDS[0], np.array(WORDS[1:])[np.arange(len(frame)) % 3])
    return frame.assign(rating=words, **dict(more)), int(fraud.sum())


def settings_uploader(app):
    (one,) = [one for one in app.get("file_uploader") if (one.key or "").startswith("settings_")]
    return one


def meanings(app, column="rating"):
    return {word: box(app, f"meaning_{column}_{word.lower()}").value for word in WORDS}


def test_everything_else_is_negative_in_one_click(app):
    frame, fraud = coloured()
    upload(app, csv_of(frame), "colours.csv")
    assert meanings(app) == dict(zip(WORDS, (None, None, None, "undecided"), strict=True))
    assert any("3 ratings" in text.value for text in app.markdown)
    box(app, "meaning_rating_colour red").set_value("positive")
    run(app)
    (rest,) = [button for button in app.button if (button.key or "").startswith("rest_")]
    run(rest.click())
    assert meanings(app) == dict(zip(WORDS, ("positive", "negative", "negative", "undecided"), strict=True))
    assert not [button for button in app.button if (button.key or "").startswith("rest_")]
    assert not app.error
    say_no_other_alerts(app)
    assert funnel(app)[4] == fraud


def test_settings_file_brings_meanings_and_floors(app, monkeypatch, stored_files):
    offered, write = [], Uploader.settings_of
    monkeypatch.setattr(Uploader, "settings_of", lambda *given: offered.append(write(*given)) or offered[-1])
    frame, _ = coloured()
    first = upload(app, csv_of(frame), "colours.csv")
    for word, meaning in zip(WORDS, ("positive", "negative", "negative", "undecided"), strict=True):
        box(first, f"meaning_rating_{word.lower()}").set_value(meaning)
    box(first, "floor_model A").set_value("0.25")
    box(first, "floor_model B").set_value("0.25")
    run(first)
    run(first)
    settings = offered[-1].encode()
    # A server that knows nothing of these columns.
    shutil.rmtree(stored_files)
    other = upload(opened("rated_data"), csv_of(frame), "colours.csv")
    assert meanings(other)[WORDS[0]] is None
    settings_uploader(other).upload("multiloss-settings.json", settings, "application/json")
    run(other)
    assert meanings(other) == meanings(first)
    assert box(other, "floor_model A").value == "0.25"
    assert funnel(other) == funnel(first)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b" " * 200_000, "no settings"),
        (
            json.dumps(
                {"choice": {"is_counts": False, "scores": ["other"], "rating": "rating", "floors": [0.1]}}
            ).encode(),
            "'other'",
        ),
    ],
)
def test_settings_that_do_not_fit_are_refused(app_with_upload, content, words):
    app = app_with_upload
    before = funnel(app)
    settings_uploader(app).upload("multiloss-settings.json", content, "application/json")
    run(app)
    assert any(words in error.value for error in app.error)
    assert funnel(app) == before


@pytest.mark.parametrize(("endings", "zone"), [(("-08:00",), "UTC-08:00"), (("+01:00", "+02:00"), "differ")])
def test_zone_of_days_is_named(app, endings, zone):
    frame = rated_frame()
    clock = pd.Series(pd.date_range("2026-02-01 23:30", periods=len(frame), freq="3h")).dt.strftime("%Y-%m-%d %H:%M:%S")
    frame["created_at"] = clock + pd.Series(endings).iloc[np.arange(len(frame)) % len(endings)].to_numpy()
    upload(app, csv_of(frame), "zones.csv")
    assert any("counted in" in caption.value and zone in caption.value.replace("\\", "") for caption in app.caption)
