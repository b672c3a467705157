"""The figure of error against epsilon: no line stands against the floor of rows that it is no mixture of."""

from __future__ import annotations

from pmwpub.evaluation import TABLE_FIT, TABLE_FIT_GROWN, UNCHANGED, CertifiedFloor, SimulatedError, Simulation
from pmwpub.service.simulations.error_figure import error_plot


def made(*methods: str) -> Simulation:
    """Each method on b and d, but the last on b alone; the tables unchanged beside them."""
    played = [(method, name) for method in (UNCHANGED, *methods) for name in ("b", "d")]
    runs = [SimulatedError(method, name, 1.0, 0, 0, 0.1, 0.1, 0.1) for method, name in played]
    return Simulation(
        runs[:-1] if len(methods) > 1 else runs, [CertifiedFloor(name, 0.05, 0.06) for name in ("b", "d")]
    )


def floors(simulation: Simulation, **choices: object) -> set[str]:
    """The tables whose floors the figure's table of values has."""
    plot = error_plot(simulation, **choices)  # type: ignore[arg-type]
    return {str(row[0]).split(",")[0] for row in plot.table.rows if str(row[0]).startswith("floor of")}


def test_the_floor_of_a_table_to_which_a_line_adds_rows_is_not_drawn() -> None:
    found = made(TABLE_FIT, TABLE_FIT_GROWN)  # of b alone rows may be added
    assert floors(made(TABLE_FIT)) == {"floor of b", "floor of d"}
    assert floors(found) == {"floor of d"}
    assert floors(found, lines="each") == {"floor of d"}


def test_it_is_drawn_where_that_line_is_not() -> None:
    found = made(TABLE_FIT, TABLE_FIT_GROWN)
    assert floors(found, drawn=["b, Table fit", "d, Table fit"]) == {"floor of b", "floor of d"}
    assert floors(found, drawn=["b, Table fit, rows added"]) == set()
