"""What Python and the browser tell each other, written once: `make types` makes `browser/messages.d.ts` of it."""

from typing import Annotated, Any, TypedDict

from ui.operating_point.point_text import PointWords

CONTRACT = 6


class MethodStyle(TypedDict):
    """How the lines of a method look, in words of CSS."""

    name: str
    colour: str
    dash: str


class Row(TypedDict):
    """One target: its words, and the points of all methods in the order of the table; None is not drawn.

    `tangent` and `view` hold FP, then TP: the ends of the tangent, and the ranges that show the point.
    """

    price: str
    slope: str
    words: Annotated[dict[str, Any], PointWords]
    x: list[float | None]
    y: list[float | None]
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
    """One chart: each trace, the layout and each mark as JSON text, so that what did not change is known by its text.

    Marks carry in `meta.follows` which columns of `Row` their coordinates follow. The layout is empty where the chart
    is sent once the browser says that it is in sight.
    """

    title: str
    traces: list[str]
    layout: str
    alt: str
    surface: bool
    marks: list[str]


class Intervals(TypedDict):
    """What new data will show of one point: by label, an interval in words."""

    percent: float
    by_hand: bool
    words: dict[str, str]


class Message(TypedDict):
    """Sent to the browser at each run of the page; `contract` is the number of what stands here.

    `about` is what the axes mean: the user's zoom is kept while it stays the same. `percent` is where the slider
    shows the point, `home` the target that it goes back to. `heard` is the number of the user's last event that
    Python has heard of. `table` is a `Table` as JSON text, which is not parsed again while it stays the same. It,
    the traces and the layouts are sent as names of `texts`, where those are left out that the browser holds. `key`
    holds all methods, `colour` is that of the chosen one. `explanations` are found by the beginning of a label, and
    have {label} for the value under it. `headline` is the label of the rate that stands among the counts. `large`:
    for a meeting room. `subject` says what the numbers are of, for who hears them. `hand` is the point where no
    target leads to it; `present` the one at the thresholds in force now. `goal` is what the point is derived
    from, empty for the slider and the hand; `told` says what its goal comes to, `place` between which targets it
    lies. `pair`: the classifiers whose thresholds are drawn; `thresholds`: the chosen ones of all, None for never.
    """

    contract: int
    library: str
    about: str
    percent: float
    home: float
    heard: int
    texts: dict[str, str]
    table: str
    charts: dict[str, ChartMessage]
    key: list[MethodStyle]
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
    told: str
    place: str
    pair: tuple[int, int]
    thresholds: list[float | None]


class Events(TypedDict):
    """Sent by the browser, each as a value of the component; events carry their number, as they arrive in any order.

    They carry also the names of the texts that the browser holds; `lost`: a text is missing that it was thought to
    hold. `failed`: the charts could not be drawn at all. `surfaces`: they are in sight.
    """

    moved: tuple[float, int, list[str]]
    picked: tuple[list[float | None], int, list[str]]
    lost: bool
    failed: bool
    surfaces: bool
