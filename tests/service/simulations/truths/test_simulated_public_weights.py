"""Simulations under a schema that weighs public rows: candidates count as in a release, and so does who plays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from service.simulations.truths.test_weighed_simulations import HEAVY, PLAIN, N, schema_of, study_of

from pmwpub.evaluation import UNCHANGED
from pmwpub.service import Service
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.engine_trials import try_engines
from pmwpub.service.simulations.sweep_range import SweepRange, rows_of, stage_of
from pmwpub.service.simulations.truths.played_truths import PlayedTruth

TERMS = SweepRange(epsilons=(2.0,), rounds=(3,), runs=2, methods=(UNCHANGED,))
PUBLIC = schema_of(cap=4, unit=1, weighs="public")
REPEATED = [f"{line[:-2]},1" for line in HEAVY for _ in range(int(line[-1]))]
"""The 120 rows of HEAVY by their weight: 60 women, 160 men of age 0 and 80 of age 1."""


def by_hand(current: Study, name: str) -> list[int]:
    (support,) = stage_of(current, name, TERMS).candidates.values()
    return support.multiplicity.tolist()


@pytest.mark.parametrize("keys", [{"weighs": "public"}, {"weighs": "all", "total": 300}])
def test_a_candidate_counts_with_its_weight(service: Service, keys: dict[str, object]) -> None:
    current, known = study_of(service, schema_of(cap=4, unit=1, **keys), b=HEAVY, c=PLAIN)
    assert by_hand(current, known["c"]) == [60, 160, 80]
    assert rows_of(current, known["c"], TERMS) == {"b.csv": 300**2 // (60 + 60 * 16)}


def test_people_who_are_not_weighed_are_played_by_a_draw_by_public_weight(service: Service) -> None:
    current, known = study_of(service, PUBLIC, b=HEAVY, c=PLAIN)
    weighed = stage_of(current, known["b"], TERMS)
    assert weighed.weighed is None
    plain, there = study_of_repeated(service)
    repeated = stage_of(plain, there["b"], TERMS)
    assert weighed.counts.n == N
    assert weighed.counts.counts.tolist() == repeated.counts.counts.tolist()


def study_of_repeated(service: Service) -> tuple[Study, dict[str, str]]:
    """The same population's public tables with their rows repeated, under a schema that weighs nothing."""
    known = {}
    for facts in study_store.study(service, "people").candidates:
        study_store.remove_candidate(service, "people", facts.sha256)
    for name, lines in (("b", REPEATED), ("c", PLAIN)):
        body = ("\n".join(["sex,age,w", *lines]) + "\n").encode()
        known[name] = study_store.add_candidate(service, "people", f"{name}.csv", body, attested=True)
    study_store.save_schema(service, "people", schema_of())
    return study_store.study(service, "people"), known


def test_both_halves_of_a_table_keep_their_weights(service: Service) -> None:
    current, known = study_of(service, PUBLIC, b=HEAVY)
    half, rest = PlayedTruth.of(current.candidate(known["b"])).halves()
    assert len(half.rows) == 60
    assert half.support.rows + rest.rows == 60 + 4 * 60
    assert by_hand(current, known["b"]) == rest.multiplicity.tolist()


def test_a_part_of_a_table_keeps_its_weights_and_rows_without_any_are_one_unit(service: Service) -> None:
    men, women = ["M,0,4"] * 10 + ["M,1,4"] * 10, ["F,0"] * 20
    current, known = study_of(service, PUBLIC, b=men, c=women, d=PLAIN)
    terms = replace(TERMS, shares=(50.0,), candidates=((known["b"],), (known["c"],)))
    parts = {name.split(",")[0]: one for name, one in stage_of(current, known["d"], terms).candidates.items()}
    assert (parts["b.csv"].rows, parts["b.csv"].people) == (40, 10)
    assert (parts["c.csv"].rows, parts["c.csv"].people) == (10, 10)
    both = replace(terms, candidates=((known["b"], known["c"]),))
    (pool,) = stage_of(current, known["d"], both).candidates.values()
    # Twenty rows of forty, whichever the seed takes: women weigh one unit each, and men four.
    women_units = int(pool.multiplicity[pool.codes[:, 0] == 0].sum())
    assert pool.rows == women_units + 4 * (20 - women_units)


def test_sweeps_and_trials_run_where_public_rows_are_weighed(service: Service) -> None:
    current, known = study_of(service, PUBLIC, b=HEAVY, c=PLAIN)
    found = explorations.explore(service, current, known["b"], TERMS).simulation
    assert found is not None
    assert {one.method for one in found.errors} == {UNCHANGED}
    assert try_engines(service, current, [known["c"]], 2.0).possible
