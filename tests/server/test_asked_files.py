"""Test that files stay while a widget holds them, and are accepted at issued URLs only."""

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


def test_file_is_accepted_at_a_url_of_its_session(manager, asked):
    own, other = bring(manager, "own"), bring(manager, "other")
    assert asked.was_issued("own", own)
    assert asked.was_issued("other", other)
    assert not asked.was_issued("own", other)
    assert not asked.was_issued("own", "made up")
    assert not asked.was_issued("nobody", own)


def test_oldest_url_expires_beyond_the_limit(manager, asked):
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
    # Its widget drops it: the grace period begins.
    asked.drop_unclaimed({"own": set()}, 1000.0)
    assert files(manager) == {held}
    asked.drop_unclaimed({"own": set()}, 1001.0 + CLAIM_SECONDS)
    assert not files(manager)


def test_urls_end_with_their_session(manager, asked):
    file = bring(manager, "own")
    asked.drop_unclaimed({"other": set()}, 0.0)
    assert not asked.was_issued("own", file)
