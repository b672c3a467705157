"""The part of a workload that floors are taken over: which marginals, and that one part serves all."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
import pytest

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import PlanError
from pmwpub.plan_inputs import floor_workload
from pmwpub.plans import AssessmentPlan
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.service.bought.assessments import assessed, assessment_plan
from pmwpub.service.choosing.floor_part import advised_scope, chosen_part, part_of
from pmwpub.service.core import Built
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases import AssessmentPurchase, buy
from pmwpub.tabular.schema.table_schema import Schema
from tests.service.conftest import Bench

DOMAIN = Domain(tuple(Attribute(name, ("0", "1")) for name in "abcdef"))
PAIRS = Workload.all_kway(DOMAIN, 2)


def table(**biased: float) -> Support:
    """10,000 rows, independent columns, each 1 with probability 1/2 or as given; columns are those of DOMAIN."""
    draw = np.random.default_rng(3)
    shares = [biased.get(name, 0.5) for name in DOMAIN.names]
    return Support.of(Dataset(DOMAIN, np.column_stack([draw.random(10_000) < share for share in shares]).astype(int)))


def today(bench: Bench) -> Study:
    return study_store.study(bench.service, bench.name)


def test_the_marginal_with_an_empty_cell_comes_first() -> None:
    """Nobody in the second table has c = 1 and e = 1; a quarter of the first has."""
    first = table()
    codes = np.repeat(first.codes, first.multiplicity, axis=0)
    second = Support.of(Dataset(DOMAIN, codes[~((codes[:, 2] == 1) & (codes[:, 4] == 1))]))
    assert chosen_part(PAIRS, [first, second], 1) == (("c", "e"),)


def test_without_empty_cells_the_marginals_that_differ_most_are_chosen_for_each_pair_in_turn() -> None:
    tables = [table(), table(a=0.9, b=0.9), table(d=0.1, f=0.1)]
    part = chosen_part(PAIRS, tables, 2)
    assert ("a", "b") in part
    assert ("d", "f") in part


def test_a_single_table_is_played_against_independence() -> None:
    first = table()
    codes = np.repeat(first.codes, first.multiplicity, axis=0)
    alone = Support.of(Dataset(DOMAIN, codes[codes[:, 1] == codes[:, 3]]))
    assert chosen_part(PAIRS, [alone], 1) == (("b", "d"),)


def test_a_part_of_all_marginals_is_the_workload_and_the_order_of_tables_changes_nothing() -> None:
    assert len(chosen_part(PAIRS, [table()], 99)) == len(PAIRS.marginals)
    tables = [table(), table(a=0.8)]
    part = chosen_part(PAIRS, tables, 4)
    assert len(part) == 4
    assert set(floor_workload(PAIRS, "part", part).marginals) <= set(PAIRS.marginals)


def test_a_plan_over_a_part_names_it_and_plans_of_before_keep_their_text(bench: Bench) -> None:
    current = today(bench)
    old = assessment_plan(current, bench.candidates[:1], epsilon="0.1")
    assert "part" not in old.canonical
    new = assessment_plan(
        current, bench.candidates[:1], epsilon="0.1", setting="part", part=part_of(bench.service, current)
    )
    assert AssessmentPlan.model_validate_json(new.canonical) == new
    assert new.sha256 != old.sha256
    for setting, part in (("part", ()), ("fast", (("age", "sex"),)), ("part", (("sex", "age"),))):
        with pytest.raises(PlanError):
            assessment_plan(current, bench.candidates[:1], epsilon="0.1", setting=setting, part=part)  # type: ignore[arg-type]


def test_the_first_purchase_fixes_the_part_for_all_candidates_whatever_comes_later(bench: Bench) -> None:
    current, (first, second, _) = today(bench), bench.candidates
    part = part_of(bench.service, current)[:2]
    plan = assessment_plan(current, [first], epsilon="0.2", setting="part", part=part)
    (outcome,) = buy(bench.service, bench.private, [AssessmentPurchase(plan)], tick=True)
    assert assessed(bench.service, current, outcome.booking).floor is not None
    assert part_of(bench.service, today(bench)) == part
    other = assessment_plan(current, [second], epsilon="0.2", setting="part", part=part[:1])
    charges = len(bench.service.ledger.history(bench.name))
    with pytest.raises(PlanError, match="another part"):
        buy(bench.service, bench.private, [AssessmentPurchase(other)], tick=True)
    assert len(bench.service.ledger.history(bench.name)) == charges


def test_the_first_of_two_purchases_at_once_fixes_the_part(bench: Bench) -> None:
    """While the first waits to be ready, another buys over another part: the ledger asks in its own transaction."""
    current, (first, second, _) = today(bench), bench.candidates
    part = part_of(bench.service, current)
    assert len(part) > 1
    plan, other = (
        assessment_plan(current, [candidate], epsilon="0.2", setting="part", part=chosen)
        for candidate, chosen in ((first, part[:1]), (second, part[1:]))
    )
    ready = bench.service.engine.readiness.require

    def meanwhile(tasks: Collection[str]) -> None:
        bench.service.engine.readiness.require = ready  # type: ignore[method-assign]
        buy(bench.service, bench.private, [AssessmentPurchase(other)], tick=True)
        ready(tasks)

    bench.service.engine.readiness.require = meanwhile  # type: ignore[method-assign]
    with pytest.raises(PlanError, match="another part"):
        buy(bench.service, bench.private, [AssessmentPurchase(plan)], tick=True)
    assert [one.plan_json for one in bench.service.ledger.bookings(bench.name)] == [other.canonical]


def test_a_schema_that_reads_cells_otherwise_has_a_part_of_its_own(bench: Bench) -> None:
    """Its domain and workload are the same, and its supports need not be."""
    asked: list[str] = []
    cache = bench.service.cache

    def noted(key: str, build: Callable[[], Built]) -> Built:
        asked.append(key)
        return cache(key, build)

    bench.service.cache = noted
    schemas = [today(bench).schema]
    part_of(bench.service, today(bench))
    assert schemas[0] is not None
    schemas.append(Schema.of(schemas[0].columns, ["cook?"], schemas[0].version))
    assert schemas[1].domain == schemas[0].domain
    study_store.save_schema(bench.service, bench.name, schemas[1])
    part_of(bench.service, today(bench))
    assert len({key for key in asked if key.startswith("floor part:")}) == 2


def test_a_marginal_from_outside_the_workload_is_refused_before_a_charge(bench: Bench) -> None:
    plan = assessment_plan(today(bench), bench.candidates[:1], epsilon="0.2", setting="part", part=(("sex",),))
    with pytest.raises(PlanError, match="lacks"):
        buy(bench.service, bench.private, [AssessmentPurchase(plan)], tick=True)
    assert bench.service.ledger.history(bench.name) == []


def test_small_public_sizes_are_advised_the_whole_workload(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert advised_scope(today(bench)) == "full"
    large = replace(today(bench))
    monkeypatch.setattr("pmwpub.service.choosing.floor_part.MOST_VISITS", 1)
    monkeypatch.setattr("pmwpub.service.choosing.floor_part.PART_MARGINALS", 1)
    assert advised_scope(large) == "part"
