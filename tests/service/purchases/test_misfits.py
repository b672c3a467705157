"""Buying a look at the fit: its price and limit, what is stored, and that everything fails closed."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import buying
import numpy as np
import pytest
from service.conftest import Bench

from pmwpub.errors import FileRefused, NoResult, PlanError, SchemaError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import MisfitPlan
from pmwpub.privacy.budget import ZCDP
from pmwpub.progress import Progress
from pmwpub.service import Service, purchases
from pmwpub.service.bought import misfit_remedies, misfit_shares
from pmwpub.service.bought.misfit_shares import FitSeen, misfit_plan
from pmwpub.service.inputs import reviewing, study_store
from pmwpub.service.rules import rule_editing
from pmwpub.service.steward_only.recorded_numbers import PRIVATE_NUMBERS_SEEN
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tasks import mechanism_work

WIDE = "0.3"


def plan_of(bench: Bench, *columns: str, half_width: str = WIDE) -> MisfitPlan:
    return misfit_plan(study_store.study(bench.service, bench.name), columns or ("sex", "job"), half_width=half_width)


def spent(bench: Bench) -> ZCDP:
    return bench.service.ledger.balance(bench.name).spent


def seen(bench: Bench) -> list[FitSeen]:
    return misfit_shares.looks(bench.service, bench.name)


def test_what_is_charged_is_the_price_of_the_formula_under_words_of_its_own(bench: Bench) -> None:
    """n = 300, half-width 0.3: h = 90 rows, sigma = 2250/49, rho = 3/(2 sigma^2) = 7203/10125000."""
    plan = plan_of(bench)
    buying.buy(bench.service, bench.private, plan)
    assert spent(bench) == ZCDP.at_least(Fraction(7203, 10_125_000))
    (record,) = bench.service.ledger.history(bench.name)
    assert record.purpose == "look at the fit of 2 columns, ±30 points"
    assert record.mechanism == "misfit counts, discrete Gaussian"
    assert record.sensitivity == "sqrt(3) rows in L2"
    assert record.scale == "2250/49 rows"


def test_the_stored_shares_are_those_of_the_private_file(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """60 of 300 rows have a sex that the schema does not know, 30 of these and no other an unknown job."""
    lines = bench.private_csv.decode().splitlines()
    for place in range(1, 61):
        _, age, job = lines[place].split(",")
        lines[place] = f"Frau,{age},{'poet' if place <= 30 else job}"
    private = study_store.load_private(bench.service, bench.name, ("\n".join(lines) + "\n").encode())
    monkeypatch.setattr(mechanism_work, "misfit_release", lambda counts, law: counts.counts)
    buying.buy(bench.service, private, plan_of(bench))
    (look,) = seen(bench)
    assert [(one.column, one.value) for one in look.columns] == [("sex", 0.2), ("job", 0.1)]
    assert look.overall is not None
    assert (look.overall.value, look.overall.low, look.overall.high) == (0.2, 0.0, 0.5)
    assert (look.confidence, look.half_width) == (0.95, 0.3)


@pytest.mark.parametrize("by_path", [False, True])
def test_a_file_that_is_read_in_another_way_is_looked_at_as_it_was_loaded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by_path: bool
) -> None:
    """Semicolons and cp1252: 30 of 300 rows are Frauen, with an umlaut in their job."""
    lines = bench.private_csv.decode().splitlines()
    lines[1:31] = [f"Frau,{line.split(',')[1]},Bäcker" for line in lines[1:31]]
    content = "\n".join(lines).replace(",", ";").encode("cp1252")
    path = tmp_path / "private.csv"
    path.write_bytes(content)
    options = ReadOptions("cp1252", ";")
    private = study_store.load_private(bench.service, bench.name, path if by_path else content, options=options)
    monkeypatch.setattr(mechanism_work, "misfit_release", lambda counts, law: counts.counts)
    buying.buy(bench.service, private, plan_of(bench))
    (look,) = seen(bench)
    assert [(one.column, one.value) for one in look.columns] == [("job", 0.1), ("sex", 0.1)]
    assert look.plan.private_read_as == "cp1252,semicolon"


def test_a_file_that_changed_since_it_was_loaded_is_refused_uncharged(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "private.csv"
    path.write_bytes(bench.private_csv)
    private = study_store.load_private(bench.service, bench.name, path)
    path.write_bytes(bench.private_csv.replace(b"F,", b"M,", 1))
    with pytest.raises(FileRefused, match="changed"):
        buying.buy(bench.service, private, plan_of(bench))
    assert seen(bench) == []
    assert spent(bench) == ZCDP(0)


def test_noisy_shares_lie_near_the_true_ones_and_the_same_plan_is_drawn_once(bench: Bench) -> None:
    plan = plan_of(bench, half_width="0.1")
    first = buying.buy(bench.service, bench.private, plan)
    once = spent(bench)
    again = buying.buy(bench.service, bench.private, plan_of(bench, "job", "sex", half_width="1/10"))
    assert (first.fresh, again.fresh, first.result) == (True, False, again.result)
    assert spent(bench) == once
    (look,) = seen(bench)
    assert all(abs(one.value) < 0.6 for one in look.columns)
    assert buying.buy(bench.service, bench.private, plan, repeat=1).result != first.result
    assert spent(bench) == once + once


def test_what_is_stored_is_noisy_shares_alone(bench: Bench) -> None:
    outcome = buying.buy(bench.service, bench.private, plan_of(bench))
    assert outcome.result is not None
    body = json.loads(outcome.result)
    assert set(body) == {"misfits", "confidence", "remarks"}
    assert [set(one) for one in body["misfits"]] == [{"column", "value", "low", "high"}] * 3
    assert [one["column"] for one in body["misfits"]] == ["job", "sex", None]


def test_the_charge_stands_before_the_noise_is_drawn(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[ZCDP] = []
    real = mechanism_work.misfits

    def watched(payload: mechanism_work.MisfitWork, progress: Progress) -> object:
        with Ledger.open(bench.url) as other:
            found.append(other.balance(bench.name).spent)
        return real(payload, progress)

    monkeypatch.setattr(mechanism_work, "misfits", watched)
    price = buying.price(bench.service, bench.private, plan_of(bench))
    buying.buy(bench.service, bench.private, plan_of(bench))
    assert found == [price.rho]


def test_a_crash_keeps_the_charge_and_shows_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise MemoryError

    monkeypatch.setattr(mechanism_work, "misfit_release", broken)
    plan = plan_of(bench)
    price = buying.price(bench.service, bench.private, plan).rho
    with pytest.raises((NoResult, MemoryError)):
        buying.buy(bench.service, bench.private, plan)
    assert spent(bench) == price
    (look,) = seen(bench)
    assert (look.outcome.status, look.overall, look.columns) == ("no result", None, ())
    assert look.words == ()


def test_what_costs_more_than_a_twentieth_of_the_grant_is_not_sold_and_says_what_is(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanism_work, "misfits", lambda *_: pytest.fail("drawn without a charge"))
    current = study_store.study(bench.service, bench.name)
    offered = purchases.misfit_offer(current, ["sex", "job"], "0.01")
    assert "% of the grant. More than 5 % is not sold" in offered.refusal
    assert offered.narrowest is not None
    assert f"Take {purchases.in_points(offered.narrowest)} or more" in offered.refusal
    with pytest.raises(PlanError, match="not sold"):
        buying.buy(bench.service, bench.private, plan_of(bench, half_width="0.01"))
    assert spent(bench) == ZCDP(0)
    least = purchases.misfit_offer(current, ["sex", "job"], str(offered.narrowest))
    assert least.refusal == ""
    assert least.rho.rho <= current.balance.total.rho / 20
    narrower = purchases.misfit_offer(current, ["sex", "job"], str(offered.narrowest - Fraction(1, 300)))
    assert narrower.rho.rho > current.balance.total.rho / 20
    assert narrower.refusal


def test_the_limit_is_of_what_is_granted_not_of_what_is_left(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    before = purchases.misfit_offer(current, ["sex"], WIDE)
    buying.buy(bench.service, bench.private, plan_of(bench))
    later = purchases.misfit_offer(study_store.study(bench.service, bench.name), ["sex"], WIDE)
    assert before == later


def test_another_schema_other_terms_and_unknown_columns_are_refused_uncharged(bench: Bench) -> None:
    plan = plan_of(bench)
    with pytest.raises(PlanError, match="terms"):
        buying.buy(bench.service, bench.private, plan.model_copy(update={"n": 299}))
    with pytest.raises(PlanError, match="schema changed"):
        buying.buy(bench.service, bench.private, plan.model_copy(update={"schema_sha256": "0" * 64}))
    with pytest.raises(SchemaError, match="no attribute"):
        buying.buy(bench.service, bench.private, plan.model_copy(update={"columns": ("name",)}))
    for columns in ((), ("name",)):
        with pytest.raises(SchemaError, match="attributes"):
            misfit_plan(study_store.study(bench.service, bench.name), columns)
    assert spent(bench) == ZCDP(0)


def test_a_half_width_that_is_none_is_refused(bench: Bench) -> None:
    for nonsense in ("0", "0.6", "-0.1", "0.001"):
        with pytest.raises(PlanError, match="half-width"):
            plan_of(bench, half_width=nonsense)


def test_no_public_table_takes_part_so_the_steward_is_asked_nothing(bench: Bench) -> None:
    wanted = [purchases.purchase_of(plan_of(bench))]
    assert not purchases.asks(study_store.study(bench.service, bench.name), wanted)


def test_a_look_that_was_bought_after_private_numbers_were_seen_says_so(bench: Bench) -> None:
    buying.buy(bench.service, bench.private, plan_of(bench))
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "the true errors")
    buying.buy(bench.service, bench.private, plan_of(bench, "sex"))
    assert [len(one.remarks) for one in seen(bench)] == [0, 1]


def test_risky_columns_are_those_of_the_public_schema_in_order(bench: Bench) -> None:
    found = reviewing.risky(bench.service, study_store.study(bench.service, bench.name))
    assert [risk.column for risk in found] == ["sex", "job", "age"]


def test_public_shares_stand_beside_the_noisy_ones_and_cost_nothing(bench: Bench) -> None:
    """No public table has a misfit under the schema that was drafted from all three."""
    current = study_store.study(bench.service, bench.name)
    found = reviewing.public_shares(bench.service, current, ["sex", "job", "gone"])
    assert found == {"job": 0.0, "sex": 0.0}
    assert spent(bench) == ZCDP(0)


def test_a_payload_shows_nothing_private(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    prepared = purchases.purchase_of(plan_of(bench)).prepared(bench.service, bench.private, current, 0)
    assert "counts" not in repr(prepared.work())
    assert "array" not in repr(prepared.work())


def test_words_say_what_is_evident_and_what_may_be_none(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(Ledger.open(bench.url), InlineEngine())
    noisy = np.array([-4, 123, 140])
    monkeypatch.setattr(mechanism_work, "misfit_release", lambda counts, law: noisy)
    buying.buy(bench.service, bench.private, plan_of(bench, half_width="0.1"))
    (look,) = misfit_shares.looks(service, bench.name)
    assert look.words == (
        "About 41.0 % (±10.0) of the rows have a value in sex that the schema does not fit.",
        "At most 10.0 % of the rows have a value in job that the schema does not fit; there may be none.",
        "About 46.7 % (±10.0) of the rows have such a value in one or more of these columns.",
    )
    schema = study_store.study(service, bench.name).schema
    assert schema is not None
    assert "spellings" in misfit_remedies.remedy(schema, "sex")
    assert "edges" in misfit_remedies.remedy(schema, "age")
    assert misfit_remedies.remedy(schema, "gone") == ""
    service.ledger.close()


def test_k_rows_a_person_cost_k_squared(service: Service) -> None:
    prices = []
    for k in (1, 3):
        service.ledger.register(Population(f"k{k}", 300, k, "one person", Fraction(9), Fraction(1, 10**5)))
        body = b"sex\n" + b"F\nM\n" * 50
        study_store.add_candidate(service, f"k{k}", "b.csv", body, attested=True)
        study_store.save_schema(service, f"k{k}", study_store.draft_schema(service, f"k{k}"))
        prices.append(purchases.misfit_offer(study_store.study(service, f"k{k}"), ["sex"], WIDE).rho.rho)
    assert prices[1] == pytest.approx(9 * prices[0], rel=1e-9)


def ruled(bench: Bench) -> Bench:
    """The same with a rule in the schema, and the private table loaded under it."""
    current = study_store.study(bench.service, bench.name)
    rule_editing.add(bench.service, current, 'sex = "F" implies job != "smith"')
    return replace(bench, private=study_store.load_private(bench.service, bench.name, bench.private_csv))


def test_the_rows_that_break_a_rule_are_sold_as_one_column_more(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = ruled(bench)
    current = study_store.study(bench.service, bench.name)
    plan = misfit_plan(current, ["sex"], half_width=WIDE, rules=True)
    assert plan.law.columns == 2
    offered = purchases.misfit_offer(current, ["sex"], WIDE, rules=True)
    assert offered.rho == purchases.misfit_offer(current, ["sex", "job"], WIDE).rho
    monkeypatch.setattr(mechanism_work, "misfit_release", lambda counts, law: counts.counts)
    buying.buy(bench.service, bench.private, plan)
    (look,) = seen(bench)
    lines = [line.split(",") for line in bench.private_csv.decode().splitlines()[1:]]
    broken = sum(sex == "F" and job == "smith" for sex, _, job in lines) / len(lines)
    assert broken > 0
    assert look.rules is not None
    assert look.rules.value == pytest.approx(broken)
    assert [one.column for one in look.columns] == ["sex"]
    assert "break a rule of the schema" in look.words[-2]
    (record,) = bench.service.ledger.history(bench.name)
    assert record.purpose == "look at the fit of 1 column and the rules, ±30 points"
    assert spent(bench) == offered.rho


def test_rules_that_a_schema_lacks_are_not_sold_and_plans_without_them_keep_their_text(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    assert '"rules"' not in plan_of(bench).canonical
    for ask in (
        lambda: misfit_plan(current, ["sex"], rules=True),
        lambda: purchases.misfit_offer(current, ["sex"], WIDE, rules=True),
        lambda: buying.buy(bench.service, bench.private, plan_of(bench).model_copy(update={"rules": True})),
    ):
        with pytest.raises(SchemaError, match="no rules"):
            ask()
    assert spent(bench).units == 0
