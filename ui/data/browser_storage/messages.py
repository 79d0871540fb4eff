"""Messages about files between Python and the browser; `make types` makes `messages.d.ts`."""

from typing import TypedDict

CONTRACT = 1


class FileName(TypedDict):
    """A file by its screen name, with the beginning of its SHA-256, empty if unknown."""

    name: str
    digest: str


class LoadedFile(TypedDict):
    """A file read by the server: its screen name, original name, bytes and SHA-256."""

    name: str
    given_name: str
    size: int
    digest: str


class FilesMessage(TypedDict):
    """The files of a page, sent to the browser where files are loaded or used.

    `shelf`: the kind of data. `visit`: the id of the session. `acknowledged`: the number of received events.
    `uploader`: the key of the upload widget, on the page if `is_open`; `wanted`: the file to put into it. `using`: the
    name of the data on the screen. `kept`: other files that Python expects in the browser. `limit`: the bytes to keep
    at most. `choices`: as in `ChoicesMessage`.
    """

    contract: int
    shelf: str
    visit: str
    acknowledged: int
    uploader: str
    is_open: bool
    wanted: FileName | None
    using: str | None
    loaded: list[LoadedFile]
    kept: list[FileName]
    limit: int
    choices: dict[str, str]


class ChoicesMessage(TypedDict):
    """Column choices as JSON text by subject, sent to the browser when they are known.

    They may be known later than the files.
    """

    contract: int
    shelf: str
    choices: dict[str, str]


class FileEvent(TypedDict, total=False):
    """An event of the browser, sent as `event`; unknown parts are missing.

    `gone`: the wanted file cannot be restored. `kept`: the stored files. `choices`: earlier column choices.
    """

    gone: str
    kept: list[FileName]
    choices: dict[str, str]


class Events(TypedDict):
    """Name the triggers of the browser."""

    event: FileEvent
