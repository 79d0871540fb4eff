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


STATIC = Path(__file__).parents[2] / "static"
LIBRARY = f"plotly-{plotly.__version__}.min.js"


def serve_library() -> None:
    """Offer Plotly's browser library, which comes with the Python package, at this server; safe to call often.

    Where the folder `static` can neither be written nor holds the library (`python -m ui.shared.browser_files` puts it
    there at installation), browsers draw without it: plain charts.
    """
    served = STATIC / LIBRARY
    if served.exists():
        return
    # A copy, because Streamlit serves no links; whole at once, because two visitors, or two servers, may come together.
    copy = served.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    with suppress(OSError):
        STATIC.mkdir(exist_ok=True)
        shutil.copyfile(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", copy)
        copy.replace(served)


def library_address() -> str:
    """Return where a browser finds Plotly's library on this server."""
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"{'/' if base else ''}{base}/app/static/{LIBRARY}"


if __name__ == "__main__":
    serve_library()
