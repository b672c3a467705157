"""A figure for each table: no line in another table's shade, none below its own, one height, and the truth by name."""

from __future__ import annotations

from pmwpub import figures
from pmwpub.evaluation import PMW_PUB, UNCHANGED, CertifiedFloor, SimulatedError, Simulation
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import AssessmentPlan, PublicInputs, WorkloadChoice
from pmwpub.service import Assessed
from pmwpub.service.simulations.error_figure import error_plots, labels

EPSILONS = (0.1, 1.0)
INPUTS = PublicInputs(schema_sha256="s", workload_sha256="w", workload=WorkloadChoice(k=2), candidates=("d",))
PLAN = AssessmentPlan(n=9, rows_per_person=1, inputs=INPUTS, epsilon="1")
BOUGHT = Assessed(("d",), "d", PLAN, None, NoisyInterval(0.13, 0.12, 0.14, 0.95, "1"))  # type: ignore[arg-type]


def runs(method: str, candidate: str, errors: tuple[float, float]) -> list[SimulatedError]:
    return [
        SimulatedError(method, candidate, epsilon, 0 if method == UNCHANGED else 5, 0, error, error / 2, error / 2)
        for epsilon, error in zip(EPSILONS, errors, strict=True)
    ]


SIMULATED = Simulation(
    [
        *runs(PMW_PUB, "c", (0.04, 0.016)),
        *runs(PMW_PUB, "d", (0.14, 0.11)),
        *runs(UNCHANGED, "c", (0.05, 0.05)),
        *runs(UNCHANGED, "d", (0.2, 0.2)),
        *runs("mwem", "", (0.09, 0.06)),
    ],
    [CertifiedFloor("c", 0.004, 0.005), CertifiedFloor("d", 0.1, 0.1)],
)
"""C's line lies inside what is unachievable with D; the baseline without a table lies in it too."""


def plots(**changed: object) -> dict[str, figures.Plot]:
    return dict(error_plots(SIMULATED, drawn=labels(SIMULATED), truth="a & b", **changed))  # type: ignore[arg-type]


def shade_of(plot: figures.Plot) -> float:
    """The height of what is shaded as unachievable; 0 where nothing is."""
    tops = [max(trace.y) for trace in plot.figure.data if (trace.name or "").startswith("unachievable")]
    return min(tops, default=0.0)


def points(plot: figures.Plot) -> list[float]:
    """Every point of the lines of releases and baselines."""
    return [y for trace in plot.figure.data if trace.mode == "lines+markers" for y in trace.y if y is not None]


def test_each_table_has_a_figure_with_its_own_shade_and_lines_alone() -> None:
    found = plots()
    assert set(found) == {"c", "d", ""}
    assert {table: shade_of(plot) for table, plot in found.items()} == {"c": 0.004, "d": 0.1, "": 0.0}
    for table, plot in found.items():
        named = {
            trace.name.split(":")[0].removeprefix("unachievable with ") for trace in plot.figure.data if trace.name
        }
        assert not {"c", "d"} & named - {table}


def test_no_point_of_a_line_lies_below_the_shade_of_its_figure() -> None:
    for plot in plots().values():
        assert points(plot)
        assert min(points(plot)) >= shade_of(plot)


def test_all_are_of_one_height_and_name_who_plays_the_private_table() -> None:
    found = list(plots().values())
    assert len({tuple(plot.figure.layout.yaxis.range) for plot in found}) == 1
    for plot in found:
        assert "played by a &amp; b" in plot.figure.layout.xaxis.title.text
        assert "The private table is played by a & b." in plot.alt


def test_a_bought_floor_is_drawn_in_its_own_tables_figure_and_says_that_it_is_of_the_private_table() -> None:
    found = plots(bought=[BOUGHT])
    bands = {
        table: [t for t in plot.figure.data if (t.name or "").startswith("noisy")] for table, plot in found.items()
    }
    assert {table for table, own in bands.items() if own} == {"d"}
    assert "on the private table" in bands["d"][0].text
    assert "band: noisy floor, on the private table" in [trace.name for trace in found["d"].figure.data]


def test_only_the_lines_that_are_asked_for_are_drawn() -> None:
    assert [table for table, _ in error_plots(SIMULATED, drawn=["c"], truth="a")] == ["c"]
    assert error_plots(SIMULATED, drawn=[], truth="a") == []
