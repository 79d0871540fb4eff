"""Keep files in a folder: what is found again, what leaves, and what stays private."""

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from multiloss_core import DataError
from ui.server.file_store import DAYS, FOLDER, SIZE, FileStore, StoredFile, file_store, new_key

ABOUT = StoredFile(kind="data", name="alerts é.csv", digest="0" * 64, owner="A <a@b.c>", settings={"columns": "{}"})
DAY = 86_400


@pytest.fixture
def store(tmp_path):
    return FileStore(tmp_path / "files", 30, 1_000)


def age(store, key, days):
    """As if a file had been used last some days ago."""
    about = store.folder / key / "about.json"
    then = about.stat().st_mtime - days * DAY
    os.utime(about, (then, then))


def test_a_file_is_found_by_its_key_alone(store):
    key, other = new_key(), new_key()
    assert store.put(key, b"a,b\n1,2\n", ABOUT)
    again = FileStore(store.folder, 30, 1_000)
    assert (again.read(key), again.about(key)) == (b"a,b\n1,2\n", ABOUT)
    assert again.read(other) is None
    assert again.about(other) is None
    store.delete(key)
    assert again.about(key) is None
    assert not list(store.folder.iterdir())


@pytest.mark.parametrize("key", ["", "..", "../secret", "notes", "A" * 32, "0" * 31, "0" * 33, "0" * 32 + "/bytes"])
def test_no_other_text_is_a_key(store, key):
    (store.folder.parent / "secret").mkdir()
    (store.folder.parent / "secret" / "bytes").write_bytes(b"secret")
    assert not store.put(key, b"x", ABOUT)
    assert store.read(key) is None
    store.delete(key)
    store.change(key, {"a": "b"})
    assert (store.folder.parent / "secret" / "bytes").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions.")
def test_other_users_of_the_machine_read_nothing(store):
    store.put(new_key(), b"x", ABOUT)
    store.note("columns", "{}")
    for place in [store.folder, *store.folder.rglob("*")]:
        assert not stat.S_IMODE(place.stat().st_mode) & 0o077, place


def test_what_is_unused_for_long_leaves(store):
    old, used = new_key(), new_key()
    for key in (old, used):
        store.put(key, b"x", ABOUT)
        age(store, key, 29)
    assert store.read(used) == b"x"
    for key in (old, used):
        age(store, key, 2)
    assert store.read(old) is None
    assert store.read(used) == b"x"
    store.note("columns", "{}")
    note = next((store.folder / "notes").iterdir())
    os.utime(note, (0, 0))
    store.tidy()
    assert not (store.folder / old).exists()
    assert not note.exists()
    assert store.read(used) == b"x"


def test_the_longest_unused_files_make_room(store):
    keys = [new_key() for _ in range(4)]
    for number, key in enumerate(keys[:3]):
        assert store.put(key, b"x" * 300, ABOUT)
        age(store, key, 10 - number)
    assert store.read(keys[0])
    assert store.put(keys[3], b"x" * 300, ABOUT)
    assert [store.about(key) is not None for key in keys] == [True, False, True, True]
    assert not store.put(new_key(), b"x" * 1_001, ABOUT)
    assert store.about(keys[0])


def test_settings_are_added_and_survive_a_damaged_file(store):
    key = new_key()
    store.put(key, b"x", ABOUT)
    store.change(key, {"sheet": "2"})
    assert store.about(key).settings == {"columns": "{}", "sheet": "2"}
    (store.folder / key / "about.json").write_bytes(b"{")
    store.change(key, {"sheet": "3"})
    assert store.about(key) is None
    assert store.put(key, b"y", ABOUT)
    assert store.read(key) == b"y"


def test_notes_are_found_by_what_they_are_about(store):
    store.note("columns ../x", "of these")
    assert store.noted("columns ../x") == "of these"
    assert store.noted("columns y") is None
    store.note("columns ../x", "x" * 1_000_000)
    assert store.noted("columns ../x") == "of these"


def test_nothing_is_kept_for_no_days_or_without_a_folder(tmp_path):
    (tmp_path / "file").write_text("no folder")
    for store in (FileStore(tmp_path / "none", 0, 1_000), FileStore(tmp_path / "file", 30, 1_000)):
        key = new_key()
        assert not store.put(key, b"x", ABOUT)
        store.note("columns", "{}")
        assert store.about(key) is None
        assert store.noted("columns") is None
    assert not (tmp_path / "none").exists()


def test_many_at_once_lose_nothing(store):
    keys = [new_key() for _ in range(20)]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda key: store.put(key, key.encode(), ABOUT), keys))
        list(pool.map(lambda number: store.change(keys[0], {str(number): "x"}), range(20)))
    assert [store.read(key) for key in keys] == [key.encode() for key in keys]
    assert len(store.about(keys[0]).settings) == 21


@pytest.mark.parametrize(("variable", "text"), [(DAYS, "-1"), (DAYS, "a week"), (DAYS, "9" * 9), (SIZE, "much")])
def test_a_wrong_setting_is_named(monkeypatch, variable, text):
    monkeypatch.setenv(variable, text)
    file_store.cache_clear()
    with pytest.raises(DataError, match=f"{variable} is '{text}'"):
        file_store()
    file_store.cache_clear()


def test_without_sign_in_files_stay_for_30_days(monkeypatch, tmp_path):
    monkeypatch.delenv(DAYS, raising=False)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    file_store.cache_clear()
    assert (file_store().folder, file_store().days) == (Path(tmp_path), 30)
    file_store.cache_clear()
