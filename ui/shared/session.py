"""Everything that one visit holds besides the values of widgets: typed, with defaults, under one key."""

import secrets
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pandas as pd
import streamlit as st

from multiloss_core import DecisionRecord
from multiloss_core.datasets import Source
from multiloss_core.decisions import Wish
from multiloss_core.engines import BorderlineRows, PathCounts
from multiloss_core.losses import TimedRun, Verification
from multiloss_core.thresholds import Payoffs, Point
from multiloss_core.thresholds.targets import ReviewBand
from ui.server.work import Task

KEY = "session"

Choice = TypeVar("Choice")


@dataclass
class UrlEcho:
    """The value last seen in the URL, and the values written since, which the browser will echo in this order."""

    seen: str | None = None
    written: list[str | None] = field(default_factory=list)
    written_at: float = 0.0


@dataclass(frozen=True, kw_only=True)
class UploadedFile:
    """What a table was read from: the name the user's file has, its bytes, their SHA-256; nothing for pasted text.

    `memory` is how many bytes the table takes, in memory or on disk.
    """

    given_name: str = ""
    size: int = 0
    digest: str = ""
    memory: int


@dataclass
class Uploads(Generic[Choice]):
    """The tables that were loaded, by name, with their files, and the last valid choice of columns by fingerprint.

    `confirmed`: fingerprints of tables whose columns the user has confirmed. `picked` is the name of what the screen
    `page` shows. `last_upload`, `complaint` and `note` say what became of the last file. `heard` counts what the user's
    browser said, `kept` holds the files that it keeps, by name the beginning of their SHA-256, None until it is asked;
    `gone` are names that it could not bring back, and `replaced` those under which another file came than the address
    meant. `remembered` are choices of columns as JSON, by what they are of. `reading` is the file, with what of it was
    asked for, that is being read.
    """

    sources: dict[str, Source[Choice]] = field(default_factory=dict)
    files: dict[str, UploadedFile] = field(default_factory=dict)
    choices: dict[str, Choice] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)
    picked: str | None = None
    page: str | None = None
    last_upload: str | None = None
    complaint: str | None = None
    note: str | None = None
    heard: int = 0
    kept: dict[str, str] | None = None
    gone: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)
    remembered: dict[str, str] = field(default_factory=dict)
    reading: tuple[tuple[str, str], Task[Source[Choice]]] | None = None


@dataclass
class ScoredUploads(Uploads[Any]):
    """Also what became of the last paste, and for which data, beta and least number all losses were compared."""

    paste_complaint: str | None = None
    compared: set[tuple[str, float, int]] = field(default_factory=set)


@dataclass
class Target:
    """The marginal precision in percent; `last_event` is the number of the user's last move in the explorer."""

    percent: float = 20.0
    last_event: int = 0

    @property
    def marginal_precision(self) -> float:
        """The target in (0, 1)."""
        return self.percent / 100


@dataclass(frozen=True)
class PinnedPoint:
    """A point that was pinned: its thresholds, infinity for never, and where it came from."""

    thresholds: tuple[float, ...]
    origin: str


@dataclass
class Baseline:
    """What the points of one dataset and rule are compared with.

    `current` are the thresholds in use today; None is an empty box, and stands for never where another one is not
    empty.
    `complaint` is about the last file, `origin` the name of the file that they came from, or of the decision;
    `is_looked_up`: whether the log was asked what is in production.
    """

    current: list[float | None]
    pinned: PinnedPoint | None = None
    with_pinned: bool = False
    origin: str | None = None
    complaint: str | None = None
    is_looked_up: bool = False


@dataclass(frozen=True)
class CertificateRequest:
    """A precision to be guaranteed with a confidence, both in (0, 1), and of which data and settings it was asked."""

    about: Hashable
    precision: float
    confidence: float


@dataclass(frozen=True)
class Scenario:
    """Payoffs in a currency, under a name that may be empty."""

    name: str
    payoffs: Payoffs
    currency: str


@dataclass
class ScenarioTable:
    """Scenarios of costs: the table `given` to the editor, as it was `typed` since, and `before` its last change.

    `version` counts the tables given.
    `usable` are the scenarios of its rows, and `driving` the chosen one; None where its row holds none.
    """

    given: pd.DataFrame = field(default_factory=pd.DataFrame)
    typed: pd.DataFrame = field(default_factory=pd.DataFrame)
    before: pd.DataFrame | None = None
    version: int = 0
    usable: list[Scenario] = field(default_factory=list)
    driving: Scenario | None = None


@dataclass(frozen=True)
class MadeDecision:
    """A decision that was made, its number in the log, or why it is not there; neither where no log was wanted."""

    record: DecisionRecord
    number: int | None = None
    complaint: str | None = None


@dataclass(frozen=True)
class Reopened:
    """The record that the operating point was opened with, under which data, and whether these are the record's own."""

    record: DecisionRecord
    data_name: str
    same_data: bool


@dataclass(frozen=True, eq=False)
class ShownPoint:
    """A point on the screen; `about` says of which data, settings and method, `driver` what led to it."""

    point: Point
    about: Hashable
    driver: str


