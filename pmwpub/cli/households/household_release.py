"""The command `release` under a schema of households."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from pmwpub.cli.inputs import Json, no_result, progress, read, spent_json, store_files, tick_of, workload_choice
from pmwpub.cli.inputs import write_released as written
from pmwpub.cli.purchasing import reused, say_as_written, spent, stored_tables
from pmwpub.errors import FileRefused, PlanError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Booking, DryLedger, Ledger
from pmwpub.outputs import apart, made_folder, writable
from pmwpub.plans import HouseholdRoundPlan
from pmwpub.plans.household_round_plans import AnyHouseholdPlan
from pmwpub.release.households.household_files import HOUSEHOLD_FILES, REPORT, ROUND_FILES
from pmwpub.release.notebooks.analyst_notebook import NOTEBOOK
from pmwpub.release.notebooks.household_notebook import with_household_notebook
from pmwpub.release.synthesis import check_drawn
from pmwpub.service import Policy, Service, Study, adopting, purchases
from pmwpub.service.bought.releases import PmwPubSettings
from pmwpub.service.households.household_loading import HouseholdTable, adopt_households, load_households
from pmwpub.service.households.household_outlook import PublicPart, household_noise
from pmwpub.service.households.household_releases import household_bundle, household_plan, household_round_plan
from pmwpub.service.inputs.shared_rows import CHANGED
from pmwpub.service.purchases.households.household_purchase import public_of
from pmwpub.service.records.signed_files import SIGNATURE, declared_key, signed
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import PublicHouseholds

UNTAKEN = {
    "grow": False,
    "three_way": False,
    "ranges": None,
    "criteria": None,
    "cells": "labels",
    "columns": "attributes",
    "prefixes": None,
    "count_on": None,
    "free_table_acknowledged": False,
}
"""What a release of households does not take, and what stands there where nobody said it."""

SettingOfRounds = Literal["rounds", "selection", "output", "start", "replay"]
OF_ROUNDS: tuple[SettingOfRounds, ...] = get_args(SettingOfRounds)
"""What only PMW^Pub takes."""


def household_release(parsed: argparse.Namespace) -> Json:
    """`release`: buy a release of households, write its files, print the certificate; or what it would cost."""
    _refuse_untaken(parsed)
    schema = HouseholdSchema.from_json(read(parsed.schema))
    if parsed.dry_run:
        with DryLedger.open(parsed.store) as ledger, ledger.recalling():
            terms = ledger.population(parsed.population)
            check_drawn(terms.n if parsed.rows is None else parsed.rows, parsed.row_seed)
            service, _, current, plan, private = _planned(parsed, ledger, schema)
            return _priced(parsed, service, current, plan, private, schema)
    folder = Path((parsed.out or "").strip() or ".")
    if not (parsed.out or "").strip():
        raise FileRefused("Name the folder that the files are written to (-o). Nothing was charged.")
    names = ROUND_FILES if _by_rounds(parsed) else (*HOUSEHOLD_FILES, REPORT, NOTEBOOK)
    places = [folder / name for name in (*names, SIGNATURE)]
    key = declared_key()  # one that is none is refused before anything is charged
    apart(places, [parsed.private, *parsed.public, parsed.schema, *store_files(parsed.store)])
    with Ledger.open(parsed.store) as ledger, ledger.recalling(), ExitStack() as output:
        terms = ledger.population(parsed.population)
        check_drawn(terms.n if parsed.rows is None else parsed.rows, parsed.row_seed)
        output.enter_context(made_folder(folder))
        writable(places)
        service, own, current, plan, private = _planned(parsed, ledger, schema)
        _say_left_out(service, current, plan, schema)
        wanted = [purchases.purchase_of(plan)]
        (outcome,) = purchases.buy(
            service, private, wanted, repeat=parsed.repeat, tick=tick_of(parsed), current=current
        )
        bundle = household_bundle(service, outcome.booking)
        if bundle is None:
            raise no_result(outcome)
        files = bundle.files(parsed.rows, parsed.row_seed)
        written(folder, signed(with_household_notebook(bundle, files), key))
        certificate = bundle.certificate.with_files(files, parsed.rows or terms.n, parsed.row_seed)
        return certificate.model_dump(mode="json") | spent(ledger, parsed.population, own) | reused(outcome)


def household_service(parsed: argparse.Namespace, ledger: Ledger) -> tuple[Service, list[Booking]]:
    """The service, and what this command books, which whoever runs the command knows as `parsed.booked`."""
    own: list[Booking] = []
    parsed.booked = own
    engine = InlineEngine(lambda job: progress(job.done, job.total))
    policy = Policy.declared("localhost").beside(ledger)
    return Service(ledger, engine, on_booked=own.append, policy=policy), own


def loaded_households(service: Service, name: str, files: Files, path: str, schema: HouseholdSchema) -> HouseholdTable:
    """The private table, grouped; a refusal names its file. What the steward should know of it is said."""
    with files.naming(path):
        private = load_households(service, name, files.table(path), schema)
    say_as_written(files, path, schema.persons)
    if private.verdict is not None and private.verdict.kind == "changed":
        print(f"pmwpub: for the steward only: {CHANGED}", file=sys.stderr)
    return private


def _refuse_untaken(parsed: argparse.Namespace) -> None:
    if parsed.engine not in (None, "pmw-pub", "table-fit"):
        raise PlanError("A release of households is by table-fit or by pmw-pub. Nothing was charged.")
    said = [name for name, unsaid in UNTAKEN.items() if getattr(parsed, name) != unsaid]
    if parsed.engine == "table-fit":
        said += _settings(parsed)
    if said:
        flags = ", ".join("--" + name.replace("_", "-") for name in said)
        raise PlanError(f"A release of households does not take {flags}; leave it out. Nothing was charged.")
    if len(set(parsed.public)) != 1:
        raise PlanError("A release of households takes one public table, whose households are copied.")


def _by_rounds(parsed: argparse.Namespace) -> bool:
    """PMW^Pub, where it is named or a setting of it is; table fit where nothing is said."""
    return parsed.engine == "pmw-pub" or (parsed.engine is None and bool(_settings(parsed)))


def _settings(parsed: argparse.Namespace) -> PmwPubSettings:
    given = {name: getattr(parsed, name) for name in OF_ROUNDS}
    return {name: value for name, value in given.items() if value is not None}  # type: ignore[return-value]


def _planned(
    parsed: argparse.Namespace, ledger: Ledger, schema: HouseholdSchema
) -> tuple[Service, list[Booking], Study, AnyHouseholdPlan, HouseholdTable]:
    """The service, what this command books, the population's state, the plan, and the private table."""
    (service, own), name, choice = household_service(parsed, ledger), parsed.population, workload_choice(parsed)
    adopt_households(service, name, schema, choice)
    files = Files(parsed.read, [parsed.private, *parsed.public])
    private = loaded_households(service, name, files, parsed.private, schema)
    candidates = stored_tables(parsed, service, files, parsed.public, private)
    current = adopting.adopted(service, name, schema.persons, choice)
    planned = partial(household_round_plan, settings=_settings(parsed)) if _by_rounds(parsed) else household_plan
    plan = planned(service, current, schema, list(candidates.values()), epsilon=parsed.epsilon, private=private)
    return service, own, current, plan, private


