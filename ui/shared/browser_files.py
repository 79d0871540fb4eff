"""Files of a component for the browser, its modules joined to the one script that an inline component takes."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

_IMPORT = re.compile(r'^import \{[\w, ]+\} from "\./(\w+)\.js"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class|const)", re.MULTILINE)


def joined_modules(folder: Path) -> str:
    """Return all modules of a folder as one, each after those that it imports; the entry's default export remains.

    They share one scope then: no two may have a name of the same spelling at their top level. Packages of components,
    which Streamlit would load as files, must be installed; this application runs from its folder.
    """
    modules = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.js"))}
    order = TopologicalSorter({name: _IMPORT.findall(text) for name, text in modules.items()}).static_order()
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", modules[name])) for name in order)
