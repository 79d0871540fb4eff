"""Messages between Python and the browser; `make types` makes `browser/messages.d.ts`."""

from typing import Annotated, Any, TypedDict

from ui.operating_point.point_text import PointWords

CONTRACT = 8


class MethodStyle(TypedDict):
    """How the lines of a method look, in words of CSS."""

    name: str
    colour: str
    dash: str


class Row(TypedDict):
    """One target: its texts, and the points of all methods in table order; None is not drawn.

    `x`, `y`, `third` and `fourth` are the thresholds, those on the axes first. `tangent` and `view` hold FP, then TP:
    the ends of the tangent, and the ranges that show the point.
    """

    price: str
    slope: str
    words: Annotated[dict[str, Any], PointWords]
    x: list[float | None]
    y: list[float | None]
    third: list[float | None]
    fourth: list[float | None]
    fp: list[float | None]
    tp: list[float | None]
    tangent: tuple[list[float], list[float]]
    view: tuple[list[float], list[float]]


class Table(TypedDict):
    """Everything that moves, for every target of the slider; `methods` with the chosen one last.

    `certified` holds the lowest and the highest target in percent whose point is certified.
    """

    percents: list[float]
    lowest: float
    highest: float
    step: float
    methods: list[str]
    rows: list[Row]
    certified: tuple[float, float] | None


class ChartMessage(TypedDict):
    """One chart: traces, layout and marks as JSON text, so that equal texts are not resent.

    Marks name in `meta.follows` the columns of `Row` for their coordinates. The layout is empty until the browser
    reports that the chart is visible.
    """

    title: str
    traces: list[str]
    layout: str
    alt: str
    surface: bool
    marks: list[str]


class Intervals(TypedDict):
    """Intervals expected on new data at one point, in words by label."""

    percent: float
    by_hand: bool
    words: dict[str, str]


class Message(TypedDict):
    """The state for the browser at each run; `contract` is the version of the messages.

    `about`: the meaning of the axes; the zoom is kept while it stays the same. `percent`: the slider's position;
    `home`: the target to return to. `acknowledged`: the number of the last event that Python received. `table`: a
    `Table` as JSON text. It, traces and layouts are names of `texts`, without those that the browser holds. `key`: all
    methods; `beside`: those drawn from the start; `colour`: the chosen one's. `explanations`: by the start of a label,
    with {label} for its value.
    `headline`: the label of the rate among the counts. `subject`: a description for screen readers. `hand`: the point
    where no target leads to it; `present`: the compared point. `goal`: the active goal, empty for the slider and manual
    thresholds; `goal_note` describes it, `place` the neighbouring targets. `pair`: the drawn classifiers; `thresholds`:
    the chosen ones of all, None for never.
    """

    contract: int
    library: str
    about: str
    percent: float
    home: float
    acknowledged: int
    texts: dict[str, str]
    table: str
    charts: dict[str, ChartMessage]
    key: list[MethodStyle]
    beside: list[str]
    colour: str
    ink: str
    explanations: dict[str, str]
    question: str
    note: str
    headline: str
    large: bool
    subject: str
    intervals: Intervals | None
    hand: Row | None
    present: Row | None
    goal: str
    goal_note: str
    place: str
    pair: tuple[int, int]
    thresholds: list[float | None]


class Events(TypedDict):
    """Events of the browser, numbered because they arrive in any order.

    They include the names of the held texts. `lost`: an expected text is missing. `failed`: the charts cannot be drawn.
    `surfaces`: the surfaces are visible.
    """

    moved: tuple[float, int, list[str]]
    picked: tuple[list[float | None], int, list[str]]
    lost: bool
    failed: bool
    surfaces: bool
