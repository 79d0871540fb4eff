"""Act on the pages as a user and wait for the app without sleeping."""

import io
import math
import re
import time
from contextlib import contextmanager, suppress
from functools import cache

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import TimeoutError as NotYet
from playwright.sync_api import expect

from multiloss_core import (
    RatedDocuments,
    analytic_path,
    count_surfaces,
    graph_path,
    operating_point,
    simulate_population,
    smooth_path,
)
from ui.data.rated import sample

PATIENCE = 60.0
PAGES = {
    "rated_data": "Rated data",
    "decision_sheet": "Decision sheet",
    "operating_point": "Operating point",
    "audit": "Audit",
    "decisions": "Decisions",
    "optimal_cut": "Optimal cut",
    "top_k": "Top-k: sort, then cut",
    "papers": "Papers",
}


def open_page(page, address, title):
    page.goto(address)
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    settle(page)


def settle(page):
    """Wait until the script has run to its end and the explorer has drawn its charts.

    Just after an action the script may not have begun: first wait for what it changes.
    """
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
    page.evaluate("document.querySelector('.explorer')?.multiloss?.drawn")


def follow(page, link, title):
    page.get_by_role("link", name=link).first.click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    settle(page)


VIEWS = {
    "Compare": ("Compare with the current thresholds", "Guarantee a precision"),
    "Rules and segments": ("Rules and scores", "Segments, and thresholds of their own"),
    "Over time": ("Over time: does the point drift?", "Alerts near the thresholds", "What to rate next"),
    "Methods": (
        *("Moving one threshold", "Union and intersection", "View as graph", "Decision curve"),
        *("Payoff against alerts", "For methodologists"),
    ),
}


def open_view(page, title):
    """Open the view of a section of the operating point."""
    for view, sections in VIEWS.items():
        if title in sections:
            page.get_by_role("radio", name=view, exact=True).or_(
                page.get_by_role("button", name=view, exact=True)
            ).first.click()
            settle(page)


def open_part(page, title):
    """Open a part of the page that is worked out only then."""
    open_view(page, title)
    if title == "Save this decision" and page.locator(".st-key-save_decision").count():
        page.get_by_role("button", name=title).click()
        expect(page.get_by_label("Why", exact=True)).to_be_visible()
        settle(page)
        return
    part = page.get_by_test_id("stExpander").filter(has=page.get_by_text(title, exact=True))
    part.get_by_text(title, exact=True).click()
    expect(part.get_by_test_id("stElementContainer").first).to_be_visible()
    settle(page)


def to_operating_point(page):
    """Confirm what the columns mean, where that is asked, and go on."""
    asked = page.get_by_role("button", name="These columns are right")
    settle(page)
    expect(asked.or_(page.locator(".st-key-decide"))).to_be_visible()
    if asked.is_visible():
        asked.click()
    follow(page, "Operating point", "Operating point")


def losses(page):
    """The sentence on Rated data of the rows read, lost and used."""
    return page.locator(".st-key-column_summary").get_by_text(re.compile(r"^[\d,]+ rows: "))


def metric(page, label):
    """The value of a metric of a page or of the explorer; `label` is its whole label.

    What a run has not come to yet may for a moment stand beside what it will be replaced by.
    """
    plain = (
        page.locator("[data-stale=false]")
        .get_by_test_id("stMetric")
        .filter(has=page.get_by_test_id("stMetricLabel").get_by_text(label, exact=True))
        .get_by_test_id("stMetricValue")
    )
    live = page.locator(f'.explorer .metric:has(dt[data-label="{label}"])')
    return plain.or_(live.locator("dd:not(.between)"))


def number(text):
    return float(text.replace(",", ""))


def cells(page, table, title):
    """Return the visible cells below a title in the table whose first column is `table`."""
    shown = page.get_by_test_id("stDataFrame").filter(
        has=page.locator("th[aria-colindex='1']", has_text=re.compile(f"^{re.escape(table)}$"))
    )
    place = shown.locator("th", has_text=re.compile(f"^{re.escape(title)}$")).first.get_attribute("aria-colindex")
    return shown.locator(f"td[aria-colindex='{place}']")


@contextmanager
def opened_popover(page, name):
    """Open a popover of the operating point while it is used."""
    button, body = (
        page.get_by_test_id("stPopover").get_by_role("button", name=name),
        page.get_by_test_id("stPopoverBody"),
    )
    button.click()
    expect(body).to_be_visible()
    yield body
    settle(page)
    if body.is_visible():
        button.click()
    expect(body).to_be_hidden()


def choose_method(page, name):
    with opened_popover(page, "Settings"):
        choose(page, "Path", name)


def flag_by_every_score(page):
    with opened_popover(page, "Settings"):
        page.get_by_role("radio", name="every score").click()


def show_surfaces(page):
    page.locator(".explorer .views").get_by_role("button", name="TP and FP surfaces").click()
    page.evaluate("document.querySelector('.explorer').multiloss.drawn")