@dataclass(frozen=True)
class SheetPoint:
    """What the decision sheet led the operating point to: the request that it was asked, and thresholds (k,)."""

    request: tuple[object, ...]
    thresholds: tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ChosenBand:
    """Two cuts, what the upper one was chosen by, in the words of records, and how many can be reviewed a day."""

    band: ReviewBand
    driver: str
    wishes: tuple[Wish, ...]
    reviews_per_day: float | None = None


@dataclass(frozen=True)
class Goals:
    """What was asked of one file: what was `typed` into widgets, by key, the target in percent and manual thresholds.

    `shown` and `sheet_led_to` are the points that this led to.
    """

    typed: dict[str, Any] = field(default_factory=dict)
    percent: float = Target.percent
    manual: list[float] | None = None
    scenarios: ScenarioTable = field(default_factory=ScenarioTable)
    shown: ShownPoint | None = None
    sheet_led_to: SheetPoint | None = None


@dataclass
class PointState:
    """The screen Operating point.

    `manual_thresholds` (k,) were set by hand. `goal_refused`: the chosen goal cannot drive; `goal_told` says
    what it comes to. `shown` is the point that
    the last run showed, with what it is of: a new goal starts from it. `baselines` are by dataset and rule, `jobs` by
    what they work on. `band`: the two cuts of the last run, where there were two. `surfaces_in_sight`: the browser has
    asked for the surfaces. `file` is the fingerprint of the file that goals are of, `goals_of_files` keeps those of
    others; the widgets of the keys `start_anew` forget what they held for another file. `held_texts` are the names of
    what it said that it holds of the explorer's messages.
    """

    target: Target = field(default_factory=Target)
    manual_thresholds: list[float] | None = None
    goal_refused: bool = False
    goal_told: str = ""
    shown: ShownPoint | None = None
    sheet_led_to: SheetPoint | None = None
    file: str | None = None
    goals_of_files: dict[str, Goals] = field(default_factory=dict)
    start_anew: set[str] = field(default_factory=set)
    baselines: dict[Hashable, Baseline] = field(default_factory=dict)
    certificate: CertificateRequest | None = None
    jobs: dict[Any, Task[Any]] = field(default_factory=dict)
    scenarios: ScenarioTable = field(default_factory=ScenarioTable)
    band: ChosenBand | None = None
    surfaces_in_sight: bool = False
    held_texts: frozenset[str] = frozenset()
    tour_step: int | None = None
    decision: MadeDecision | None = None
    reopened: Reopened | None = None


@dataclass(frozen=True)
class UploadedRecord:
    """A record from a file, or why the file holds none."""

    file: str
    record: DecisionRecord | None = None
    complaint: str | None = None


@dataclass
class DecisionsState:
    """The screen Decisions: `log_complaint` says why the log cannot be read, `note` what was done last.

    `more` entries are shown beyond the first page.
    """

    uploaded: UploadedRecord | None = None
    note: str | None = None
    more: int = 0
    log_complaint: str | None = None


@dataclass(frozen=True)
class OwnItems:
    """Probabilities that the user set, in place of those of a `draw`."""

    draw: tuple[float, ...]
    probabilities: tuple[float, ...]


@dataclass
class TopKState:
    """The teaching screen: what was found last, each with the inputs that it was found for.

    `pending_draw` is the draw to show next, by the key of its widget; `timed` a loss, its runs, whether all were made.
    `own` are items that the user set, `last_move` the number of the last drag heard of, `complaint` what is wrong with
    what was typed. `revealed` says under which items and loss the optimum was asked for; `walked` is how many steps of
    which graph's search were taken.
    """

    own: OwnItems | None = None
    last_move: int = 0
    complaint: str | None = None
    revealed: object = None
    walked: tuple[object, int] = (None, 0)

    verified: tuple[object, Verification] | None = None
    found: tuple[object, Any] | None = None
    pending_draw: dict[str, Any] = field(default_factory=dict)
    timed: tuple[str, list[TimedRun], bool] = field(default_factory=lambda: ("", [], True))


@dataclass
class Session:
    """One visit: `page` is the screen that is open, `url` what its parameters said, by name.

    `visit` is a name of its own. `searches` are those for paths, by dataset and settings,
    `counted` datasets counted in engines, by key, `counted_along` what was
    counted along their paths, `borderline` rows near thresholds, `stopped` the keys of what the user stopped, and
    `paper_run` a set of a paper that is run again.
    """

    visit: str = field(default_factory=lambda: secrets.token_hex(8))
    page: str | None = None
    url: dict[str, UrlEcho] = field(default_factory=dict)
    rated: Uploads[Any] = field(default_factory=Uploads)
    scored: ScoredUploads = field(default_factory=ScoredUploads)
    counted: dict[str, Any] = field(default_factory=dict)
    searches: dict[Hashable, Any] = field(default_factory=dict)
    counted_along: dict[Hashable, PathCounts] = field(default_factory=dict)
    borderline: dict[Hashable, BorderlineRows] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    point: PointState = field(default_factory=PointState)
    decisions: DecisionsState = field(default_factory=DecisionsState)
    top_k: TopKState = field(default_factory=TopKState)
    paper_run: Task[Any] | None = None


def session() -> Session:
    """Return this visit's state."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Session()
    found: Session = st.session_state[KEY]
    return found
