"""Files of a component for the browser, its modules joined to the one script that an inline component takes."""

import re
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import streamlit as st

_IMPORT = re.compile(r'^import \{[\w, ]+\} from "\./(\w+)\.js"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class|const)", re.MULTILINE)


def component_of(name: str, folder: Path) -> Any:
    """Make a component of the page, styles and modules of a folder: its one .html, its one .css and all .js files.

    Its styles are those of the page, which Plotly's must be; what has nothing to show then takes no room.
    """
    (page,), (styles,) = (list(folder.glob(f"*.{kind}")) for kind in ("html", "css"))
    return st.components.v2.component(
        name,
        html=page.read_text(encoding="utf-8"),
        css=styles.read_text(encoding="utf-8"),
        js=joined_modules(folder),
        isolate_styles=False,
    )


def joined_modules(folder: Path) -> str:
    """Return all modules of a folder as one, each after those that it imports; the entry's default export remains.

    They share one scope then: no two may have a name of the same spelling at their top level. Packages of components,
    which Streamlit would load as files, must be installed; this application runs from its folder.
    """
    modules = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.js"))}
    order = TopologicalSorter({name: _IMPORT.findall(text) for name, text in modules.items()}).static_order()
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", modules[name])) for name in order)
