"""Write story.json, what the guided story shows: python sample_data/story.py [folder]. SIMULATIONS on generated data.

Seeded from end to end, so that the same code writes the same numbers: who is alone with a few facts, the error of
noise alone, and certified floors, starts and runs of both engines on states B, C and D with A as the truth. Minutes.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import numpy as np

from pmwpub.evaluation import SIMPLEST, TABLE_FIT, SimulatedError, Simulation, Stage, Sweep, simulate
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.service.inputs.bundled_sample import CANDIDATES, PRIVATE, SCHEMA
from pmwpub.service.simulations.story_numbers import NOISE_ALONE, Loneliness, Person, Story
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

HERE = Path(__file__).parent
FACTS = ("sex", "age", "race", "marital", "household", "size", "tenure", "education", "occupation", "hours")
"""What a neighbour or a colleague may know; from few to many."""

SECRETS = ("income", "insurance", "disability")
EPSILONS = (0.1, 0.25, 0.5, 1.0)
RUNS = 3
SEED = 20_264


def story(folder: Path = HERE) -> Story:
    """Everything that the story shows."""
    schema = Schema.from_json((folder / SCHEMA).read_bytes())
    tables = {name: _encoded(folder / name, schema) for name in (PRIVATE, *CANDIDATES)}
    truth = tables[PRIVATE]
    workload, delta = Workload.all_kway(schema.domain, 3), Fraction(1, len(truth) ** 2)
    supports = {name: Support.of(tables[name]) for name in CANDIDATES}
    stage = Stage(workload, count(workload, truth), supports, delta, rows=truth)
    found = simulate(stage, Sweep(EPSILONS, runs=RUNS, methods=(*SIMPLEST, TABLE_FIT)))
    return Story(
        rows=len(truth),
        queries=workload.queries,
        marginals=len(workload.marginals),
        delta=str(delta),
        alone=tuple(loneliness(truth)),
        person=person(truth),
        simulation=Simulation([*noise_alone(stage), *found.errors], found.floors),
    )


def loneliness(table: Dataset) -> list[Loneliness]:
    """The share of people who are the only ones with their levels of the first few facts."""
    found = []
    for known in range(1, len(FACTS) + 1):
        columns = [table.domain.index(name) for name in FACTS[:known]]
        _, sizes = np.unique(table.codes[:, columns], axis=0, return_counts=True)
        found.append(Loneliness(FACTS[known - 1], float(np.sum(sizes == 1) / len(table))))
    return found


def person(table: Dataset) -> Person:
    """The first one in the table who is alone with the first eight facts, and what else the table says."""
    columns = [table.domain.index(name) for name in FACTS[:8]]
    _, first, sizes = np.unique(table.codes[:, columns], axis=0, return_index=True, return_counts=True)
    row = table.codes[int(np.min(first[sizes == 1]))]

    def told(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        places = [table.domain.index(name) for name in names]
        return tuple(
            (name, table.domain.attributes[at].levels[row[at]]) for name, at in zip(names, places, strict=True)
        )

    return Person(told(FACTS[:8]), told(SECRETS))


def noise_alone(stage: Stage) -> list[SimulatedError]:
    """Every cell of every marginal with Gaussian noise of its own, and negative answers set to 0: no public table.

    One person moves two cells of each of W marginals by one row, sqrt(2 W) in all; so sigma = sqrt(W/rho) rows.
    """
    n, marginals, found = stage.counts.n, len(stage.workload.marginals), []
    for epsilon in EPSILONS:
        sigma = math.sqrt(marginals / float(zcdp_of(ApproxDP(as_fraction(epsilon), stage.delta)).rho))
        for run in range(RUNS):
            draw = np.random.Generator(np.random.PCG64([SEED, run, round(1000 * epsilon)]))
            noisy = stage.counts.counts + draw.normal(0.0, sigma, stage.workload.queries)
            gaps = np.abs(np.clip(noisy, 0, n) - stage.counts.counts) / n
            rms = float(np.sqrt(np.mean(gaps * gaps)))
            found.append(SimulatedError(NOISE_ALONE, "", epsilon, 0, run, float(gaps.max()), float(gaps.mean()), rms))
    return found


def _encoded(path: Path, schema: Schema) -> Dataset:
    return encode_public(read_table(path.read_bytes()), schema).dataset


def write(folder: Path) -> None:
    """Write story.json into `folder`."""
    text = json.dumps(asdict(story()), indent=1, ensure_ascii=False)
    (folder / "story.json").write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
