"""A figure of public values is drawn once; no figure of the steward's own numbers is kept."""

from __future__ import annotations

import pytest

from pmwpub import figures
from pmwpub.figures import kept_plots
from pmwpub.service.simulations.error_figure import error_plot
from pmwpub.ui.widgets import plot_panel


def curve(label: str, error: float = 0.2) -> figures.ErrorCurve:
    return figures.ErrorCurve(label, (0.1, 1.0), (error, 0.1), (0.01, 0.005), runs=3)


def test_the_same_values_are_drawn_once_and_others_anew() -> None:
    first = figures.drawn_once(figures.error_against_epsilon, [curve("kept.csv")], [])
    assert figures.drawn_once(figures.error_against_epsilon, [curve("kept.csv")], []) is first
    for other in (
        figures.drawn_once(figures.error_against_epsilon, [curve("kept.csv", 0.3)], []),
        figures.drawn_once(figures.error_against_epsilon, [curve("other.csv")], []),
        figures.drawn_once(figures.error_against_epsilon, [curve("kept.csv")], [], measure="Mean error"),
    ):
        assert other is not first
        assert other.alt != first.alt


def test_another_function_of_the_same_values_is_another_figure() -> None:
    values = [figures.BoundParts(rounds, (0.0, 0.1, 0.1, 0.1)) for rounds in (30, 300)]

    def also(parts: list[figures.BoundParts], chosen: int) -> figures.Plot:
        return figures.bound_against_rounds(parts, chosen)

    assert figures.drawn_once(also, values, 300) is not figures.drawn_once(figures.bound_against_rounds, values, 300)


def test_only_the_latest_figures_are_kept() -> None:
    drawn = kept_plots._drawn
    for place in range(kept_plots.KEPT + 5):
        figures.drawn_once(lambda place: figures.Plot(None, str(place), figures.Table((), ())), place)  # type: ignore[arg-type]
    assert drawn.cache_info().currsize == kept_plots.KEPT


def test_the_words_of_the_light_theme_are_inked_once_and_the_plot_itself_stays() -> None:
    plot = figures.drawn_once(figures.error_against_epsilon, [curve("light.csv")], [])
    before = plot.figure.to_json()
    assert plot.on_white is plot.on_white
    assert plot.on_white.figure.layout.font.color is not None
    assert plot.figure.to_json() == before


def test_a_figure_that_is_kept_is_not_shown_as_the_stewards_own_and_one_of_a_sweep_is_drawn_anew() -> None:
    """Figures that are kept outlive the session, so those of exact private numbers must not be among them."""
    kept = figures.drawn_once(figures.error_against_epsilon, [curve("mistaken.csv")], [])
    with pytest.raises(ValueError, match="drawn anew"):
        plot_panel.show_private(kept, "mistaken")
    assert error_plot(None).kept is False
