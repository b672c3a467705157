"""The bias slider's sweep: sample data only, free, stored, and of the paper's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import PlanError
from pmwpub.evaluation import CertifiedFloor, SimulatedError, Simulation
from pmwpub.privacy.budget import ZCDP
from pmwpub.records import Dataset
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.demo import open_demo
from pmwpub.service.simulations import bias_sweep
from pmwpub.service.simulations.bias_sweep import BiasCase

if TYPE_CHECKING:
    from conftest import Bench

    from pmwpub.service import Service

DOMAIN = Domain((Attribute("sex", ("F", "M")), Attribute("age", ("young", "old"))))
# 300 rows: 120 F (40 %), of whom 60 are old; 180 M, all young.
CODES = np.array([[0, 0]] * 60 + [[0, 1]] * 60 + [[1, 0]] * 180)
TABLE = Dataset(DOMAIN, CODES)


def test_the_level_is_drawn_with_its_share_plus_the_bias_and_the_rest_as_it_stands() -> None:
    rows = 40_000
    drawn = bias_sweep.biased(TABLE, BiasCase("sex", "F"), 0.2, rows=rows, seed=1)
    women = drawn.codes[:, 0] == 0
    # Five standard deviations of a share of 0.6, and of a half among 24,000.
    assert abs(women.mean() - 0.6) < 5 * np.sqrt(0.24 / rows)
    assert abs((drawn.codes[women, 1] == 1).mean() - 0.5) < 5 * np.sqrt(0.25 / women.sum())
    assert not np.any(drawn.codes[~women, 1])
    assert len(drawn) == rows
    again = bias_sweep.biased(TABLE, BiasCase("sex", "F"), 0.2, rows=rows, seed=1)
    assert np.array_equal(drawn.codes, again.codes)


@pytest.mark.parametrize(("level", "amount"), [("F", 0.7), ("F", -0.5), ("X", 0.0)])
def test_a_share_that_cannot_be_drawn_is_refused(level: str, amount: float) -> None:
    with pytest.raises(PlanError):
        bias_sweep.biased(TABLE, BiasCase("sex", level), amount, rows=10, seed=0)


def test_only_biases_that_leave_the_others_some_rows_are_tried() -> None:
    assert bias_sweep.possible(TABLE, BiasCase("sex", "M")) == (0.0, 0.05, 0.1, 0.2, 0.3)
    assert bias_sweep.possible(TABLE, BiasCase("sex", "F")) == bias_sweep.BIASES


def test_points_come_by_rising_bias_with_their_means() -> None:
    runs = [
        SimulatedError("unchanged", "+0.20", 1.0, 0, 0, 0.3, 0, 0),
        SimulatedError("pmw-pub", "+0.20", 1.0, 9, 0, 0.04, 0, 0),
        SimulatedError("pmw-pub", "+0.20", 1.0, 9, 1, 0.06, 0, 0),
        SimulatedError("unchanged", "+0.00", 1.0, 0, 0, 0.1, 0, 0),
        SimulatedError("pmw-pub", "+0.00", 1.0, 7, 0, 0.02, 0, 0),
        SimulatedError("table-fit", "+0.00", 1.0, 0, 0, 0.01, 0, 0),
        SimulatedError("table-fit", "+0.20", 1.0, 0, 0, 0.015, 0, 0),
    ]
    first, second = bias_sweep.points_of(
        Simulation(runs, [CertifiedFloor("+0.20", 0.01, 0.011), CertifiedFloor("+0.00", 0.0, 0.001)])
    )
    assert (first.bias, first.start, first.error, first.standard_error) == (0.0, 0.1, 0.02, 0.0)
    assert (second.bias, second.start, second.error) == (0.2, 0.3, pytest.approx(0.05))
    # Two values 0.02 apart: their standard deviation is 0.01 sqrt 2, that of the mean 0.01.
    assert second.standard_error == pytest.approx(0.01)
    assert (second.floor_low, second.floor_high) == (0.01, 0.011)
    assert (first.fitted, second.fitted, second.fitted_error) == (0.01, 0.015, 0.0)


def test_outside_a_demo_it_is_refused_and_nothing_is_read(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    for call in (bias_sweep.sweep, bias_sweep.explore):
        with pytest.raises(PlanError, match="open the demo"):
            call(bench.service, current, BiasCase())


def test_in_the_demo_the_start_grows_with_the_bias_and_both_engines_repair_it_for_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shape of the paper's Figure on ADULT: unbiased no gain; biased, nearly all of the error goes."""
    monkeypatch.setattr(bias_sweep, "BIASES", (0.0, 0.3))
    monkeypatch.setattr(bias_sweep, "RUNS", 1)
    name, _ = open_demo(service)
    current = study_store.study(service, name)
    assert bias_sweep.sweep(service, current, BiasCase()).points == ()
    found = bias_sweep.explore(service, current, BiasCase())
    fair, unfair = found.points
    assert unfair.start == pytest.approx(fair.start + 0.3, abs=0.08)
    assert max(unfair.error, unfair.fitted) < unfair.start / 5
    assert fair.floor_low <= min(fair.error, fair.fitted)
    assert unfair.floor_low <= unfair.floor_high <= unfair.error
    assert bias_sweep.sweep(service, current, BiasCase()).points == found.points
    assert service.ledger.balance(name).spent == ZCDP(0)
