"""What Python and the browser tell each other about files, written once: `make types` makes `browser/messages.d.ts`."""

from typing import TypedDict

CONTRACT = 1


class FileName(TypedDict):
    """A file as it is called on the screen, with the beginning of its SHA-256, empty where it is not known."""

    name: str
    digest: str


class LoadedFile(TypedDict):
    """A file that the server has read: its name on the screen, the name the user gave it, its bytes and SHA-256."""

    name: str
    given_name: str
    size: int
    digest: str


class FilesMessage(TypedDict):
    """Sent to the browser where files are brought in or used.

    `shelf` is the kind of data; `visit` changes with each visit to the server, and `heard` counts what it heard of the
    browser then. `uploader` is the key of the widget that files come in by, `is_open` where it is on the page, `wanted`
    the file to put into it. `using` is the name of the data on the screen, None while there are none. `kept` are the
    files that Python believes to be kept, besides those that are loaded. `limit` is how many bytes the browser shall
    keep at most; `choices` as in `ChoicesMessage`.
    """

    contract: int
    shelf: str
    visit: str
    heard: int
    uploader: str
    is_open: bool
    wanted: FileName | None
    using: str | None
    loaded: list[LoadedFile]
    kept: list[FileName]
    limit: int
    choices: dict[str, str]


class ChoicesMessage(TypedDict):
    """Sent to the browser when it is known what columns mean: JSON text, which only Python reads, by what it is of.

    A page may know that later than the files.
    """

    contract: int
    shelf: str
    choices: dict[str, str]


class Told(TypedDict, total=False):
    """Sent by the browser, as `told`; what is missing is not said.

    `gone`: the wanted file cannot be brought back. `kept`: the files that are kept. `choices`: those given before, also
    in earlier visits.
    """

    gone: str
    kept: list[FileName]
    choices: dict[str, str]


class Events(TypedDict):
    """What the browser triggers, by name."""

    told: Told
