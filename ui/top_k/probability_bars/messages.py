"""What Python and the browser tell each other about bars, written once: `make types` makes `browser/messages.d.ts`."""

from typing import TypedDict

CONTRACT = 1


class BarsMessage(TypedDict):
    """Sent to the browser at each run: the bars and which of them are flagged.

    `about` changes with other items; `heard` is the number of the user's last move that these bars know of. `strong` is
    the colour of what is flagged, `pale` of the rest.
    """

    contract: int
    about: str
    heard: int
    title: str
    probabilities: list[float]
    flagged: list[bool]
    strong: str
    pale: str


class Events(TypedDict):
    """What the browser sets: the number of the move and every probability after it."""

    moved: tuple[int, list[float]]
