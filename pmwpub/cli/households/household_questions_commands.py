"""The commands `assess` and `error` under a schema of households."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pmwpub.cli.households.household_release import household_service, loaded_households
from pmwpub.cli.inputs import Json, no_result, read, tick_of, workload_choice
from pmwpub.cli.purchasing import reused, spent, stored_tables
from pmwpub.errors import PlanError
from pmwpub.ledger import Booking, Ledger
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.privacy.budget import as_fraction
from pmwpub.rounding import above
from pmwpub.service import Service, Study, adopting, purchases
from pmwpub.service.bought.best_candidate import too_close
from pmwpub.service.households import household_questions as questions
from pmwpub.service.households.household_loading import HouseholdTable, adopt_households
from pmwpub.service.households.household_questions import HouseholdError
from pmwpub.service.households.household_unit import check_unit
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import purchase_of
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.households.household_schema import HouseholdSchema

UNTAKEN: Mapping[str, object] = {
    "pool": [],
    "precision": None,
    "fast": False,
    "part": False,
    "full": False,
    "compare": False,
    "expect": None,
    "prefixes": None,
    "count_on": None,
}
"""What an assessment of households does not take, and what stands there where nobody said it."""


@dataclass(frozen=True, eq=False)
class _AskedOfHomes:
    """What a command asks of: the service, what it books, the population's state, the private table, candidates."""

    parsed: argparse.Namespace
    service: Service
    own: list[Booking]
    current: Study
    schema: HouseholdSchema
    private: HouseholdTable
    candidates: Sequence[str]

    def name(self, candidate: str) -> str:
        return self.current.known_names((candidate,))


def household_assess(parsed: argparse.Namespace) -> Json:
    """`assess`: the noisy floor and start of each candidate's households, or the choice of the best of them."""
    _refuse_untaken(parsed, UNTAKEN)
    if parsed.private is None or not parsed.public or parsed.epsilon is None:
        raise PlanError(
            "What is asked about households needs --private P.csv, --public A.csv and --epsilon. Nothing was charged."
        )
    schema = HouseholdSchema.from_json(read(parsed.schema))
    with Ledger.open(parsed.store) as ledger:
        asked = _asked(parsed, ledger, schema)
        found = _best(asked) if parsed.best else _assessed(asked)
        return found | spent(ledger, parsed.population, asked.own)


def _asked(parsed: argparse.Namespace, ledger: Ledger, schema: HouseholdSchema) -> _AskedOfHomes:
    (service, own), name, choice = household_service(parsed, ledger), parsed.population, workload_choice(parsed)
    adopt_households(service, name, schema, choice)
    files = Files(parsed.read, [parsed.private, *parsed.public])
    private = loaded_households(service, name, files, parsed.private, schema)
    candidates = dict.fromkeys(stored_tables(parsed, service, files, parsed.public, private).values())
    current = adopting.adopted(service, name, schema.persons, choice)
    return _AskedOfHomes(parsed, service, own, current, schema, private, list(candidates))


def _assessed(asked: _AskedOfHomes) -> Json:
    """Floor and start of each candidate; nothing is charged unless all of them can be."""
    parsed = asked.parsed
    plans = [
        questions.household_assessment_plan(
            asked.current,
            asked.schema,
            one,
            epsilon=parsed.epsilon,
            private=asked.private,
            floor=not parsed.no_floor,
            start=not parsed.no_start,
        )
        for one in asked.candidates
    ]
    outcomes = purchases.buy(
        asked.service,
        asked.private,
        [purchase_of(plan) for plan in plans],
        repeat=parsed.repeat,
        tick=tick_of(parsed),
        current=asked.current,
    )
    if all(outcome.result is None for outcome in outcomes):
        raise no_result(outcomes[0])
    found = [questions.read_household_assessment(outcome)[1] for outcome in outcomes]
    floors = [parts["floor"].households for parts in found if "floor" in parts]
    groups = iter(too_close(floors))
    lines = []
    for candidate, outcome, parts in zip(asked.candidates, outcomes, found, strict=True):
        line: Json = {"candidate": asked.name(candidate), "status": outcome.status}
        for part in ("floor", "start"):
            line[part] = number_of_households(parts[part]) if part in parts else None
        lines.append(line | {"too_close_to_call": next(groups) if "floor" in parts else None})
    return {"assessments": lines}


def _best(asked: _AskedOfHomes) -> Json:
    """One choice: by the floors, or with --no-floor by the errors of the households as they are."""
    parsed = asked.parsed
    if parsed.no_start:
        raise PlanError("A choice of households is by floors; with --no-floor by the tables as they are.")
    plan = questions.household_best_plan(
        asked.current,
        asked.schema,
        asked.candidates,
        epsilon=parsed.epsilon,
        private=asked.private,
        by="start" if parsed.no_floor else "floor",
    )
    (outcome,) = purchases.buy(
        asked.service,
        asked.private,
        [purchase_of(plan)],
        repeat=parsed.repeat,
        tick=tick_of(parsed),
        current=asked.current,
    )
    _, chosen = questions.read_household_choice(outcome)
    if chosen is None:
        raise no_result(outcome)
    names = [asked.name(one) for one in plan.inputs.candidates]
    best = {"candidate": asked.name(chosen), "epsilon": above(plan.exact_epsilon), "candidates": names, "by": plan.by}
    return {"best": best} | reused(outcome)


def household_error(parsed: argparse.Namespace) -> Json:
    """`error`: buy the noisy error of a stored release of households."""
    _refuse_untaken(parsed, {"count_on": None})
    schema, name = HouseholdSchema.from_json(read(parsed.schema)), parsed.population
    with Ledger.open(parsed.store) as ledger:
        service, own = household_service(parsed, ledger)
        check_unit(ledger.population(name), schema.largest)
        study_store.save_schema(service, name, schema.persons)
        private = loaded_households(service, name, Files(parsed.read, [parsed.private]), parsed.private, schema)
        release = questions.named_households(parsed.release, parsed.draw)
        plan = questions.household_error_plan(service, name, release, epsilon=parsed.epsilon, private=private)
        (outcome,) = purchases.buy(service, private, [purchase_of(plan)], repeat=parsed.repeat)
        _, found = questions.read_household_error(outcome)
        if found is None:
            raise no_result(outcome)
        stated = {"release": release.plan_sha256, "draw": release.repeat}
        return {"error": number_of_households(found)} | stated | spent(ledger, name, own) | reused(outcome)


def number_of_households(found: HouseholdError) -> Json:
    """A noisy error in both of its units, as it is printed."""
    said: Json = {"share_of_households": _ends(found.households), "persons_per_household": _ends(found.persons)}
    one = found.households
    said |= {"confidence": one.confidence, "epsilon": above(as_fraction(one.epsilon))}
    return said | {"remarks": list(found.remarks)}


def _ends(number: NoisyInterval) -> Json:
    return {"value": number.value, "low": number.low, "high": number.high}


def _refuse_untaken(parsed: argparse.Namespace, untaken: Mapping[str, object]) -> None:
    said = [name for name, unsaid in untaken.items() if getattr(parsed, name) != unsaid]
    if said:
        flags = ", ".join("--" + name.replace("_", "-") for name in said)
        raise PlanError(f"What is asked about households does not take {flags}; leave it out. Nothing was charged.")
