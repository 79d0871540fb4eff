"""Serve component files and Plotly's library to the browser."""

import os
import re
import shutil
import threading
from contextlib import suppress
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import plotly
import streamlit as st

_IMPORT = re.compile(r'^import \{[\w, ]+\} from "\./(\w+)\.js"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class|const)", re.MULTILINE)
STATIC = Path(__file__).parents[2] / "static"
LIBRARY = f"plotly-{plotly.__version__}.min.js"


def component_of(name: str, folder: Path) -> Any:
    """Make a browser component from the one .html, the one .css and all .js files of a folder.

    Its styles apply to the page, because Plotly's must.
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
    """Join the modules of a folder in order of imports, keeping the entry's default export.

    They share one scope, so top-level names must be unique. Streamlit loads separate files only of installed packages.
    """
    modules = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.js"))}
    order = TopologicalSorter({name: _IMPORT.findall(text) for name, text in modules.items()}).static_order()
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", modules[name])) for name in order)


def serve_library() -> None:
    """Copy Plotly's browser library from the Python package to `static`, if missing.

    `python -m ui.shared.browser_files` does so at installation. If `static` has no library and is read-only, the
    screen shows plain charts.
    """
    served = STATIC / LIBRARY
    if served.exists():
        return
    # Streamlit serves no links; the atomic replacement is safe for concurrent sessions and servers.
    copy = served.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    with suppress(OSError):
        STATIC.mkdir(exist_ok=True)
        shutil.copyfile(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", copy)
        copy.replace(served)


def library_address() -> str:
    """Return the URL path of Plotly's library on this server."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{'/' if base else ''}{base}/app/static/{LIBRARY}"


if __name__ == "__main__":
    serve_library()
