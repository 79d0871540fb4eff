"""Text for the screen: Markdown taken literally, long names cut."""

import re

_MARKDOWN = re.compile(r"([\\`*_\[\]()<>|&#~$:!])")
MAX_SHOWN = 80


def as_text(text: str) -> str:
    """Text in which nothing is Markdown, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def shortened(text: str) -> str:
    """A name that may be long, for a label or a sentence."""
    words = " ".join(text.split())
    return words if len(words) <= MAX_SHOWN else f"{words[:MAX_SHOWN]}…"
