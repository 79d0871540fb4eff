"""The state of one session besides widget values, with types and defaults, under one key."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pandas as pd
import streamlit as st

from multiloss_core import DecisionRecord, RatedCounts
from multiloss_core.audit import Audit, AuditPlan
from multiloss_core.datasets import Source
from multiloss_core.decisions import GoalValue
from multiloss_core.engines import BorderlineRows, PathCounts
from multiloss_core.losses import Consistency, Verification
from multiloss_core.thresholds import Payoffs, Point
from multiloss_core.thresholds.targets import ReviewBand
from ui.shared.tasks import SessionTasks

KEY = "session"

Choice = TypeVar("Choice")


@dataclass
class UrlEcho:
    """The last value seen in the URL, and later written values, echoed by the browser in order."""

    seen: str | None = None
    written: list[str | None] = field(default_factory=list)
    written_at: float = 0.0


@dataclass(frozen=True, kw_only=True)
class UploadedFile:
    """The file of a table: name, SHA-256 and key on the server; empty for pasted text.

    `memory`: bytes of the table, in memory or on disk.
    """

    given_name: str = ""
    digest: str = ""
    key: str = ""
    memory: int


@dataclass
class Uploads(Generic[Choice]):
    """The loaded tables by name, their files, and the last valid columns by fingerprint.

    `confirmed`: fingerprints of tables with confirmed columns. `picked`: the name of the table on the screen `page`.
    `last_upload`, `complaint` and `note` describe the last file's result. `kept` maps names of stored files that are
    not loaded to their addresses; `gone`: names that could not be brought back; `replaced`: names with another file
    than the URL meant. `remembered`: choices of columns as JSON by their subject.
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
    kept: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)
    remembered: dict[str, str] = field(default_factory=dict)


@dataclass
class ScoredUploads(Uploads[Any]):
    """Uploads, and the error of the last paste."""

    paste_complaint: str | None = None


@dataclass(frozen=True)
class PinnedPoint:
    """The thresholds of a pinned point, infinity for never, and their origin."""

    thresholds: tuple[float, ...]
    origin: str


@dataclass
class ComparedThresholds:
    """The thresholds that the points of one dataset and rule are compared with.

    `current`: the current thresholds; None is an empty box, which means never if another one is filled. `complaint`:
    the error of the last file; `origin`: the name of their file or decision; `is_looked_up`: whether the log was
    queried for deployed thresholds.
    """

    current: list[float | None]
    pinned: PinnedPoint | None = None
    with_pinned: bool = False
    origin: str | None = None
    complaint: str | None = None
    is_looked_up: bool = False


@dataclass(frozen=True)
class CertificateRequest:
    """A precision to guarantee with a confidence, in (0, 1); `about` identifies the data."""

    about: Hashable
    precision: float
    confidence: float


@dataclass(frozen=True)
class Scenario:
    """Payoffs in a currency, with a name that may be empty."""

    name: str
    payoffs: Payoffs
    currency: str


@dataclass
class ScenarioTable:
    """Cost scenarios: the table `given` to the editor, as `typed`, and `before` its change.

    `version` counts the given tables. `usable`: the scenarios of its valid rows; `driving`: the active one, None for
    an invalid row.
    """

    given: pd.DataFrame = field(default_factory=pd.DataFrame)
    typed: pd.DataFrame = field(default_factory=pd.DataFrame)
    before: pd.DataFrame | None = None
    version: int = 0
    usable: list[Scenario] = field(default_factory=list)
    driving: Scenario | None = None


@dataclass(frozen=True)
class MadeDecision:
    """A decision with its number or the error of the log; neither if not logged."""

    record: DecisionRecord
    number: int | None = None
    complaint: str | None = None


@dataclass(frozen=True)
class Reopened:
    """The reopened record, the name of the data, and whether it is the record's own data."""

    record: DecisionRecord
    data_name: str
    same_data: bool


@dataclass(frozen=True, eq=False)
class ShownPoint:
    """A point on the screen; `about` identifies data, settings and method, `goal` is its goal."""

    point: Point
    about: Hashable
    goal: str


@dataclass(frozen=True)
class SheetPoint:
    """The request of the decision sheet to the operating point, and its thresholds (k,)."""

    request: tuple[object, ...]
    thresholds: tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ChosenBand:
    """Two cuts, the goal of the upper one as in records, and the reviews possible per day."""

    band: ReviewBand
    goal: str
    goal_values: tuple[GoalValue, ...]
    reviews_per_day: float | None = None


@dataclass
class Goals:
    """The goals of one file: target in percent, manual thresholds (k,), scenarios.

    `choices`: those of its widgets, while another file is shown. `shown`: the point of the last run, from which a new
    goal starts; `sheet_led_to`: that of the decision sheet.
    """

    choices: dict[str, Any] = field(default_factory=dict)
    percent: float = 20.0
    manual_thresholds: list[float] | None = None
    scenarios: ScenarioTable = field(default_factory=ScenarioTable)
    shown: ShownPoint | None = None
    sheet_led_to: SheetPoint | None = None


@dataclass(frozen=True)
class SegmentChoice:
    """The chosen column of segments, and whether these may have own thresholds."""

    column: str
    own: bool = False


