"""The command `release`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Literal, get_args

from pmwpub.cli.households.household_release import household_release
from pmwpub.cli.inputs import Json, no_result, one_line, read, spent_json, store_files, tick_of, write_released
from pmwpub.cli.purchasing import opened_service, prepared, reused, spent
from pmwpub.cli.weighing.public_weights_said import public_weights_json, say_public_weights
from pmwpub.errors import FileRefused, PlanError
from pmwpub.ledger import DryLedger, Ledger
from pmwpub.outputs import apart, made_folder, writable
from pmwpub.plans import AnyReleasePlan, UnchangedPlan
from pmwpub.plans.criteria import Criterion, criteria_of
from pmwpub.privacy.budget import ZCDP
from pmwpub.release.bundle import ALL_FILES, VALUES, Bundle
from pmwpub.release.notebooks.analyst_notebook import NO_NOTEBOOK, NOTEBOOK, with_notebook
from pmwpub.release.reporting.late_report import lacking
from pmwpub.release.synthesis import check_drawn
from pmwpub.service import PrivateTable, Service, Study, purchases
from pmwpub.service.accepting.acceptances import price_before
from pmwpub.service.bought import releases
from pmwpub.service.bought.engine_choice import ChosenPlan, chosen_plan
from pmwpub.service.choosing.outlook import bought_start, outlook
from pmwpub.service.purchases import purchase_of
from pmwpub.service.records.signed_files import SIGNATURE, declared_key, signed
from pmwpub.service.unchanged_release import is_published, publish_unchanged
from pmwpub.tabular.households.household_schema import is_household_schema

SettingName = Literal["rounds", "selection", "output", "start", "replay"]
FREE = "The public table is published as it is: nothing is measured, so it is free and has no noise."
SETTINGS: tuple[SettingName, ...] = get_args(SettingName)


def release(parsed: argparse.Namespace) -> Json:
    """`release`: run the engine, write its files, print the certificate; with --dry-run, what it would be worth."""
    if is_household_schema(read(parsed.schema)):
        return household_release(parsed)
    if parsed.dry_run:
        return _planned(parsed)
    if not (parsed.out or "").strip():
        raise FileRefused("Name the folder that the files are written to (-o). Nothing was charged.")
    folder = Path(parsed.out)
    places = [folder / name for name in (*ALL_FILES, VALUES, SIGNATURE, NOTEBOOK)]
    key = declared_key()  # one that is none is refused before anything is charged
    apart(places, [parsed.private, *parsed.public, parsed.schema, parsed.criteria, *store_files(parsed.store)])
    with Ledger.open(parsed.store) as ledger, ledger.recalling(), ExitStack() as output:
        terms = ledger.population(parsed.population)
        check_drawn(terms.n if parsed.rows is None else parsed.rows, parsed.row_seed)
        output.enter_context(made_folder(folder))
        writable(places)
        service, own = opened_service(parsed, ledger)
        current, private, candidates = prepared(parsed, service)
        say_public_weights(current, candidates)
        chosen = _chosen(parsed, service, current, private, candidates)
        bundle, earlier = _bought(parsed, service, current, private, chosen)
        files = bundle.files(parsed.rows, parsed.row_seed, parsed.cells, parsed.columns)
        handed = with_notebook(bundle, files)
        write_released(folder, signed(handed, key))
        certificate = bundle.stated(files, parsed.rows, parsed.row_seed, parsed.cells, parsed.columns)
        said = {"engine_chosen": chosen.why} if chosen.why else {}
        said |= {"lacking": words} if (words := _lacking(bundle, handed)) else {}
        return certificate.model_dump(mode="json") | spent(ledger, parsed.population, own) | earlier | said


def _lacking(bundle: Bundle, handed: Mapping[str, bytes]) -> str:
    """What could not be made of a release, in words; "" where everything was."""
    return " ".join(filter(None, (lacking(bundle), "" if NOTEBOOK in handed else NO_NOTEBOOK)))


def _bought(
    parsed: argparse.Namespace, service: Service, current: Study, private: PrivateTable, chosen: ChosenPlan
) -> tuple[Bundle, Json]:
    """The files of a chosen plan, and whether they were stored earlier; a public table unchanged is not bought."""
    plan, tick = chosen.plan, tick_of(parsed)
    if isinstance(plan, UnchangedPlan):
        if parsed.repeat:
            raise PlanError("A public table unchanged has no draws, so there is no --repeat. Nothing was charged.")
        before = is_published(service, current, plan)
        found = publish_unchanged(service, current, plan, private=private, tick=tick, why=chosen.why)
        return found.bundle, {"stored_earlier": before}
    bought, worth = [purchase_of(plan)], parsed.free_table_acknowledged
    (outcome,) = purchases.buy(
        service, private, bought, repeat=parsed.repeat, tick=tick, free_tick=worth, current=current
    )
    bundle = releases.released(service, current, outcome.booking).bundle
    if bundle is None:
        raise no_result(outcome)
    return bundle, reused(outcome)


def _chosen(
    parsed: argparse.Namespace, service: Service, current: Study, private: PrivateTable, candidates: Sequence[str]
) -> ChosenPlan:
    return chosen_plan(
        service,
        current,
        candidates,
        _settings(parsed),
        engine=parsed.engine,
        epsilon=parsed.epsilon,
        grow=parsed.grow,
        three_way=parsed.three_way,
        ranges=one_line(parsed.ranges) if parsed.ranges else (),
        private_read_as=private.read_as,
        criteria=_criteria(parsed),
    )


def _criteria(parsed: argparse.Namespace) -> tuple[Criterion, ...]:
    if parsed.criteria is None:
        return ()
    if not (criteria := criteria_of(read(parsed.criteria))):
        raise PlanError(f"No criterion stands in {parsed.criteria}. Nothing was charged.")
    return criteria


def _planned(parsed: argparse.Namespace) -> Json:
    """What the release would cost and be worth; nothing is charged or stored, and no file is written."""
    with DryLedger.open(parsed.store) as ledger, ledger.recalling():
        check_drawn(ledger.population(parsed.population).n if parsed.rows is None else parsed.rows, parsed.row_seed)
        service, _ = opened_service(parsed, ledger)
        current, private, candidates = prepared(parsed, service)
        chosen = _chosen(parsed, service, current, private, candidates)
        plan, said = chosen.plan, {"engine_chosen": chosen.why} if chosen.why else {}
        said |= public_weights_json(current, candidates)
        if isinstance(plan, UnchangedPlan):
            return _unchanged_planned(plan, current, bought_start(service, current, candidates)) | said
        purchases.refuse_closed(service, current, [purchase_of(plan)], private=private, repeat=parsed.repeat)
        price = purchases.price(service, current, [purchase_of(plan)], private=private, repeat=parsed.repeat)
        found = outlook(service, current, plan)
        counted_in = found.counted_in.replace(" ", "_")
        return {
            "plan": plan.sha256,
            "price": spent_json(price.rho, current.balance),
            "affordable": price.affordable,
            "noise": {"of": f"a typical {found.measured}", counted_in: found.noise_rows, "share": found.noise_share},
            "expected_error": None if found.expected is None else asdict(found.expected),
            "unchanged": found.start,
            "expected_to_beat_unchanged": found.gains,
            "words": [
                words
                for words in (found.noise_words, found.drowned_words, found.error_words, found.gain_words)
                if words
            ],
        } | (said | _acceptance(current, plan))


def _acceptance(current: Study, plan: AnyReleasePlan) -> Json:
    """What holding the release against its criteria will cost; nothing where it has none."""
    if not plan.criteria:
        return {}
    rho = price_before(plan.criteria, current)
    means = [one.words for one in plan.criteria if one.kind == "mean"]
    price = None if rho is None else spent_json(rho, current.balance)
    return {"acceptance": {"price": price, "price_known_later": means}}


def _unchanged_planned(plan: UnchangedPlan, current: Study, start: float | None) -> Json:
    """What is said of a public table unchanged: it is free, has no noise, and does not beat itself.

    start  its error, where that was bought
    """
    return {
        "plan": plan.sha256,
        "price": spent_json(ZCDP(0), current.balance),
        "affordable": True,
        "noise": None,
        "expected_error": None,
        "unchanged": start,
        "expected_to_beat_unchanged": False,
        "words": [FREE],
    }


def _settings(parsed: argparse.Namespace) -> releases.PmwPubSettings:
    """The settings of PMW^Pub that were given."""
    given: releases.PmwPubSettings = {}
    for name in SETTINGS:
        if getattr(parsed, name) is not None:
            given[name] = getattr(parsed, name)
    return given