def _say_left_out(service: Service, current: Study, plan: AnyHouseholdPlan, schema: HouseholdSchema) -> None:
    """Say before the charge which public households no release can copy."""
    key = plan.inputs.candidates[0]
    part = PublicPart.of(current.candidate(key).name, public_of(service, current, key, schema))
    if words := part.left_out(schema.largest):
        print(f"pmwpub: of {part.name} {part.households:,} whole households are copied. {words}", file=sys.stderr)


def _priced(
    parsed: argparse.Namespace,
    service: Service,
    current: Study,
    plan: AnyHouseholdPlan,
    private: HouseholdTable,
    schema: HouseholdSchema,
) -> Json:
    """What the release would cost, and the noise of its answers; nothing is charged or written."""
    wanted = [purchases.purchase_of(plan)]
    purchases.refuse_closed(service, current, wanted, private=private, repeat=parsed.repeat)
    price = purchases.price(service, current, wanted, private=private, repeat=parsed.repeat)
    public = public_of(service, current, plan.inputs.candidates[0], schema)
    return {
        "plan": plan.sha256,
        "price": spent_json(price.rho, current.balance),
        "affordable": price.affordable,
        "noise": _noise(plan, schema, public),
        "public": public.facts,
    }


def _noise(plan: AnyHouseholdPlan, schema: HouseholdSchema, public: PublicHouseholds) -> Json:
    """The standard deviation on a count of persons, and on one of households: of each level's median table.

    Of tables also, as `half_width_95`, what the Release page says: in shares and in persons per household.
    """
    if isinstance(plan, HouseholdRoundPlan):
        rounds = plan.schedule()
        return {"persons": float(rounds.share.measurement.scale), "households": float(rounds.own.scale)}
    schedule = plan.schedule(schema, public.households)
    persons, own = (sorted(float(law.scale) for law in part.noises) for part in (schedule.persons, schedule.own))
    half_widths = household_noise(schedule, public.households).half_widths
    return {"persons": persons[len(persons) // 2], "households": own[len(own) // 2], "half_width_95": half_widths}
