"""Long texts of a message under short names: what the browser holds already is not sent again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from ui.operating_point.explorer.messages import ChartMessage, Message

# Of a browser's own; it holds fewer.
MOST_NAMES = 1000


def without_held(message: Message, held: frozenset[str]) -> Message:
    """Put names for the table, the traces and the layouts, and among `texts` those that the browser does not hold."""
    names = _Names()
    charts = {
        name: ChartMessage({**chart, "traces": [*map(names.of, chart["traces"])], "layout": names.of(chart["layout"])})
        for name, chart in message["charts"].items()
    }
    table = names.of(message["table"])
    texts = {name: text for name, text in names.texts.items() if name not in held}
    return {**message, "table": table, "charts": charts, "texts": texts}


def held_texts(said: Iterable[object]) -> frozenset[str]:
    """Read the names that a browser says it holds; it may say anything."""
    names = [name for name in said if isinstance(name, str)]
    return frozenset(names[:MOST_NAMES])


@dataclass
class _Names:
    texts: dict[str, str] = field(default_factory=dict)

    def of(self, text: str) -> str:
        """Name a text after what stands in it; an empty one needs no name."""
        if not text:
            return ""
        name = blake2b(text.encode(), digest_size=8).hexdigest()
        self.texts[name] = text
        return name
