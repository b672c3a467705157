from __future__ import annotations

import math

import pytest

from pmwpub.evaluation import PMW_PUB, CertifiedFloor, SimulatedError, Simulation, summarise

LINES = [
    SimulatedError(PMW_PUB, "b", 1.0, 5, seed, value, value / 2, 0.0) for seed, value in enumerate((0.1, 0.2, 0.3))
]


def test_a_summary_is_the_mean_and_its_standard_error() -> None:
    (found,) = summarise(LINES)
    assert (found.runs, found.mean) == (3, pytest.approx(0.2))
    assert found.standard_error == pytest.approx(0.1 / math.sqrt(3))
    assert summarise(LINES[:1])[0].standard_error == 0.0


def test_a_summary_is_of_the_measure_that_was_asked_for() -> None:
    (found,) = summarise(LINES, "mean_error")
    assert found.mean == pytest.approx(0.1)


def test_a_simulation_survives_its_bytes() -> None:
    found = Simulation(LINES, [CertifiedFloor("b", 0.01, 0.02)])
    assert Simulation.from_bytes(found.to_bytes()) == found
