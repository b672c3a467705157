"""A shared figure needs nothing else and obeys nothing that stands in it."""

from __future__ import annotations

import json
import re

from pmwpub import figures

HOSTILE = "<img src=x onerror=alert(1)>"


def page(label: str = "b.csv", *, still: bool = False) -> str:
    """The page of a figure that plotly draws, for a bound stands in it; or, `still`, of one with a small picture."""
    curve = figures.ErrorCurve(label, (0.1, 1.0), (0.2, 0.1), (0.01, 0.005), runs=3)
    floor = figures.ShadedFloor(label, 0.05, 0.06, noisy=False)
    bounds = [] if still else [figures.ProvedBound(label, (0.1, 1.0), (0.9, 0.5), (10, 20), 0.95)]
    plot = figures.error_against_epsilon([curve], [floor], bounds=bounds)
    return figures.self_contained(plot, title=f"Of {label}", notes=(f"note {label}",)).decode()


def test_it_holds_the_figure_its_words_and_its_data_and_fetches_nothing() -> None:
    text = page()
    assert "Plotly.newPlot" in text
    assert "20 % at epsilon 0.1" in text
    assert "<td>0.5</td>" in text
    outside = re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r'(src|href)\s*=\s*"', outside)
    assert not re.search(r"<script[^>]+src", text)
    assert "default-src 'none'" in text


def test_a_figure_with_a_small_picture_is_a_small_page_without_a_script_that_says_what_it_shows() -> None:
    text = page(still=True)
    assert len(text) < 20_000
    assert "<svg" in text
    assert "<script" not in text
    assert "script-src" not in text
    assert "At ε = 1 the error is 10 %; no ε brings b.csv below 5 %." in text
    assert "<td>0.5</td>" in text
    assert not re.search(r'(src|href)\s*=\s*"', text)


def test_no_button_and_no_form_sends_the_figure_anywhere() -> None:
    config = json.loads(re.search(r'\{[^{}]*"toImageButtonOptions".*?\}\s*\)', page()).group(0).rstrip(")"))  # type: ignore[union-attr]
    assert config["showSendToCloud"] is False
    assert "form-action 'none'" in page()


def test_labels_and_notes_are_shown_and_not_obeyed() -> None:
    text = page(HOSTILE)
    outside = re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL)
    assert "<img" not in outside
    assert "<img" not in page(HOSTILE, still=True)
    assert "</script><" not in page("</script><script>alert(1)</script>").replace("</script></head>", "")
    assert HOSTILE not in text
