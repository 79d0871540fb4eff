"""The application's word for positives, and text for the screen: nothing in it is Markdown."""

from multiloss_core.formatting import Vocabulary, as_markdown

FRAUD = Vocabulary(positives="fraud", true_positives="fraud (TP)", rated_positive="rated positive (fraud)")

# Streamlit reads :icons: and :colour[directives]; it shows pictures and links that Markdown files may hold.
_IN_STREAMLIT = "():!"
# Letters of a name that may be long, in a label or a sentence.
LONG_NAME = 80


def as_text(text: str) -> str:
    """Text in which nothing is Markdown, on one line."""
    return as_markdown(text, also=_IN_STREAMLIT)
