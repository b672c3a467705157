"""What figures claim, asserted from what they draw: no line runs into its own table's shade, or another's."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest
from pages.drawn_words import drawn_words
from pages.visits import Here, Open, buy, press
from streamlit.testing.v1 import AppTest

from pmwpub.figures.candidate_row_values import HATCHED, PLAYED_HATCHED, START, UNCHANGED
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.error_figure import error_plots, labels
from pmwpub.service.simulations.story_numbers import story
from pmwpub.ui.story.story_text import errors

SHADE = "unachievable with "
SPACE = "{http://www.w3.org/2000/svg}"
MOST_WITH_THE_SUMMARY = 550
"""Words of Hand over with the one page for stakeholders on it, which is what is read there."""
ROUNDED = 0.1
"""Places in a small picture have one decimal."""

Figure = dict[str, Any]


def drawn(app: AppTest) -> list[Figure]:
    """The figures of a page, as the browser gets them."""
    return [json.loads(one.proto.spec) for one in app.get("plotly_chart")]


def pictures(app: AppTest) -> list[str]:
    """The small pictures of a page, as images: a page's HTML holds no SVG, for Streamlit takes it out."""
    bodies = " ".join(str(one.proto.body) for one in app.get("html"))
    assert "<svg" not in bodies
    found = re.findall(r'alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)"', bodies)
    assert all("error of" in alt for alt, _ in found)
    return [b64decode(data).decode() for _, data in found]


def assert_lines_keep_out_of_shades(figure: Figure) -> None:
    """Every line lies above every shade of its figure, and is of the shade's own table or of none."""
    traces = figure["data"]
    shades = {one["legendgroup"]: max(one["y"]) for one in traces if one["name"].startswith(SHADE) and 0 in one["y"]}
    lines = [one for one in traces if one.get("mode") == "lines+markers" and one["x"] != [None]]
    assert lines
    for table, top in shades.items():
        for line in lines:
            own = line["legendgroup"] == table or line["legendgroup"].startswith(f"{table}, ")
            assert own or line["legendgroup"] == "noise alone", f"{line['name']} in the figure of {table}"
            assert min(line["y"]) >= top, f"{line['name']} below {top}"


def assert_picture_keeps_out_of_shades(picture: str) -> None:
    """The same of a small picture, in which places count from above; and it says its conclusion in words."""
    root = ElementTree.fromstring(picture)
    shades = [float(one.get("y") or 0) for one in root.iter(f"{SPACE}rect") if one.get("class") == "floor"]
    lines = [one for one in root.iter(f"{SPACE}polyline") if one.get("class") == "curve"]
    assert lines
    for line in lines:
        lowest = max(float(point.split(",")[1]) for point in str(line.get("points")).split())
        assert all(lowest <= shade + ROUNDED for shade in shades)
    said = " ".join(str(one.text) for one in root.iter(f"{SPACE}text"))
    assert re.search(r"At ε = .* error of [\d.]+ % is expected|error (is|of) [\d.]+ %", said)


@pytest.fixture
def compared(town: Here, steward: Open) -> AppTest:
    """Compare after its simulation, with every line drawn; the grant is large enough for precise floors."""
    town.service.ledger.amend(town.population, epsilon=Fraction(10))
    app = press(steward("compare"), "Simulate for free")
    (lines,) = [box for box in app.multiselect if box.label == "Lines"]
    return lines.set_value(lines.options).run()


def test_figures_of_compare_hand_over_and_the_shared_file_keep_what_they_claim(
    compared: AppTest, town: Here, steward: Open, visit: Open
) -> None:
    of_errors = [one for one in drawn(compared) if "log" in str(one["layout"].get("xaxis", {}).get("type"))]
    assert of_errors
    for figure in of_errors:
        assert_lines_keep_out_of_shades(figure)

    current = study_store.study(town.service, town.population)
    done = [one.simulation for one in explorations.explorations(town.service, current) if one.simulation is not None]
    for simulation in done:
        for table, plot in error_plots(simulation, drawn=labels(simulation), truth="x"):
            assert_picture_keeps_out_of_shades(plot.svg)
            proved = any(str(row[0]).endswith("at least") and float(str(row[2])) > 0 for row in plot.table.rows)
            assert (f"no ε brings {table}" in plot.svg) == proved

    (rows,) = [one for one in drawn(compared) if any(trace.get("name") == PLAYED_HATCHED for trace in one["data"])]
    assert_rows_expect_nothing_out_of_reach(rows, PLAYED_HATCHED)
    app = steward("compare")
    app.text_input(key="assessment epsilon").set_value("0.5").run()
    buy(app, "Buy these assessments")
    (rows,) = [one for one in drawn(steward("compare")) if any(trace.get("name") == HATCHED for trace in one["data"])]
    assert_rows_expect_nothing_out_of_reach(rows)
    release = steward("release")
    release.radio(key="engine").set_value("table-fit").run()
    buy(release, "Buy this release")
    page = visit("hand_over", population=town.population)
    (handed_over,) = pictures(page)
    assert len(drawn_words(page.main)) <= MOST_WITH_THE_SUMMARY
    assert_picture_keeps_out_of_shades(handed_over)
    assert pictures(visit("story", population=town.population, screen="5")) == [handed_over]


def assert_rows_expect_nothing_out_of_reach(figure: Figure, shade: str = HATCHED) -> None:
    """No square, band or start of a candidate's row lies in its hatched part."""
    by_name = {one["name"].split(" at ε")[0]: one for one in figure["data"]}
    hatched = by_name[shade]
    low = dict(zip(hatched["y"], hatched["x"], strict=True))
    expected = by_name["release, expected"]
    assert expected["x"]
    for place, error in zip(expected["y"], expected["x"], strict=True):
        assert error >= low.get(round(place), 0.0)
    for name in (START, UNCHANGED):
        marks = by_name.get(name, {"x": [], "y": []})
        assert all(x >= low.get(round(y), 0.0) for x, y in zip(marks["x"], marks["y"], strict=True))
    band = by_name["its band"]
    for place, error in zip(band["y"], band["x"], strict=True):
        assert error is None or error >= low.get(round(place), 0.0)


def test_the_storys_figures_keep_what_they_claim() -> None:
    screen = errors(story())
    assert len(screen.plots) == 2
    heights = {plot.figure.layout.yaxis.range for plot in screen.plots}
    assert len(heights) == 1, "one scale"
    for plot in screen.plots:
        assert_lines_keep_out_of_shades(json.loads(plot.figure.to_json(engine="json")))
        assert_picture_keeps_out_of_shades(plot.svg)
