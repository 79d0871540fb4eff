"""How tests bring rated data in, correct its columns and read what the screen shows."""

import re

import numpy as np
import pandas as pd

from multiloss_core import RatedDocuments, count_surfaces, simulate_population
from tests.pages.steps import run

GOOD = "good.csv"


def rated_frame(seed=1, classifiers=2):
    population = simulate_population(
        np.random.default_rng(seed),
        documents=20_000,
        prevalence=0.02,
        rated_share=0.03,
        classifiers=classifiers,
        names=("model A", "model B", "model C", "model D")[:classifiers],
    )
    documents = population.rated()
    frame = pd.DataFrame(documents.scores, columns=list(documents.names))
    frame["rating"] = np.where(documents.labels, "fraud", "ok")
    return frame


def count_frame():
    documents = RatedDocuments.from_frame(rated_frame(), ["model A", "model B"], "rating")
    surfaces = count_surfaces(documents, resolution=12)
    first, second = np.meshgrid(*surfaces.axes, indexing="ij")
    return pd.DataFrame(
        {"T1": first.ravel(), "T2": second.ravel(), "TP": surfaces.tp.ravel(), "FP": surfaces.fp.ravel()}
    )


def csv_of(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def upload(app, data, name, mime="text/csv"):
    app.file_uploader(key="upload").upload(name, data, mime)
    return run(app)


def confirm(app):
    """Take the columns as they are, where that is asked."""
    asked = [button for button in app.button if button.key == "confirm_columns"]
    return run(asked[0].click()) if asked else app


def say_no_other_alerts(app):
    """Answer that only the chosen scores raised alerts, where that is asked."""
    asked = [one for one in app.radio if one.key.startswith("alert_sources_")]
    return run(asked[0].set_value("corner")) if asked else app


def go_to_operating_point(app):
    confirm(app)
    # With plain widgets, whose numbers AppTest sees.
    app.session_state["plain"] = True
    return switch(app, "pages/operating_point.py")


def back_to_rated_data(app):
    return switch(app, "pages/rated_data.py")


def switch(app, page):
    # A browser keeps the data in the address and sends no widgets of the page it leaves; AppTest does neither, so the
    # address is written here and counts from the second run on.
    app.query_params["data"] = app.selectbox(key="data").value
    run(app.switch_page(page))
    return run(app)


def pick(app, name):
    return run(app.selectbox(key="data").select(name))


def menu(app, column):
    """The menu of a column; unused columns are opened."""
    if not (found := _menus(app, column)):
        app.session_state[box(app, "kind").key.replace("kind", "other_columns")] = True
        found = _menus(run(app), column)
    return found[0]


def _menus(app, column):
    return [one for one in app.selectbox if re.fullmatch(rf"used_as_{re.escape(column)}_[0-9a-f]{{12}}", one.key)]


def use(app, column, kind):
    """Choose the use of a column."""
    return run(menu(app, column).set_value(kind))


def used_as(app, *kinds):
    """The columns whose menus show one of these kinds."""
    return [one.key[len("used_as_") : -len("_012345678901")] for one in app.selectbox if one.value in kinds]


def box(app, name):
    """The widget of the page whose key starts with `name`."""
    (found,) = [
        element
        for kind in ("selectbox", "multiselect", "text_input", "checkbox", "segmented_control")
        for element in app.get(kind)
        if (element.key or "").startswith(f"{name}_")
    ]
    return found


def funnel(app):
    """The funnel, from rows read to positives, as the sentence of the losses gives it."""
    sentence = next(one.value for one in app.markdown if re.match(r"[\d,]+ rows: ", one.value))
    pairs = re.findall(r"([\d,]+) (rows|undecided|with|below|used|of)", sentence)
    found = {words: int(number.replace(",", "")) for number, words in pairs}
    rated = found["rows"] - found.get("undecided", 0)
    complete = rated - found.get("with", 0)
    assert complete - found.get("below", 0) == found["used"]
    return [found["rows"], rated, complete, found["used"], found["of"]]


def counts_at_floors(app):
    """Nodes on each axis, TP and FP, as a table of counts is introduced."""
    text = next(element.value for element in app.markdown if "at the floors" in element.value)
    first, second, tp, fp, *_ = (int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text))
    return first, second, tp, fp


def steps(documents):
    return [number for _, number in documents.funnel.steps]


def charts(app):
    """The histograms, where there are any."""
    return [chart.proto for chart in app.get("plotly_chart")]


def infos(app):
    return [as_read(element.value) for element in app.info if "false negatives" not in element.value]


def as_read(markdown):
    return re.sub(r"\\([^\w\s]|_)", r"\1", markdown)


def only_error(app):
    (error,) = app.error
    assert_readable(error.value)
    return error.value


def assert_readable(sentence):
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 330
    assert not re.search(r"Traceback|Error\b|Exception|dtype|ndarray|<class|float64|site-packages", sentence)


def picture():
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256))


def changed(column, rows, value):
    def change(frame):
        frame[column] = frame[column].astype(object)
        frame.loc[[row - 1 for row in rows], column] = value
        return frame

    return change


UNUSABLE = {
    "one class": (lambda frame: frame.assign(rating="fraud"), ["'rating'", "'fraud'", "negative"]),
    "infinity": (changed("model A", [4, 8, 15], "inf"), ["'model A'", "3 rows", "row 4", "'inf'"]),
    "text": (changed("model B", [5, 6], "n/k"), ["'model B'", "2 rows", "row 5", "'n/k'"]),
}