@dataclass
class SourceTable:
    """The sources of alerts in the order of the user, and those switched on or off for a trial.

    `version` counts the tables given to the editor.
    """

    order: list[str]
    switches: dict[str, bool] = field(default_factory=dict)
    version: int = 0


@dataclass
class PointState:
    """The state of the screen Operating point.

    `last_event` numbers the last move in the explorer. `goal_refused`: the chosen goal is infeasible; `goal_note`
    describes its result. `compared`: compared thresholds by dataset and rule; `sources`: the table of sources by
    dataset. `band`: the two cuts of the last run, if any. `surfaces_in_sight`: the browser has requested the surfaces.
    `file`: the fingerprint of the file of the goals; `goals_of_files`: goals of other files. `held_texts`: names of
    message texts that the browser holds. `segment_choices`: the segments chosen for each file by its fingerprint.
    """

    last_event: int = 0
    goals: Goals = field(default_factory=Goals)
    goal_refused: bool = False
    goal_note: str = ""
    file: str | None = None
    goals_of_files: dict[str, Goals] = field(default_factory=dict)
    compared: dict[Hashable, ComparedThresholds] = field(default_factory=dict)
    certificate: CertificateRequest | None = None
    sources: dict[str, SourceTable] = field(default_factory=dict)
    band: ChosenBand | None = None
    surfaces_in_sight: bool = False
    held_texts: frozenset[str] = frozenset()
    tour_step: int | None = None
    decision: MadeDecision | None = None
    reopened: Reopened | None = None
    segment_choices: dict[str, SegmentChoice] = field(default_factory=dict)


@dataclass(frozen=True)
class UploadedRecord:
    """A record from a file, or the error of the file."""

    file: str
    record: DecisionRecord | None = None
    complaint: str | None = None


@dataclass
class DecisionsState:
    """The state of the screen Decisions.

    `log_complaint`: the error of the log; `note`: the result of the last action; `more`: entries beyond the first page.
    """

    uploaded: UploadedRecord | None = None
    note: str | None = None
    more: int = 0
    log_complaint: str | None = None


@dataclass(frozen=True)
class OwnItems:
    """The user's probabilities in place of those of a `draw`."""

    draw: tuple[float, ...]
    probabilities: tuple[float, ...]


@dataclass
class TopKState:
    """The state of the screen Top-k: the last results with their inputs.

    `pending_draw`: the draw to show next, by the key of its widget. `own`: the user's items; `last_move`: the number of
    the last drag received; `complaint`: the error of the typed items. `revealed`: settings of the revealed optimum;
    `part_shows_items`: the open part shows the items; `regrets`: those measured for Theorem 3.
    """

    own: OwnItems | None = None
    last_move: int = 0
    complaint: str | None = None
    revealed: object = None
    part_shows_items: bool = False
    verified: tuple[object, Verification] | None = None
    found: tuple[object, Any] | None = None
    pending_draw: dict[str, Any] = field(default_factory=dict)
    regrets: tuple[object, Consistency] | None = None


@dataclass(frozen=True, kw_only=True)
class StoredRatings:
    """The key and the name of a stored file of rated rows, and what its columns mean.

    Without a `positive` word its ratings mean what they mean in the rated data.
    """

    file: str
    name: str
    label: str
    positive: str | None
    identifier: str | None


@dataclass(frozen=True)
class KeptAudit:
    """The plan of an audit of rated data, and its ratings from the file `name`.

    `answers`: the upload and the meanings of its columns, by which `audit` was read; `stored`: what reads it again from
    the server's files. `refuted`: keys of positives that a second rating found negative.
    """

    plan: AuditPlan | None = None
    audit: Audit | None = None
    name: str = ""
    answers: Hashable = None
    stored: StoredRatings | None = None
    refuted: tuple[str, ...] = ()


@dataclass
class Session:
    """The state of one session: `page` is the open screen, `url` its parameters by name.

    `counted`: datasets counted in engines, by key; `counted_along`:
    counts along their paths, `counted_segments` by segment; `borderline`: rows near thresholds; `stopped`: keys of
    cancelled calculations; `audits`: the audit of rated data by their key;
    `audit_populations`: strata that were counted in connected sources.
    """

    page: str | None = None
    url: dict[str, UrlEcho] = field(default_factory=dict)
    tasks: SessionTasks = field(default_factory=SessionTasks)
    rated: Uploads[Any] = field(default_factory=Uploads)
    scored: ScoredUploads = field(default_factory=ScoredUploads)
    counted: dict[str, Any] = field(default_factory=dict)
    counted_along: dict[Hashable, PathCounts] = field(default_factory=dict)
    counted_segments: dict[Hashable, Mapping[str, RatedCounts]] = field(default_factory=dict)
    borderline: dict[Hashable, BorderlineRows] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    point: PointState = field(default_factory=PointState)
    decisions: DecisionsState = field(default_factory=DecisionsState)
    top_k: TopKState = field(default_factory=TopKState)
    audits: dict[str, KeptAudit] = field(default_factory=dict)
    audit_populations: dict[Hashable, Any] = field(default_factory=dict)


def session() -> Session:
    """Return the state of this session."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Session()
    found: Session = st.session_state[KEY]
    return found
