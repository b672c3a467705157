"""What errors are shares of stands on every figure of them, in the words of what is counted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from pmwpub.evaluation import SimulatedError, Simulation
from pmwpub.evaluation.households.household_stages import LEVELS
from pmwpub.figures import ErrorCurve, PairFloor, Plot, ShareCurve, error_against_epsilon, error_against_share, pair_map
from pmwpub.figures.curves.error_svg import HEIGHT, error_svg
from pmwpub.service.simulations.error_figure import error_plot, error_plots, size_plot
from pmwpub.service.simulations.households.household_truths import LEVEL_WHOLES

WEIGHT = "the total weight"
CURVE = ErrorCurve("B", (0.5, 1.0), (0.02, 0.01), (0.0, 0.0))
RUNS = Simulation([SimulatedError("pmw-pub", "B", epsilon, 5, 0, 0.02, 0.01, 0.01) for epsilon in (0.5, 1.0)])
FIGURES: dict[str, Callable[[str], Plot]] = {
    "error against epsilon": lambda whole: error_against_epsilon([CURVE], whole=whole),
    "error against share": lambda whole: error_against_share(
        [ShareCurve("B", (1.0, 100.0), (0.02, 0.01), (0.0, 0.0))], None, candidate="B", whole=whole
    ),
    "pairs": lambda whole: pair_map([PairFloor("A", "B", 0.01, 0.02, 0.1, 0.5, 3)], whole=whole),
    "a sweep": lambda whole: error_plot(RUNS, whole=whole),
    "a table of a sweep": lambda whole: error_plots(RUNS, drawn=["B"], truth="A", whole=whole)[0][1],
    "a sweep by shares": lambda whole: size_plot(RUNS, "B", {100.0: "B"}, whole=whole),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("whole", [WEIGHT, *LEVEL_WHOLES.values()])
def test_a_figure_says_what_its_errors_are_shares_of_and_speaks_of_no_rows(name: str, whole: str) -> None:
    drawn = FIGURES[name](whole)
    text = f"{json.dumps(json.loads(drawn.figure.to_json()))} {drawn.table.header}"
    assert f"% of {whole}" in text.replace("<br>", " ")
    assert not re.search(r"\brows\b", text)
    assert not drawn.svg or f"Errors in % of {whole}." in words(drawn.svg)
    assert "rows" not in drawn.svg


@pytest.mark.parametrize("name", FIGURES)
def test_where_nothing_is_said_they_are_shares_of_the_rows(name: str) -> None:
    assert "% of the rows" in FIGURES[name]("the rows").figure.to_json()


def test_every_level_of_households_has_its_own_words() -> None:
    assert set(LEVEL_WHOLES) == set(LEVELS)
    assert len(set(LEVEL_WHOLES.values())) == 3


@pytest.mark.parametrize("whole", ["the rows", WEIGHT, *LEVEL_WHOLES.values()])
def test_the_words_beside_the_small_figure_fit_beside_it(whole: str) -> None:
    """A character takes about half of 15 units; what is longer than the axis stands below the figure."""
    (beside,) = re.findall(r"rotate[^>]*>([^<]*)<", error_svg([CURVE], whole=whole))
    assert len(beside) * 7.5 < HEIGHT
    assert ("rows" in beside) == (whole == "the rows")


def words(picture: str) -> str:
    """The text below a small figure, its lines joined."""
    return " ".join(re.findall(r">([^<>]+)</text>", picture))
