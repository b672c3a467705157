"""With the noise forced, nothing that leaves a command tells two neighbouring tables of weighed rows apart, and what is
forced is told that one person moves k W units."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from guarantees.flows import trace_commands
from guarantees.traces import Trace, differences
from support.planting import plant

from pmwpub.plans import release_plans
from pmwpub.service.purchases import assessment_purchase, choice_purchase, error_purchase

N, K, CAP = 60, 2, 40
REACH = K * CAP
SPEND = ["--population", "P", "--schema", "schema.json", "--private", "p.csv"]
ONE = [*SPEND, "--public", "b.csv", "-k", "2"]
TWO = [*SPEND, "--public", "b.csv", "--public", "c.csv", "-k", "2"]
COMMANDS = [
    ["ledger", "register", "P", "--n", str(N), "--rows-per-person", str(K), "--epsilon", "30"],
    ["weight-total", *SPEND, "--epsilon", "1"],
    ["release", *ONE, "--epsilon", "1", "--engine", "table-fit", "--ranges", "age", "-o", "coarse"],
    ["release", *ONE, "--epsilon", "1", "--engine", "pmw-pub", "--rounds", "3", "-o", "rounds"],
    ["assess", *ONE, "--epsilon", "1"],
    ["assess", *TWO, "--epsilon", "1", "--best"],
    ["error", *SPEND, "--release", "coarse", "--epsilon", "1"],
    ["release", *ONE, "--epsilon", "90", "--engine", "table-fit", "-o", "dear"],
]
PAIRS = {
    "weights of nothing by weights of the cap": (["F,0,0", "F,0,0.04"], ["M,5,4", "M,5,4"]),
    "weights that are none by weights beyond the cap": (["x,9,nan", "F,,-5"], ["M,5,1e999", "M,5,400"]),
}


NEEDED = {"assess": (0, 1, 4), "best": (0, 1, 5), "error": (0, 1, 2, 6), "coarse": (0, 1, 2)}
"""The places of the commands that make one kind of number, among COMMANDS."""

TOLD = {kind: {REACH} for kind in ("lattice", "best", "select", "measure")} | {"vector": {REACH**2, 2 * REACH**2}}
"""k W = 80 units, whatever is asked; in L2 and squared that of a total is (k W)^2, that of a table 2 (k W)^2."""


def rows(seed: int, number: int) -> list[str]:
    rng = random.Random(seed)
    return [f"{rng.choice('FM')},{rng.randrange(6)},{rng.randint(1, 4)}" for _ in range(number)]


def schema() -> str:
    columns = [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "age", "kind": "ordered", "levels": list("012345")},
        {"name": "w", "kind": "weight", "cap": 4, "unit": "0.1"},
    ]
    return json.dumps({"version": 2, "missing_tokens": [""], "columns": columns})


def traced(folder: Path, person: list[str], commands: list[list[str]], capfd: pytest.CaptureFixture[str]) -> Trace:
    """All that the commands print, write and store of a table of which `person` owns the rows."""
    folder.mkdir(parents=True)
    others = rows(1, N - K)
    for name, lines in (("p", [*others[:9], *person, *others[9:]]), ("b", rows(2, 80)), ("c", rows(3, 90))):
        (folder / f"{name}.csv").write_text("\n".join(["sex,age,w", *lines]) + "\n")
    (folder / "schema.json").write_text(schema())
    trace = Trace()
    trace_commands(trace, folder, commands, capfd)
    return trace


def reaches(trace: Trace) -> dict[str, set[int]]:
    """By kind of forced call, by how much it was told that one person moves what it is asked; of vectors, squared."""
    found: dict[str, set[int]] = {}
    places = {"lattice": -1, "best": -1, "vector": 2, "select": -3, "measure": -1}
    for call in trace.calls:
        words = call.split()
        if words[0] in places:
            found.setdefault(words[0], set()).add(int(words[places[words[0]]]))
    return found


@pytest.mark.parametrize("name", PAIRS)
def test_nothing_that_leaves_tells_neighbours_of_any_weights_apart(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = (traced(tmp_path / str(place), person, COMMANDS, capfd) for place, person in enumerate(PAIRS[name]))
    assert [text[0] for text in ours.output.values()] == ["0"] * 7 + ["2"], ours.logs
    assert differences(ours, theirs) == set()
    assert {"coarse/tables.csv", "rounds/measurements.csv"} <= set(ours.exports)
    assert sum(call.split()[0] == "vector" for call in ours.calls) == 1 + 3 + 2, (
        "a total, three tables, two coarse ones"
    )
    assert reaches(ours) == TOLD


FAULTS = {
    "floor and start": (assessment_purchase, "_work", "reach_of(plan)", "plan.rows_per_person", "assess"),
    "best": (choice_purchase, "_work", "reach_of(plan)", "plan.rows_per_person", "best"),
    "error": (error_purchase, "_work", "reach_of(plan)", "plan.rows_per_person", "error"),
    "coarse tables": (
        release_plans,
        "table_schedule",
        "ranges, budget, rows_per_person=rows_per_person",
        "ranges, budget, rows_per_person=rows_per_person // cap",
        "coarse",
    ),
}


@pytest.mark.fault("noise for k rows where k W units move")
@pytest.mark.parametrize("name", FAULTS)
def test_what_is_told_k_without_w_is_caught(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, function, right, wrong, needs = FAULTS[name]
    chosen = [COMMANDS[place] for place in NEEDED[needs]]
    plant(monkeypatch, owner, function, right, wrong)
    found = reaches(traced(tmp_path / "one", PAIRS["weights of nothing by weights of the cap"][0], chosen, capfd))
    assert any(told - TOLD[kind] for kind, told in found.items())
