"""Write docs/api.md: the stable names of the library, with the first sentence of each."""

import inspect
import re
import warnings
from pathlib import Path

import multiloss_core as core

PAGE = Path(__file__).resolve().with_name("api.md")
KINDS = ("classes", "functions", "constants")
START = """# Stable names

`from multiloss_core import NAME` works for the names below. Versions are semantic: a name or argument changes only in a
new major version (before 1.0: minor version), and one minor version earlier its use gives a `DeprecationWarning`.
Everything else, the packages below `multiloss_core` included, may change in any version. Parameters, units, errors,
sources and examples are in the docstrings: `help(multiloss_core.NAME)`.
"""


def first_sentence(value: object) -> str:
    """Return the first paragraph of a docstring in a line."""
    text = inspect.getdoc(value) or ""
    return re.sub(r"\s+", " ", text.split("\n\n")[0]).strip().replace("|", r"\|")


def page() -> str:
    """Return the text of the page."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name in sorted(core.__all__, key=str.lower):
        value = getattr(core, name)
        if inspect.isclass(value):
            found["classes"].append(f"| `{name}` | {first_sentence(value)} |")
        elif inspect.isroutine(value):
            parameters = ", ".join(inspect.signature(value).parameters)
            found["functions"].append(f"| `{name}({parameters})` | {first_sentence(value)} |")
        else:
            kind = type(value)
            words = first_sentence(kind) if kind.__module__.startswith(core.__name__) else f"`{kind.__name__}`"
            found["constants"].append(f"| `{name}` | {words} |")
    tables = (f"\n## {kind.capitalize()}\n| | |\n|---|---|\n" + "\n".join(found[kind]) + "\n" for kind in KINDS)
    return START + "".join(tables)


if __name__ == "__main__":
    warnings.simplefilter("error")
    PAGE.write_text(page(), encoding="utf-8")
