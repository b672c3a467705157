"""An acceptance end to end: an event is as frequent as the exact law at the charge has it, and no more so."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from privacy.laws import gaussian_masses
from scipy import stats
from support.audits import EventGate
from support.planting import plant_twice_the_rho
from support.statistical import ALPHA, AUDIT

from pmwpub.mechanisms.acceptance.acceptance_noise import acceptance_release
from pmwpub.plan_inputs import WorkloadChoice
from pmwpub.plans import AcceptancePlan
from pmwpub.plans.criteria import CellWithin, LargestWithin, MarginalOfRelease, MeanOfRelease
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.service.accepting.exact_numbers import exact_numbers
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import survey
from pmwpub.tabular.schema.table_schema import Schema

SCHEMA = Schema.from_json(
    json.dumps(
        {
            "version": 1,
            "columns": [
                {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
                {"name": "age", "kind": "numeric", "edges": [0, 50, 100], "outside": "clip"},
            ],
        }
    )
)


@dataclass(frozen=True)
class Neighbours:
    """Two private files that differ in a person's k rows: young men in ours and old women in theirs. Beside them stand
    more women and old people than the release has, so that each number of theirs is further off, by all its
    sensitivity. The event: four of the five noisy numbers are near ours' own.

    Its probability on either is computed from scales and sensitivities alone: the noises are independent.
    """

    k: int
    runs: int
    n: int = 60

    @cached_property
    def plan(self) -> AcceptancePlan:
        return AcceptancePlan(
            n=self.n,
            rows_per_person=self.k,
            release="0" * 64,
            criteria=(
                CellWithin(within="1/3", levels=(("sex", "F"),)),
                LargestWithin(within="1/3"),
                MarginalOfRelease(within="1/4", columns=("sex",), cells=2),
                MeanOfRelease(within="2/5", column="age", low="0", high="100", mean="40", rows=60),
            ),
            rho_units=400_000_000_000_000,
        )

    def private(self, mine: bool) -> bytes:
        own, others = "M,0" if mine else "F,100", ["F,100"] * 40 + ["M,100"] * (self.n - 40 - self.k)
        return "\n".join(["sex,age", *[own] * self.k, *others, ""]).encode()

    def values(self, mine: bool) -> tuple[int, ...]:
        """As a purchase takes them."""
        body = self.private(mine)
        found = survey(open_table(body), SCHEMA, n=self.n, rows_per_person=self.k)
        private: Any = SimpleNamespace(dataset=found.rows, source=body, options=None, rows=found.digest)
        return exact_numbers(self.plan, _bundle(), private)

    def near(self, spending: float) -> list[tuple[float, float]]:
        """Of each number the probability to be within a scale of ours' own value, on ours and on theirs."""
        found = []
        for number, noise in zip(self.plan.law.numbers, self.plan.law.noises, strict=True):
            scale, reach = float(noise.scale), round(float(noise.scale))
            actual = scale / math.sqrt(spending)
            found.append((within(actual, reach, 0), within(actual, reach, number.sensitivity)))
        return found

    def probability(self, mine: bool, spending: float = 1.0) -> float:
        """That at most one of the numbers is not near."""
        near = [pair[0 if mine else 1] for pair in self.near(spending)]
        all_near = math.prod(near)
        return all_near + sum(all_near / one * (1 - one) for one in near)

    def gate(self, mine: bool, times: int = 1) -> EventGate:
        return EventGate(self.probability(mine), self.runs * times)

    def hits(self, mine: bool, runs: int) -> int:
        law, values = self.plan.law, self.values(mine)
        centre = np.array(self.values(True))
        reach = np.array([round(float(one.scale)) for one in law.noises])
        found = 0
        for _ in range(runs):
            noisy = np.array(acceptance_release(values, law))
            found += int((np.abs(noisy - centre) <= reach).sum()) >= len(values) - 1
        return found


def within(scale: float, reach: int, by: int) -> float:
    """P(abs(Z + by) <= reach) of a discrete Gaussian Z.

    Scales of thousands are taken as normal between half steps: the midpoint rule errs by less than 1/scale^2 there.
    """
    if scale > 1_000:
        return float(stats.norm.cdf((reach + 0.5 - by) / scale) - stats.norm.cdf((-reach - 0.5 - by) / scale))
    outcomes, masses = gaussian_masses(scale)
    return math.fsum(m for z, m in zip(outcomes, masses, strict=True) if abs(z + by) <= reach)


def _bundle() -> Any:
    """A release of half women, all of them young."""
    support = Support.of(Dataset(SCHEMA.domain, np.array([[0, 0], [1, 0]], dtype=np.uint8)))
    choice = WorkloadChoice(k=1)
    certificate = SimpleNamespace(workload=choice, workload_sha256=choice.build(SCHEMA.domain).sha256)
    return SimpleNamespace(
        schema=SCHEMA, certificate=certificate, distribution=lambda: Distribution(support, np.array([0.5, 0.5]))
    )


CASES = {"one row": Neighbours(1, 700), "three rows": Neighbours(3, 700)}
every = pytest.mark.parametrize("name", CASES)


@every
def test_these_neighbours_differ_by_the_whole_sensitivity_of_each_number(name: str) -> None:
    case = CASES[name]
    ours, theirs = case.values(True), case.values(False)
    moved = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    assert moved == [number.sensitivity for number in case.plan.law.numbers]


@pytest.mark.audit
@every
@pytest.mark.parametrize("mine", [True, False], ids=["ours", "theirs"])
def test_an_event_of_an_acceptance_is_as_frequent_as_the_exact_law_at_the_charge_has_it(name: str, mine: bool) -> None:
    gate = CASES[name].gate(mine, AUDIT)
    gate.assert_passed(CASES[name].hits(mine, gate.runs))


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in an acceptance")
@every
def test_noise_for_twice_the_charged_rho_fails_the_audit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_twice_the_rho(monkeypatch, VectorGaussian)
    gate = CASES[name].gate(True, AUDIT)
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(CASES[name].hits(True, gate.runs))


@every
@pytest.mark.parametrize("times", [1, 10])
def test_the_gate_passes_the_exact_law_and_catches_twice_the_rho_almost_surely(name: str, times: int) -> None:
    """By the binomial law, exactly."""
    case = CASES[name]
    for mine in (True, False):
        gate = case.gate(mine, times)
        assert gate.catching(gate.exact) <= ALPHA
    assert case.gate(True, times).catching(case.probability(True, 2.0)) > 0.999
