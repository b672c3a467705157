"""sample_data/story.json is what sample_data/story.py makes of the sample, not something typed in."""

from __future__ import annotations

import csv
import importlib.util
import math
from collections import Counter
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from pmwpub.evaluation import PMW_PUB, UNCHANGED, Stage, Sweep, simulate, summarise
from pmwpub.privacy.budget import ApproxDP, zcdp_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.service.simulations import story_numbers
from pmwpub.tabular.schema.table_schema import Schema

FOLDER = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("story_maker", FOLDER / "story.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stage(maker: ModuleType) -> Stage:
    schema = Schema.from_json((FOLDER / "schema.json").read_bytes())
    tables = {name: maker._encoded(FOLDER / f"state_{name}.csv", schema) for name in "ac"}
    workload = Workload.all_kway(schema.domain, 3)
    counts = count(workload, tables["a"])
    return Stage(workload, counts, {"state_c.csv": Support.of(tables["c"])}, Fraction(1, 20_000**2))


def _rows() -> list[dict[str, str]]:
    """State A's facts as labels, read with nothing of the project but the schema's edges."""
    schema = Schema.from_json((FOLDER / "schema.json").read_bytes())
    placers = {column.name: (column, column.placer(schema.missing_tokens)) for column in schema.encoded}
    with (FOLDER / "state_a.csv").open(encoding="utf-8", newline="") as file:
        return [
            {name: column.attribute.levels[place(row[name])] for name, (column, place) in placers.items()}
            for row in csv.DictReader(file)
        ]


def test_the_people_who_are_alone_are_counted_as_stored(maker: ModuleType) -> None:
    rows, stored = _rows(), story_numbers.story()
    assert [one.fact for one in stored.alone] == list(maker.FACTS)
    for known, one in enumerate(stored.alone, start=1):
        kinds = Counter(tuple(row[fact] for fact in maker.FACTS[:known]) for row in rows)
        assert one.alone == sum(size == 1 for size in kinds.values()) / len(rows)


def test_the_person_at_risk_is_the_first_who_is_alone(maker: ModuleType) -> None:
    rows, stored = _rows(), story_numbers.story().person
    kinds = Counter(tuple(row[fact] for fact in maker.FACTS[:8]) for row in rows)
    first = next(row for row in rows if kinds[tuple(row[fact] for fact in maker.FACTS[:8])] == 1)
    assert stored.known == tuple((name, first[name]) for name in maker.FACTS[:8])
    assert stored.told == tuple((name, first[name]) for name in maker.SECRETS)


def test_noise_alone_is_drawn_as_stored_at_the_scale_of_its_marginals(maker: ModuleType, stage: Stage) -> None:
    stored = [one for one in story_numbers.story().simulation.errors if one.method == story_numbers.NOISE_ALONE]
    drawn = maker.noise_alone(stage)
    assert [asdict(one) for one in drawn] == [asdict(one) for one in stored]
    # Where few counts are near 0 the mean gap of Gaussian noise is sigma sqrt(2/pi); clamping at 0 halves it at most.
    sigma = math.sqrt(1140 / float(zcdp_of(ApproxDP(Fraction(1), stage.delta)).rho))
    at_one = [one.mean_error * 20_000 for one in stored if one.epsilon == 1.0]
    assert all(0.5 < mean / (sigma * math.sqrt(2 / math.pi)) < 1 for mean in at_one)


def test_the_stored_runs_are_those_that_the_program_makes_today(stage: Stage) -> None:
    """The start exactly; a run of PMW^Pub, whose draws may differ from version to version, about."""
    stored = summarise(story_numbers.story().simulation.errors)
    made = summarise(simulate(stage, Sweep((1.0,), rounds=(25,), runs=2, floors=False)).errors)

    def of(lines: list, method: str) -> float:
        return next(
            line.mean for line in lines if (line.method, line.candidate, line.epsilon) == (method, "state_c.csv", 1.0)
        )

    assert of(made, UNCHANGED) == pytest.approx(of(stored, UNCHANGED), abs=1e-12)
    assert of(made, PMW_PUB) == pytest.approx(of(stored, PMW_PUB), rel=0.3)


def test_the_floor_of_d_is_certified_as_stored(maker: ModuleType, stage: Stage) -> None:
    schema = Schema.from_json((FOLDER / "schema.json").read_bytes())
    d = {"state_d.csv": Support.of(maker._encoded(FOLDER / "state_d.csv", schema))}
    (made,) = simulate(replace(stage, candidates=d), Sweep((1.0,), methods=(UNCHANGED,))).floors
    stored = next(one for one in story_numbers.story().simulation.floors if one.candidate == "state_d.csv")
    assert (made.lower, made.upper) == pytest.approx((stored.lower, stored.upper), abs=1e-3)
