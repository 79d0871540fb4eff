"""Text for the screen: Markdown taken literally, long names cut."""

from multiloss_core.formatting import as_markdown

# Streamlit reads :icons: and :colour[directives]; it shows pictures and links that Markdown files may hold.
_IN_STREAMLIT = "():!"
MAX_SHOWN = 80


def as_text(text: str) -> str:
    """Text in which nothing is Markdown, on one line."""
    return as_markdown(text, also=_IN_STREAMLIT)


def shortened(text: str) -> str:
    """A name that may be long, for a label or a sentence."""
    words = " ".join(text.split())
    return words if len(words) <= MAX_SHOWN else f"{words[:MAX_SHOWN]}…"
