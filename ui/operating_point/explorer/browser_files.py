"""The explorer's files for the browser, its modules joined to the one script that an inline component takes."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

BROWSER = Path(__file__).with_name("browser")
_IMPORT = re.compile(r'^import \{[\w, ]+\} from "\./(\w+)\.js"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class|const)", re.MULTILINE)


def browser_file(name: str) -> str:
    """Return the text of a file for the browser."""
    return (BROWSER / name).read_text(encoding="utf-8")


def joined_modules() -> str:
    """Return all modules as one, each after those that it imports; only the default export of the entry remains.

    They share one scope then: no two may have a name of the same spelling at their top level. Packages of components,
    which Streamlit would load as files, must be installed; this application runs from its folder.
    """
    modules = {file.stem: browser_file(file.name) for file in sorted(BROWSER.glob("*.js"))}
    order = TopologicalSorter({name: _IMPORT.findall(text) for name, text in modules.items()}).static_order()
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", modules[name])) for name in order)
