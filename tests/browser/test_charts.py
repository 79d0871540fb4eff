import json
import re

import pytest
from playwright.sync_api import expect

from multiloss_core.figures.method_styles import look_of
from tests.browser.steps import (
    PAGES,
    choose,
    choose_method,
    counts,
    expect_drawn,
    expect_point,
    expected_sample_point,
    luminance,
    metric,
    number,
    open_page,
    percent_box,
    press,
    settle,
    settle_target,
    show_surfaces,
    slider,
    surfaces,
)
from ui.data.rated import sample

# Both rows of charts beside the controls.
ALL_IN_SIGHT = {"width": 1700, "height": 1000}

RANGE = "chart => JSON.stringify([chart.layout.xaxis.range, chart.layout.yaxis.range])"
CAMERA = """chart => JSON.stringify(
    chart.closest('.explorer').multiloss.camera(chart.parentElement.dataset.chart).eye)"""
# Where a chart has a point, in pixels of the window: by the ranges of its axes, and the box that catches the mouse.
PLACE = """const { xaxis, yaxis } = chart.layout, box = chart.querySelector('.nsewdrag').getBoundingClientRect()
    const share = ({ range: [from, to] }, value) => (value - from) / (to - from)
    const place = (x, y) => [box.x + share(xaxis, x) * box.width, box.bottom - share(yaxis, y) * box.height]"""
ON_AXES = f"""([chart, x, y]) => {{
    {PLACE}
    return place(x, y)
}}"""


def chart(page, name):
    return page.locator(f".explorer [data-chart={name}]")


def figure(page, name):
    return chart(page, name).locator(".js-plotly-plot")


def star(page, name):
    """The centre of the chosen point's mark, in pixels of the window."""
    box = chart(page, name).locator(".marks path:not(.ghost)").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_both_surfaces_are_drawn_and_stay_while_the_slider_moves(server, page_with_surfaces):
    page = page_with_surfaces
    # In the middle of the scene a point would stay where it is while the scene is turned.
    open_page(page, f"{server}/operating_point?m=90", "Operating point")
    show_surfaces(page)
    expect(surfaces(page)).to_have_count(2)
    for place in range(2):
        expect_drawn(page, surfaces(page).nth(place))
        surfaces(page).nth(place).evaluate("(chart, place) => { chart.marked = place }", place)

    first = surfaces(page).first
    first.scroll_into_view_if_needed()
    before, place = first.evaluate(CAMERA), star(page, "tp")
    turn(page, first)
    page.wait_for_function(f"([chart, before]) => ({CAMERA})(chart) !== before", arg=[first.element_handle(), before])
    expect(chart(page, "tp").locator(".marks path:not(.ghost)")).to_be_visible()
    page.wait_for_function(
        "([mark, [x, y]]) => { const box = mark.getBoundingClientRect();"
        " return Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y) > 5 }",
        arg=[chart(page, "tp").locator(".marks path:not(.ghost)").element_handle(), list(place)],
    )
    turned = camera_at_rest(first)

    scores = sample("Card alerts").first_choice.scores
    for expected in ("90.5", "91", "91.5"):
        press(page, "ArrowRight", expected)
    expect_point(page, scores, expected_sample_point("Card alerts", 91.5))
    percent_box(page).fill("70")
    percent_box(page).press("Enter")
    expect_point(page, scores, expected_sample_point("Card alerts", 70))
    settle_target(page, 70)

    expect(surfaces(page)).to_have_count(2)
    assert [surfaces(page).nth(place).evaluate("chart => chart.marked") for place in range(2)] == [0, 1]
    assert json.loads(surfaces(page).first.evaluate(CAMERA)) == pytest.approx(json.loads(turned))

    choose(page, "Data", "Marketplace listings")
    expect(metric(page, "Threshold of seller model")).to_be_visible()
    settle(page)
    assert json.loads(figure(page, "tp").evaluate(CAMERA)) == pytest.approx(json.loads(turned))