def choose(page, label, option):
    """Pick from a selectbox; reopen its list when a moving page closes it."""
    box, wanted = selected(page, label), page.get_by_role("option", name=option, exact=True)
    box.scroll_into_view_if_needed()
    deadline = time.monotonic() + PATIENCE
    while True:
        box.click()
        try:
            wanted.click(timeout=5_000)
        except NotYet:
            assert time.monotonic() < deadline, f"'{option}' was not offered under '{label}'"
            page.keyboard.press("Escape")
        else:
            break
    expect(box).to_have_value(option)


def selected(page, label):
    """The selectbox that shows a choice under a label."""
    return page.get_by_role("combobox", name=label).first


def press(page, key, expected):
    """Press an arrow key on the slider; the number box shows the new target at once."""
    slider(page).press(key)
    expect(percent_box(page)).to_have_value(expected)


def slider(page):
    return page.get_by_role("slider", name="Marginal precision")


def percent_box(page):
    return page.get_by_role("spinbutton", name="Marginal precision in percent")


def upload(page, name, data, mime="text/csv"):
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
        {"name": name, "mimeType": mime, "buffer": data}
    )


def rated_csv(seed=5):
    """A small simulated file: transactions with two scores, some fraud."""
    population = simulate_population(
        np.random.default_rng(seed),
        documents=100_000,
        prevalence=0.004,
        rated_share=0.02,
        names=("card score", "device score"),
    )
    documents = population.rated()
    frame = pd.DataFrame(documents.scores, columns=list(documents.names))
    frame["verdict"] = np.where(documents.labels, "fraud", "ok")
    return frame.to_csv(index=False).encode()


def expected_point(frame, scores, rating, positive=None, *, percent, method="smooth", rule="any", floors=None):
    """Return the point of the core: thresholds in the fewest digits, TP, FP."""
    # The public files name persons, which Multiloss takes for groups.
    group = "person" if "person" in frame else None
    documents = RatedDocuments.from_frame(
        frame, scores, rating, positive, floors=floors, floor_method="corner", group=group
    )
    if method == "smooth":
        path = smooth_path(documents, rule=rule)
    elif method == "graph":
        resolution = 300 if len(scores) == 1 else 100
        path = graph_path(count_surfaces(documents, rule=rule, resolution=resolution, spacing="positives"))
    else:
        path = analytic_path(documents, family=method.removeprefix("analytic "), rule=rule)
    point = operating_point(path, percent / 100)
    return documents.round_thresholds(point.thresholds), point.tp, point.fp


@cache
def expected_sample_point(name, percent, **more):
    source = sample(name)
    choice = source.first_choice
    return expected_point(source.frame, choice.scores, choice.rating, percent=percent, floors=choice.floors, **more)


def expect_point(page, scores, point):
    thresholds, tp, fp = point
    expect(metric(page, "Caught (TP)")).to_have_text(f"{tp:,.0f}")
    expect(metric(page, "False alerts (FP)")).to_have_text(f"{fp:,.0f}")
    for score, threshold in zip(scores, thresholds, strict=True):
        text = "never" if math.isinf(threshold) else f"≥ {float(threshold)!r}".removesuffix(".0")
        expect(metric(page, f"Threshold of {score}")).to_have_text(text)


def shown_point(page):
    """Label -> value of the explorer's numbers, once the page is at rest."""
    settle(page)
    metrics = page.locator(".explorer .metric")
    labels = metrics.locator("dt").evaluate_all("titles => titles.map(title => title.dataset.label)")
    values = metrics.locator("dd:not(.between)").all_inner_texts()
    return dict(zip(labels, values, strict=True))


def settle_target(page, percent):
    """Wait until the target has reached the address."""
    expect(page).to_have_url(re.compile(rf"[?&]m={percent}(&|$)"))
    settle(page)


def counts(frame, thresholds, rating, positive, rule):
    """TP and FP by plain pandas; `thresholds` maps column -> threshold."""
    reached = pd.DataFrame({column: frame[column] >= value for column, value in thresholds.items()})
    alerts = frame[reached.any(axis=1) if rule == "any" else reached.all(axis=1)]
    fraud = int((alerts[rating] == positive).sum())
    return fraud, len(alerts) - fraud


def without_webgl(context):
    """Before anything is opened: a browser that cannot draw in 3D."""
    context.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        " return kind.startsWith('webgl') ? null : get.call(this, kind, ...more) }"
    )


def surfaces(page):
    """The two charts in 3D."""
    return page.locator(".js-plotly-plot:has(.gl-container canvas)")


def expect_drawn(page, locator, colours=200):
    """Wait until an element shows many colours: something was drawn there."""
    locator.scroll_into_view_if_needed()
    deadline = time.monotonic() + PATIENCE
    found = 0
    while found < colours:
        assert time.monotonic() < deadline, f"only {found} colours were drawn"
        with suppress(NotYet):
            picture = Image.open(io.BytesIO(locator.screenshot())).convert("RGB")
            found = len(np.unique(np.asarray(picture).reshape(-1, 3), axis=0))


def luminance(colour):
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
