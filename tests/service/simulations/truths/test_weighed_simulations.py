"""Simulations of a study whose schema weighs rows: the truth weighs as a private table does, and advice rests on it."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from pmwpub.errors import PlanError
from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Service
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.advice import advise_rounds
from pmwpub.service.simulations.engine_advice import advise_engine
from pmwpub.service.simulations.engine_trials import try_engines
from pmwpub.service.simulations.findings import not_run
from pmwpub.service.simulations.public_pairs import compare, comparison
from pmwpub.service.simulations.sweep_range import SweepRange, stage_of, truths
from pmwpub.service.simulations.truths.played_truths import weighing_words
from pmwpub.tabular.schema.table_schema import Schema

N = 300
TERMS = SweepRange(epsilons=(2.0,), rounds=(3,), runs=2, methods=(UNCHANGED, PMW_PUB, TABLE_FIT, "hdmm"))
PLAIN = ["F,0,1"] * 60 + ["M,1,1"] * 20 + ["M,0,1"] * 40
HEAVY = ["F,0,1"] * 60 + ["M,1,4"] * 20 + ["M,0,4"] * 40


def schema_of(**weight: object) -> Schema:
    columns: list[dict[str, object]] = [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "age", "kind": "ordered", "levels": ["0", "1"]},
        {"name": "w", "kind": "weight"} | weight,
    ]
    return Schema.from_json(json.dumps({"version": 2, "missing_tokens": [], "columns": columns}))


def study_of(service: Service, schema: Schema, **files: list[str]) -> tuple[Study, dict[str, str]]:
    """A population of n = 300 with these public tables; each one's content by its name."""
    service.ledger.register(Population("people", N, 1, "one person", Fraction(4), Fraction(1, N * N)))
    known = {}
    for name, lines in files.items():
        header = "sex,age,w" if lines[0].count(",") == 2 else "sex,age"
        body = ("\n".join([header, *lines]) + "\n").encode()
        known[name] = study_store.add_candidate(service, "people", f"{name}.csv", body, attested=True)
    study_store.save_schema(service, "people", schema)
    study_store.choose_workload(service, "people", WorkloadChoice(k=2))
    return study_store.study(service, "people"), known


def test_a_weighed_truth_is_drawn_with_its_weights_and_scaled_to_the_declared_total(service: Service) -> None:
    current, known = study_of(service, schema_of(cap=4, unit=1, total=900), b=HEAVY, c=PLAIN)
    stage = stage_of(current, known["b"], TERMS)
    assert (stage.counts.n, stage.people, stage.reach) == (900, N, 4)
    assert stage.weighed is not None
    # Cells of (sex, age): F 0, F 1, M 0, M 1. A row of a man weighs 4, and all that is drawn stands for 900.
    women, men = (stage.weighed.repeats[stage.weighed.codes[:, 0] == sex].sum() for sex in (0, 1))
    assert women + men // 4 == N
    assert men % 4 == 0
    assert stage.counts.counts[1] == 0
    assert stage.counts.counts[0] == round(900 * women / (women + men))
    assert sum(stage.counts.counts) in (899, 900, 901)


def test_a_sweep_of_weighed_tables_has_both_engines_and_says_who_takes_no_weights(service: Service) -> None:
    current, known = study_of(service, schema_of(cap=4, unit=1, total=900), b=HEAVY, c=PLAIN)
    found = explorations.explore(service, current, known["b"], TERMS).simulation
    assert found is not None
    assert {one.method for one in found.errors} == {UNCHANGED, PMW_PUB, TABLE_FIT}
    assert [(one.label, "does not take weights" in one.reason) for one in not_run(found)] == [("HDMM (no rows)", True)]
    assert len(found.floors) == 1
    assert "at most 4 each; shares are of 900, the total of a release" in weighing_words(current)


def test_weights_of_one_unit_give_the_lines_of_a_study_without_weights(service: Service) -> None:
    current, known = study_of(service, schema_of(), b=PLAIN, c=PLAIN[:70])
    assert weighing_words(current) == ""
    plain = explorations.explore(service, current, known["b"], TERMS).simulation
    pairs = compare(service, current).pairs
    study_store.save_schema(service, "people", schema_of(cap=1, unit=1, total=N))
    current = study_store.study(service, "people")
    weighed = explorations.explore(service, current, known["b"], TERMS).simulation
    assert plain is not None
    assert weighed is not None
    assert [one for one in plain.errors if one.method != "hdmm"] == weighed.errors
    assert plain.floors == weighed.floors
    assert not comparison(service, current).pairs  # it is another question
    named = [(one.truth, one.candidate, one.lower, one.upper, one.start, one.covered) for one in pairs]
    again = compare(service, current).pairs
    assert [(one.truth, one.candidate, one.lower, one.upper, one.start, one.covered) for one in again] == named


def test_advice_on_engine_and_rounds_rests_on_trials_of_weighed_tables(service: Service) -> None:
    current, known = study_of(service, schema_of(cap=4, unit=1, total=900), b=HEAVY, c=PLAIN)
    found = try_engines(service, current, [known["c"]], 2.0)
    assert found.possible
    # The public table counts rows: 60 of 120 are women. Of the weight they have 60 of 60 + 240, so its cell of women of
    # age 0 is off by 1/2 - 1/5 and by what the draw of 300 rows adds.
    unchanged = found.of(UNCHANGED)
    assert unchanged is not None
    assert unchanged.mean == pytest.approx(0.3, abs=0.15)
    assert advise_engine(service, current, [known["c"]], 2.0).tried
    assert advise_rounds(service, current, [known["c"]], "2").tried


def test_without_a_total_the_tables_with_weights_alone_play_and_shares_are_of_their_own_sum(service: Service) -> None:
    bare = [line.rsplit(",", 1)[0] for line in PLAIN]
    current, known = study_of(service, schema_of(cap=4, unit=1), b=HEAVY, c=bare)
    assert truths(current) == {known["b"]: "b.csv"}
    stage = stage_of(current, known["b"], TERMS)
    assert stage.weighed is not None
    assert stage.counts.n == stage.weighed.heavy.rows
    assert "shares are of the sum of the weights" in weighing_words(current)
    with pytest.raises(PlanError, match="has no such column"):
        explorations.explore(service, current, known["c"], TERMS)
    study_store.save_schema(service, "people", schema_of(cap=4, unit=1, total=900))
    current = study_store.study(service, "people")
    alike = stage_of(current, known["c"], TERMS)
    assert (alike.counts.n, sum(alike.counts.counts)) == (900, 900)  # as if each weighed 3
