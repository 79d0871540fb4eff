"""Fill the templates of this folder, with values escaped for the language of the text."""

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def environment(escape: Callable[[Any], str]) -> Environment:
    """Prepare the templates for a language: what is not marked as safe goes through `escape`."""
    return Environment(
        loader=PackageLoader("multiloss_core.decisions"),
        # On for HTML; other languages escape in `finalize`, which marks as safe what it gives back.
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else Markup(escape(value)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
