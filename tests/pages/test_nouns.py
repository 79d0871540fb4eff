"""Test that the chosen noun is used on every screen and chart."""

import json
import re

import pandas as pd
import pytest
from google.protobuf.json_format import MessageToDict

from tests.pages.steps import complete, explorer, opened, run, state
from ui.shared.formatting import NOUN, NOUNS

SECTIONS = (
    "compare",
    "sources",
    "near",
    "periods",
    "segments",
    "guarantee",
    "next_ratings",
    "profit",
    "decision_curve",
    "both_rules",
    "as_graph",
)
# What the sample calls its first column, and the words on offer.
NAMES = {"document", "a document", "a transaction", "transaction"}
RANDOM = re.compile("[0-9a-f]{32}")
# Not for people, or in a form of its own.
NO_TEXT = {"id", "url", "arrowData", "bidiComponent", "formId", "pageScriptHash", "rawValue", "rawValues"}


def with_more():
    """Open Rated data with what few users need, such as the noun."""
    app = opened("rated_data")
    app.session_state["more_of_data"] = True
    return run(app)


def strings(part):
    """All texts of an element, with those of the figure that it may hold."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "spec":
                yield from strings(json.loads(value))
            elif name not in NO_TEXT:
                yield from strings(value)
    elif isinstance(part, list):
        for value in part:
            yield from strings(value)
    elif isinstance(part, str) and part not in NAMES and not RANDOM.fullmatch(part):
        yield part


def elements(node):
    for child in node.children.values():
        if hasattr(child, "children"):
            yield from elements(child)
        yield child


def texts(app):
    """Everything that is written on a page."""
    found = []
    for element in elements(app._tree):
        kind, proto = getattr(element, "type", ""), getattr(element, "proto", None)
        if kind == "arrow_data_frame":
            found += [str(name) for name in element.value.columns if name not in NAMES]
            found += [cell for cell in element.value.to_numpy().ravel() if isinstance(cell, str)]
        elif kind == "bidi_component":
            # The names of texts follow from what stands in them.
            found += strings(explorer(app) | {"texts": {}}) if proto.component_name == "multiloss_explorer" else []
        elif proto is not None:
            found += strings(MessageToDict(proto))
    return found


def frames(app):
    return [frame.value for frame in app.dataframe]


def shown_along_the_way(noun):
    """Each page's texts and tables, under the noun that was chosen on the first one."""
    app = with_more()
    run(app.selectbox(key=NOUN).set_value(noun))
    yield "rated data", texts(app), frames(app)
    run(app.switch_page("pages/decision_sheet.py"))
    yield "decision sheet", texts(app), frames(app)
    for section in SECTIONS:
        app.session_state[section] = True
    app.query_params["band"] = "true"
    run(app.switch_page("pages/operating_point.py"))
    yield "operating point", [*texts(app), *explained(app)], frames(app)
    for key, value in (("plain", "true"), ("count", "money"), ("goal", "costs")):
        app.query_params[key] = value
    run(app.switch_page("pages/operating_point.py"))
    yield "money, plain", texts(app), frames(app)


def explained(app):
    """Yield the texts of the explorer's charts."""
    for chart in explorer(app)["charts"].values():
        yield from strings([json.loads(part) for part in (*chart["traces"], chart["layout"], *chart["marks"])])


def renamed(text):
    return re.sub("document", "transaction", re.sub("Document", "Transaction", text))


@pytest.fixture(scope="module")
def ways():
    with pytest.MonkeyPatch.context() as patch:
        complete(patch)
        return list(shown_along_the_way("document")), list(shown_along_the_way("transaction"))


def test_chosen_noun_replaces_document_on_every_page(ways):
    for page, written, _ in ways[1]:
        assert [text for text in written if "document" in text.lower()] == [], page
        assert any("transaction" in text for text in written), page


def test_only_the_noun_changes(ways):
    for (page, before, tables), (_, after, others) in zip(*ways, strict=True):
        assert [renamed(text) for text in before] == after, page
        assert len(tables) == len(others)
        for table, other in zip(tables, others, strict=True):
            pd.testing.assert_frame_equal(table.rename(columns=renamed), other.rename(columns=renamed))


def told(app):
    """Return the choices sent to the browser's storage."""
    return [
        json.loads(found.proto.json)["choices"]
        for found in app.get("bidi_component")
        if found.proto.component_name == "multiloss_kept_files"
    ]


def test_the_browser_remembers_the_noun():
    app = with_more()
    assert all(NOUN not in choices for choices in told(app))
    run(app.selectbox(key=NOUN).set_value("claim"))
    assert told(app)[0][NOUN] == "claim"
    assert any("each claim" in text for text in texts(app))


@pytest.mark.parametrize(("said", "noun"), [*((noun, noun) for noun in NOUNS), ("row", "document"), ("", "document")])
def test_remembered_noun_is_used_if_offered(said, noun):
    app = with_more()
    state(app).rated.remembered[NOUN] = said
    run(app)
    assert app.selectbox(key=NOUN).value == noun
    assert any(f"When each {noun} came" in text for text in texts(app))
