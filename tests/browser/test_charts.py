import pytest
from playwright.sync_api import expect

from tests.browser.steps import (
    PAGES,
    choose,
    expect_drawn,
    expect_point,
    expected_sample_point,
    follow,
    luminance,
    metric,
    open_page,
    percent_box,
    press,
    settle,
    surfaces,
)
from ui.sources import sample

RANGE = "chart => JSON.stringify([chart._fullLayout.xaxis.range, chart._fullLayout.yaxis.range])"
CAMERA = "chart => JSON.stringify(chart._fullLayout.scene._scene.getCamera().eye)"


def test_both_surfaces_are_drawn_and_stay_while_the_slider_moves(server, page):
    open_page(page, f"{server}/operating_point", "Operating point")
    expect(surfaces(page)).to_have_count(2)
    for number in range(2):
        expect_drawn(page, surfaces(page).nth(number))
        surfaces(page).nth(number).evaluate("(chart, number) => { chart.marked = number }", number)

    first = surfaces(page).first
    before = first.evaluate(CAMERA)
    turn(page, first)
    page.wait_for_function(f"([chart, before]) => ({CAMERA})(chart) !== before", arg=[first.element_handle(), before])
    turned = first.evaluate(CAMERA)

    scores = sample("Card alerts").first_choice.scores
    for expected in ("20.5", "21.0", "21.5"):
        press(page, "ArrowRight", expected)
    expect_point(page, scores, expected_sample_point("Card alerts", 21.5))
    percent_box(page).fill("70")
    percent_box(page).press("Enter")
    expect_point(page, scores, expected_sample_point("Card alerts", 70))

    expect(surfaces(page)).to_have_count(2)
    assert [surfaces(page).nth(number).evaluate("chart => chart.marked") for number in range(2)] == [0, 1]
    assert surfaces(page).first.evaluate(CAMERA) == turned


def turn(page, chart):
    box = chart.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 90, middle[1] + 30, steps=6)
    page.mouse.up()


def test_the_two_dimensional_charts_are_drawn(server, page):
    open_page(page, f"{server}/rated_data", "Rated data")
    charts = page.locator(".js-plotly-plot")
    expect(charts).to_have_count(2)
    for number in range(2):
        expect(charts.nth(number).locator(".barlayer .point").first).to_be_attached()
        expect_drawn(page, charts.nth(number), colours=20)
    choose(page, "Data", "Login alerts")
    follow(page, "Choose the operating point", "Operating point")
    expect(metric(page, "Threshold of login model")).to_be_visible()
    expect(charts).to_have_count(2)
    for number in range(2):
        expect(charts.nth(number).locator(".scatterlayer path.js-line").first).to_be_attached()
        expect_drawn(page, charts.nth(number), colours=20)


def test_the_moving_charts_are_redrawn_in_place_and_keep_the_zoom_of_the_reader(server, page):
    open_page(page, f"{server}/operating_point", "Operating point")
    plane = page.locator(".st-key-plane .js-plotly-plot")
    space = page.locator(".st-key-space .js-plotly-plot")
    for chart in (plane, space):
        expect(chart.locator("path.js-line").first).to_be_attached()
        chart.evaluate("chart => { chart.marked = true }")
    before, shade = plane.evaluate(RANGE), space.locator(".heatmaplayer image").evaluate("image => image.href.baseVal")
    press(page, "ArrowRight", "20.5")
    page.wait_for_function(f"([chart, before]) => ({RANGE})(chart) !== before", arg=[plane.element_handle(), before])
    tangent = plane.locator("path.js-line").last.get_attribute("d")
    assert space.locator(".heatmaplayer image").evaluate("image => image.href.baseVal") == shade

    zoom(page, plane)
    page.wait_for_function("chart => chart._fullLayout.xaxis.range[0] > 0", arg=plane.element_handle())
    zoomed = plane.evaluate(RANGE)
    press(page, "End", "99.5")
    expect(plane.locator("path.js-line").last).not_to_have_attribute("d", tangent)
    assert plane.evaluate(RANGE) == zoomed
    press(page, "Home", "0.5")
    settle(page)
    given = double_click(page, plane, zoomed)
    assert given != before
    double_click(page, plane, given)
    press(page, "ArrowRight", "1.0")
    settle(page)
    assert plane.evaluate("chart => chart.layout.xaxis.autorange && chart.layout.yaxis.autorange")
    for chart in (plane, space):
        assert chart.evaluate("chart => chart.marked")
    alt = page.locator(".st-key-plane [role=img]").get_attribute("aria-label")
    tp, fp = (metric(page, label).inner_text() for label in ("Caught (TP)", "False alerts (FP)"))
    assert f"TP {tp}, FP {fp}" in alt


def double_click(page, chart, before):
    # Plotly takes what comes within 0.3 s of a click for part of it.
    page.wait_for_timeout(400)
    chart.locator(".nsewdrag").first.dblclick()
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
                canvas.fillStyle = chart._fullLayout.paper_bgcolor;
                canvas.fillRect(0, 0, 1, 1);
                return 'rgb(' + canvas.getImageData(0, 0, 1, 1).data.join(',') + ')';
            })"""
        )
        assert papers
        for colour in (background, body, *papers):
            assert (luminance(colour) < 0.2) == (scheme == "dark"), colour
