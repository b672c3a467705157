"""The small picture of error against epsilon: what it draws, from its own data, and that it loads nothing."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from pmwpub.figures.curves.curve_values import ErrorCurve, ShadedFloor, Unchanged
from pmwpub.figures.curves.error_svg import MarkedRelease, conclusion, error_svg

B = ErrorCurve("b.csv", (0.1, 1.0), (0.08, 0.02), (0.004, 0.0))
C = ErrorCurve("c.csv", (0.1, 1.0), (0.05, 0.03), (0.0, 0.0))
FLOOR = ShadedFloor("b.csv", 0.01, 0.012, noisy=True, confidence=0.95)
FREE = Unchanged("b.csv", 0.09)
SPACE = "{http://www.w3.org/2000/svg}"


def test_no_point_of_a_line_lies_below_its_own_shade() -> None:
    root = ElementTree.fromstring(error_svg([B], [FLOOR], [FREE]))
    (line,) = [one for one in root.iter(f"{SPACE}polyline") if one.get("class") == "curve"]
    (shade,) = [one for one in root.iter(f"{SPACE}rect") if one.get("class") == "floor"]
    heights = [float(point.split(",")[1]) for point in str(line.get("points")).split()]
    assert max(heights) < float(str(shade.get("y"))), "places count from above"


def test_places_are_in_proportion_to_the_errors_and_to_the_logarithm_of_epsilon() -> None:
    three = ErrorCurve("t", (0.1, 1.0, 10.0), (0.08, 0.04, 0.0), (0.0, 0.0, 0.0))
    root = ElementTree.fromstring(error_svg([three]))
    (line,) = root.iter(f"{SPACE}polyline")
    (x1, y1), (x2, y2), (x3, y3) = [map(float, point.split(",")) for point in str(line.get("points")).split()]
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert y3 - y2 == pytest.approx(y2 - y1, abs=0.2)


def test_labels_are_inert_and_nothing_runs_or_loads() -> None:
    hostile = '<script>alert(1)</script> & "x"'
    picture = error_svg([ErrorCurve(hostile, (1.0,), (0.1,), (0.0,))], [ShadedFloor(hostile, 0.05, 0.06, noisy=False)])
    root = ElementTree.fromstring(picture)
    assert not [one for one in root.iter() if one.tag.endswith(("script", "image", "use", "a", "foreignObject"))]
    assert not re.search(r"href|url\(|on[a-z]+=", picture)
    assert "<script>" not in picture


def test_the_conclusion_stands_in_the_picture_in_words() -> None:
    assert conclusion([B, C], [FLOOR]) == (
        "b.csv does best at ε = 1, with an error of 2 %; no ε brings b.csv below 1 % (with 95% confidence)."
    )
    words = conclusion([B], [], MarkedRelease(0.5, 0.034))
    assert words == "At ε = 0.5 an error of 3.4 % is expected."
    picture = error_svg([B], [FLOOR], [FREE], marked=MarkedRelease(0.5, 0.034))
    for shown in ("At ε = 0.5 an error of 3.4 % is expected", "unchanged, free: 9 %", "noisy, bought", "this release"):
        assert shown in picture
    assert len(picture) < 10_000


def test_a_line_for_comparison_is_as_wide_as_the_other_one_and_broken_so_that_it_is_seen_on_dark_and_on_white() -> None:
    aside = ErrorCurve("b.csv", (0.1, 1.0), (0.09, 0.03), (0.0, 0.0), engine="PMW^Pub", aside=True)
    drawn = ElementTree.fromstring(error_svg([B, aside])).iter(f"{SPACE}polyline")
    own, other = (one for one in drawn if one.get("class") == "curve")
    assert float(str(other.get("stroke-width"))) >= float(str(own.get("stroke-width")))
    dashes = list(map(float, str(other.get("stroke-dasharray")).split()))
    assert own.get("stroke-dasharray") is None
    assert sum(dashes[::2]) >= sum(dashes[1::2]), "more line than gaps"


def test_without_a_line_there_is_no_picture() -> None:
    assert error_svg([]) == ""