def expect_forgotten_texts_are_sent_again(page):
    # From the first move on Python leaves out the texts that the browser holds.
    press(page, "ArrowRight", "63")
    settle_target(page, 63)
    forgotten = page.locator(".explorer").evaluate("""({ multiloss: { choice: { texts } } }) => {
        const before = texts.names
        for (let i = 0; i < 200; i++) texts.filled({ table: `other ${i}`, texts: { [`other ${i}`]: "{}" }, charts: {} })
        return before.every(name => !texts.names.includes(name))
    }""")
    assert forgotten
    choose_method(page, "graph")
    expect(page.locator(".explorer")).to_have_attribute("style", f"--colour: {look_of('graph').colour};")
    expected = expected_sample_point("Card alerts", 63, method="graph")
    expect_point(page, sample("Card alerts").first_choice.scores, expected)
    for name in ("space", "plane"):
        expect_drawn(page, figure(page, name))


def test_a_surface_turns_by_keys_alone(server, page_with_surfaces):
    page = page_with_surfaces
    open_page(page, f"{server}/operating_point", "Operating point")
    show_surfaces(page)
    first = surfaces(page).first
    expect_drawn(page, first)
    place = chart(page, first.evaluate("chart => chart.parentElement.dataset.chart"))
    place.focus()
    seen = first.evaluate(CAMERA)
    for key in ("ArrowRight", "ArrowUp", "+"):
        place.press(key)
        page.wait_for_function(f"([chart, seen]) => ({CAMERA})(chart) !== seen", arg=[first.element_handle(), seen])
        seen = camera_at_rest(first)


def camera_at_rest(chart):
    """Return the camera once it is at rest: a turn continues over several frames."""
    return chart.evaluate(f"""async chart => {{
        const camera = () => ({CAMERA})(chart), frame = () => new Promise(requestAnimationFrame)
        for (let seen = camera(), still = 0; still < 30; await frame()) {{
            still = camera() === seen ? still + 1 : 0
            seen = camera()
        }}
        return camera()
    }}""")


def turn(page, chart):
    box = chart.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 90, middle[1] + 30, steps=6)
    page.mouse.up()


def test_drag_moves_everything_and_reaches_python_on_release(server, page):
    open_page(page, f"{server}/operating_point", "Operating point")
    expect(chart(page, "plane").locator(".marks path:not(.ghost)")).to_be_visible()
    address, before = page.url, star(page, "space")
    box = slider(page).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.2 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=12)
    expect(slider(page)).to_have_value(re.compile(r"^6\d"))
    percent = float(slider(page).input_value())
    scores = sample("Card alerts").first_choice.scores
    expect_point(page, scores, expected_sample_point("Card alerts", percent))
    expect(percent_box(page)).to_have_value(f"{percent:g}")
    page.wait_for_function(
        "([mark, before]) => Math.abs(mark.getBoundingClientRect().x - before) > 5",
        arg=[chart(page, "space").locator(".marks path:not(.ghost)").element_handle(), before[0]],
    )
    assert page.url == address
    page.mouse.up()
    settle_target(page, f"{percent:g}")
    expect_point(page, scores, expected_sample_point("Card alerts", percent))

    # The marks stand where Plotly has the point.
    for percent in (25, 62.5):
        percent_box(page).fill(f"{percent}")
        percent_box(page).press("Enter")
        settle_target(page, f"{percent:g}")
        thresholds, tp, fp = expected_sample_point("Card alerts", percent)
        for name, place in (("plane", (fp, tp)), ("space", thresholds)):
            chart(page, name).scroll_into_view_if_needed()
            wanted = page.evaluate(ON_AXES, [figure(page, name).element_handle(), *map(float, place)])
            assert star(page, name) == pytest.approx(wanted, abs=3)
    expect_forgotten_texts_are_sent_again(page)


