"""Files stay while a widget holds them, and come only where the server said that they may."""

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ui.server.limits import CLAIM_SECONDS, MAX_PLACES, IssuedFiles


@pytest.fixture
def manager():
    return MemoryUploadedFileManager("/upload")


@pytest.fixture
def asked(manager):
    return IssuedFiles(manager)


def bring(manager, visit):
    (place,) = manager.get_upload_urls(visit, ["any.csv"])
    manager.add_file(visit, UploadedFileRec(file_id=place.file_id, name="any.csv", type="text/csv", data=b"a"))
    return place.file_id


def files(manager):
    return {file for held in manager.file_storage.values() for file in held}


def test_a_file_may_come_where_its_visit_was_told(manager, asked):
    own, other = bring(manager, "own"), bring(manager, "other")
    assert asked.was_issued("own", own)
    assert asked.was_issued("other", other)
    assert not asked.was_issued("own", other)
    assert not asked.was_issued("own", "made up")
    assert not asked.was_issued("nobody", own)


def test_who_asks_for_ever_more_places_loses_the_first(manager, asked):
    first = bring(manager, "own")
    named = [place.file_id for place in manager.get_upload_urls("own", ["a"] * MAX_PLACES)]
    assert not asked.was_issued("own", first)
    assert all(asked.was_issued("own", file) for file in named)


def test_a_file_that_no_widget_holds_leaves_after_a_while(manager, asked):
    held, dropped = bring(manager, "own"), bring(manager, "own")
    for now in (0.0, CLAIM_SECONDS):
        asked.drop_unclaimed({"own": {held}}, now)
        assert files(manager) == {held, dropped}
    asked.drop_unclaimed({"own": {held}}, CLAIM_SECONDS + 1)
    assert files(manager) == {held}
    # Its widget lets go of it: it has as long as any other.
    asked.drop_unclaimed({"own": set()}, 1000.0)
    assert files(manager) == {held}
    asked.drop_unclaimed({"own": set()}, 1001.0 + CLAIM_SECONDS)
    assert not files(manager)


def test_a_file_that_is_claimed_in_between_waits_anew(manager, asked):
    file = bring(manager, "own")
    asked.drop_unclaimed({"own": set()}, 0.0)
    asked.drop_unclaimed({"own": {file}}, CLAIM_SECONDS)
    asked.drop_unclaimed({"own": set()}, CLAIM_SECONDS + 1)
    assert files(manager) == {file}


def test_an_ended_visit_is_named_no_more_places(manager, asked):
    file = bring(manager, "own")
    asked.drop_unclaimed({"other": set()}, 0.0)
    assert not asked.was_issued("own", file)
