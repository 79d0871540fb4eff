"""Write docs/api.md: the stable names of the library with their docstrings."""

import inspect
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import multiloss_core as core

PAGE = Path(__file__).resolve().with_name("api.md")
KINDS = ("classes", "functions", "constants")
START = """# Stable names

`from multiloss_core import NAME` works for the names below; [the library in five tasks](python.md) shows them together.
Versions are semantic: a name or argument changes only in a new major version (before 1.0: minor version), and one minor
version earlier its use gives a `DeprecationWarning`. Everything else, the packages below `multiloss_core` included, may
change in any version.
"""
# Headings of numpydoc with the line below them.
_HEADING = re.compile(r"^(Parameters|Returns|Raises|Examples|Notes)\n-+\n", re.MULTILINE)


def documentation(value: object) -> Iterator[str]:
    """Write a docstring as Markdown, a paragraph at a time."""
    before, *sections = _HEADING.split(inspect.getdoc(value) or "")
    yield before.strip()
    for heading, text in zip(sections[::2], sections[1::2], strict=True):
        body = text.strip()
        if heading == "Examples":
            yield f"```python\n{body}\n```"
        else:
            entries = re.sub(r"^(\w[\w, ]*) :", r"- `\1`:", body, flags=re.MULTILINE)
            yield f"**{heading}**\n\n{re.sub(r'^ {4}', '  ', entries, flags=re.MULTILINE)}"


def page() -> str:
    """Return the text of the page."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name in sorted(core.__all__, key=str.lower):
        value = getattr(core, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            kind, parameters = ("classes", "") if inspect.isclass(value) else ("functions", inspect.signature(value))
            title = f"{name}({', '.join(parameters.parameters)})" if parameters else name
            found[kind].append("\n\n".join([f"### `{title}`", *documentation(value)]))
        else:
            own = type(value).__module__.startswith(core.__name__)
            words = next(documentation(type(value))) if own else f"A `{type(value).__name__}`."
            found["constants"].append(f"### `{name}`\n\n{words}")
    return START + "".join(f"\n## {kind.capitalize()}\n\n" + "\n\n".join(found[kind]) + "\n" for kind in KINDS)


if __name__ == "__main__":
    warnings.simplefilter("error")
    PAGE.write_text(page(), encoding="utf-8")