def test_the_charts_keep_the_zoom_of_the_reader(server, page):
    open_page(page, f"{server}/operating_point", "Operating point")
    plane, space = figure(page, "plane"), figure(page, "space")
    for shown in (plane, space):
        expect(shown.locator("path.js-line").first).to_be_attached()
        shown.evaluate("chart => { chart.marked = true }")
    before, shade = plane.evaluate(RANGE), space.locator(".heatmaplayer image").evaluate("image => image.href.baseVal")
    press(page, "ArrowRight", "20.5")
    page.wait_for_function(f"([chart, before]) => ({RANGE})(chart) !== before", arg=[plane.element_handle(), before])
    settle_target(page, "20.5")
    assert space.locator(".heatmaplayer image").evaluate("image => image.href.baseVal") == shade

    zoom(page, plane)
    page.wait_for_function("chart => chart.layout.xaxis.range[0] > 0", arg=plane.element_handle())
    zoomed = plane.evaluate(RANGE)
    press(page, "End", "99.5")
    settle_target(page, "99.5")
    assert plane.evaluate(RANGE) == zoomed
    choose_method(page, "graph")
    expect(page.locator(".explorer")).to_have_attribute("style", f"--colour: {look_of('graph').colour};")
    settle(page)
    assert plane.evaluate(RANGE) == zoomed
    press(page, "Home", "0.5")
    settle_target(page, "0.5")
    given = double_click(page, plane, zoomed)
    assert given != before
    double_click(page, plane, given)
    expect(page.locator(".explorer .goal")).to_be_hidden()
    press(page, "ArrowRight", "1")
    settle_target(page, "1")
    assert plane.evaluate("chart => chart.layout.xaxis.autorange && chart.layout.yaxis.autorange")
    for shown in (plane, space):
        assert shown.evaluate("chart => chart.marked")
    alt = chart(page, "plane").get_attribute("aria-label")
    tp, fp = (metric(page, label).inner_text() for label in ("Caught (TP)", "False alerts (FP)"))
    assert f"TP {tp}, FP {fp}" in alt
    for text in (tp, fp):
        assert text in slider(page).get_attribute("aria-valuetext")


def test_a_click_in_threshold_space_sets_the_point_by_hand(server, page):
    open_page(page, f"{server}/operating_point", "Operating point")
    expect(chart(page, "space").locator(".marks path.ghost")).to_be_attached()
    settle(page)
    said = page.locator(".explorer .goal")
    chart(page, "space").scroll_into_view_if_needed()
    box = chart(page, "space").locator(".nsewdrag").first.bounding_box()
    target = box["x"] + 0.6 * box["width"], box["y"] + 0.1 * box["height"]
    click_hovered(page, "space", target)
    expect(said).to_contain_text("Set by hand")
    expect(page).to_have_url(re.compile("goal=manual"))
    settle(page)
    # The boxes of the thresholds set by hand may have moved the chart down.
    moved = chart(page, "space").locator(".nsewdrag").first.bounding_box()
    there = target[0] + moved["x"] - box["x"], target[1] + moved["y"] - box["y"]
    assert star(page, "space") == pytest.approx(there, abs=8)
    scores = sample("Card alerts").first_choice.scores
    frame = sample("Card alerts").frame
    thresholds = {
        score: float(metric(page, f"Threshold of {score}").inner_text().removeprefix("≥ ").replace("never", "inf"))
        for score in scores
    }
    shown = tuple(number(metric(page, label).inner_text()) for label in ("Caught (TP)", "False alerts (FP)"))
    assert counts(frame[frame["rating"].notna()], thresholds, "rating", "fraud", "any") == shown
    said.get_by_role("button").click()
    expect(said).to_be_hidden()
    expect_point(page, scores, expected_sample_point("Card alerts", float(percent_box(page).input_value())))
    expect(page).not_to_have_url(re.compile("goal="))


def click_hovered(page, name, target):
    page.mouse.move(*target)
    expect(chart(page, name).locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.down()
    page.mouse.up()


def test_a_finger_scrolls_the_page_until_it_taps_a_chart(server, new_page):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    open_page(page, f"{server}/operating_point", "Operating point")
    shield = chart(page, "space").get_by_role("button", name="Tap to use the chart")
    expect(slider(page)).to_be_in_viewport()
    expect(metric(page, "Caught (TP)")).to_be_in_viewport()
    shield.scroll_into_view_if_needed()
    expect(shield).to_be_visible()
    shield.tap()
    expect(shield).to_be_hidden()
    chart(page, "space").locator(".nsewdrag").first.tap(position={"x": 40, "y": 40})
    page.locator(".explorer .controls .question").tap()
    expect(shield).to_be_visible()
    expect(page.locator(".explorer .goal")).to_be_hidden()
    assert "goal=" not in page.url


def test_a_method_is_hidden_in_every_chart_and_stays_hidden(server, new_page):
    page = new_page(viewport=ALL_IN_SIGHT, surfaces=True)
    open_page(page, f"{server}/operating_point", "Operating point")
    button = page.locator(".explorer .key").get_by_role("button", name="benchmark")
    visible = chart(page, "plane").locator(".marks circle[visibility=visible]")
    expect(chart(page, "plane").locator(".marks path:not(.ghost)")).to_be_visible()
    expect(visible).to_have_count(2)
    page.locator(".explorer .key").get_by_role("button", name="More methods").click()
    expect(chart(page, "fp").locator(".marks path:not(.ghost)")).to_be_visible()
    expect(visible).to_have_count(5)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(visible).to_have_count(4)
    hidden = "chart => chart.data.filter(trace => trace.name === 'benchmark').map(trace => trace.visible)"
    for name in ("space", "plane"):
        page.wait_for_function(
            f"chart => ({hidden})(chart).join() === 'false'", arg=figure(page, name).element_handle()
        )
    press(page, "ArrowRight", "20.5")
    settle_target(page, "20.5")
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "false")
    settle(page)
    # More often than a browser keeps contexts for drawing in 3D.
    for pressed in ("true", "false") * 10:
        button.click()
        expect(button).to_have_attribute("aria-pressed", pressed)
    settle(page)
    lost = """charts => charts.map(chart => {
        const canvas = chart.querySelector('.gl-container canvas')
        return (canvas.getContext('webgl2') ?? canvas.getContext('webgl')).isContextLost()
    })"""
    assert surfaces(page).evaluate_all(lost) == [False, False]


