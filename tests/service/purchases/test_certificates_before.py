"""What a certificate cannot state is refused before the charge; what cannot be written down after it ends in words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from buying import buy, current
from sqlalchemy import text

from pmwpub.errors import BudgetError, PlanError
from pmwpub.ledger import Population
from pmwpub.plans import ReleasePlan
from pmwpub.privacy.budget import as_fraction
from pmwpub.release.bundle import Bundle
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store

LONG = Fraction(1, 10**1001 + 1)


def plan_of(bench: Any, epsilon: str = "0.5") -> ReleasePlan:
    return releases.release_plan(
        bench.service, current(bench.service, bench.name), bench.candidates[:1], epsilon=epsilon, rounds=2
    )


@pytest.mark.parametrize("term", ["epsilon", "delta"])
def test_no_population_is_registered_or_amended_to_numbers_that_no_certificate_states(bench: Any, term: str) -> None:
    ledger = bench.service.ledger
    terms = {"epsilon": Fraction(1), "delta": Fraction(1, 1000)} | {term: LONG if term == "delta" else 1 + LONG}
    with pytest.raises(BudgetError, match="certificate"):
        ledger.register(Population("other", 300, 1, "one", **terms))
    with pytest.raises(BudgetError, match="certificate"):
        ledger.amend(bench.name, **{term: terms[term]})
    assert [one.name for one in ledger.populations()] == [bench.name]


def test_a_store_of_before_with_a_longer_delta_is_read_and_its_release_is_refused_uncharged(bench: Any) -> None:
    ledger = bench.service.ledger
    with ledger._database.writing() as connection:
        connection.execute(text("DROP TRIGGER IF EXISTS terms_no_update"))
        rows = {"delta": str(LONG), "name": bench.name}
        before = connection.execute(text("SELECT * FROM terms")).mappings().one()
        values = dict(before) | {"id": before["id"] + 1, "delta": rows["delta"]}
        columns = ", ".join(values)
        marks = ", ".join(f":{key}" for key in values)
        connection.execute(text(f"INSERT INTO terms ({columns}) VALUES ({marks})"), values)  # noqa: S608
    assert [one.delta for one in ledger.populations()] == [LONG]
    private = study_store.load_private(bench.service, bench.name, bench.private_csv)
    with pytest.raises(PlanError, match=r"could not be stated.*Nothing was charged"):
        buy(bench.service, private, plan_of(bench))
    assert ledger.history(bench.name) == []


@pytest.mark.parametrize(
    "number",
    ["1/" + "9" * 4299, "9" * 4299 + "/" + "9" * 4298, "1/1" + "0" * 400, Fraction(10**5000 + 1, 3), 10**5000],
    ids=["below", "both", "401", "fraction", "whole"],
)
def test_numbers_of_more_digits_than_any_use_has_are_refused_in_words(number: Any) -> None:
    with pytest.raises(BudgetError, match="finite number"):
        as_fraction(number)


def test_a_result_that_cannot_be_written_down_is_no_result_and_its_charge_stays(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> bytes:
        raise ValueError("no text for this")

    monkeypatch.setattr(Bundle, "of", fails)
    outcome = buy(bench.service, bench.private, plan_of(bench))
    assert outcome.status == "no result"
    assert [one.status for one in bench.service.ledger.history(bench.name)] == ["no result"]
    job = bench.service.engine.job(f"plan:{outcome.booking.key.plan_sha256}:0:{bench.name}")
    assert "Charge 1 of 'people' was made" in job.reason.words