def test_without_webgl_the_flat_charts_and_all_numbers_are_there(server, page):
    open_page(page, f"{server}/operating_point", "Operating point")
    show_surfaces(page)
    expect(page.get_by_text("this browser cannot draw in 3D")).to_have_count(2)
    press(page, "ArrowRight", "20.5")
    expect_point(page, sample("Card alerts").first_choice.scores, expected_sample_point("Card alerts", 20.5))
    # A chart that was hidden before its turn is drawn when it is seen again.
    page.locator(".explorer .views").get_by_role("button", name="Charts").click()
    expect(chart(page, "plane").locator(".marks path:not(.ghost)")).to_be_visible()


def test_where_charts_cannot_be_loaded_plain_widgets_take_over(server, new_page):
    page = new_page()
    page.route("**/app/static/plotly*", lambda route: route.abort())
    open_page(page, f"{server}/operating_point?data=Login+alerts", "Operating point")
    expect(page.get_by_test_id("stMetric").first).to_be_visible()
    expect(page.locator(".explorer")).to_have_count(0)
    expect_point(page, ["login model"], expected_sample_point("Login alerts", 20))


def double_click(page, chart, before):
    # Plotly takes what comes within 0.3 s of a click for part of it: the clock stands still for these two, a second on.
    page.clock.set_fixed_time(page.evaluate("Date.now() / 1000 + 1"))
    # Above all curves: on one of them the first click sets the point by hand, once Plotly knows what the mouse is over.
    chart.locator(".nsewdrag").first.dblclick(position={"x": 20, "y": 20})
    page.wait_for_function(f"([chart, before]) => ({RANGE})(chart) !== before", arg=[chart.element_handle(), before])
    return chart.evaluate(RANGE)


def zoom(page, chart):
    chart.scroll_into_view_if_needed()
    box = chart.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=6)
    page.mouse.up()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_and_charts_follow_the_scheme_of_the_reader(server, new_page, scheme):
    page = new_page(color_scheme=scheme)
    for place, title in (
        ("operating_point" if scheme == "dark" else "operating_point?data=Login+alerts", "Operating point"),
        ("top_k", PAGES["top_k"]),
    ):
        open_page(page, f"{server}/{place}", title)
        background = page.get_by_test_id("stApp").evaluate("element => getComputedStyle(element).backgroundColor")
        body = page.evaluate("getComputedStyle(document.body).backgroundColor")
        charts = page.locator(".js-plotly-plot")
        expect(charts.nth(1)).to_be_visible()
        papers = charts.evaluate_all(
            """charts => charts.map(chart => {
                const canvas = document.createElement('canvas').getContext('2d');
                canvas.fillStyle = chart.querySelector('.main-svg').style.background;
                canvas.fillRect(0, 0, 1, 1);
                return 'rgb(' + canvas.getImageData(0, 0, 1, 1).data.join(',') + ')';
            })"""
        )
        assert papers
        for colour in (background, body, *papers):
            assert (luminance(colour) < 0.2) == (scheme == "dark"), colour
