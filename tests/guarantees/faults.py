"""Planted faults: each makes something that leaves depend on the private rows. Planted into the package by name."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from guarantees.flows import NAME

from pmwpub.errors import Overspent
from pmwpub.mechanisms.pmw_pub.algorithm import rebuild
from pmwpub.records import Dataset
from pmwpub.service import purchases
from pmwpub.service.accepting import criteria_of_release
from pmwpub.service.inputs import reviewing, study_store
from pmwpub.service.purchases import assessment_purchase, error_purchase
from pmwpub.service.purchases import choice_purchase as best
from pmwpub.service.purchases import release_purchase as release
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks import mechanism_work

Plant = Callable[[pytest.MonkeyPatch], None]


def domain_from_private_rows(patch: pytest.MonkeyPatch) -> None:
    """The levels of a column are what the private file holds."""
    real = study_store.load_private

    def load(service: object, population: str, content: object, **options: object) -> object:
        body = content if isinstance(content, bytes) else content.read_bytes()  # type: ignore[attr-defined]
        seen = {line.split(b",")[2].decode() for line in body.splitlines()[1:]}
        schema = json.loads(study_store.study(service, population).schema.to_json())  # type: ignore[arg-type, union-attr]
        job = next(column for column in schema["columns"] if column["name"] == "job")
        job["levels"] = sorted({*job["levels"], *seen} - {"", "NA"})
        study_store.save_schema(service, population, Schema.from_json(json.dumps(schema)))  # type: ignore[arg-type]
        return real(service, population, content, **options)  # type: ignore[arg-type]

    patch.setattr(study_store, "load_private", load)


def rows_dropped(patch: pytest.MonkeyPatch) -> None:
    """A private row with a cell that the schema does not know is left out of the counts, and n with it."""
    for module in (assessment_purchase, best, error_purchase, release):
        real = module.planned_counts

        def counted(workload: object, dataset: Dataset, plan: object, count: Callable[..., object] = real) -> object:
            whole = np.all(dataset.codes < np.array(dataset.domain.shape), axis=1)
            return count(workload, Dataset(dataset.domain, dataset.codes[whole]), plan)

        patch.setattr(module, "planned_counts", counted)


def best_iterate_by_exact_score(patch: pytest.MonkeyPatch) -> None:
    """Of A_1 .. A_T the one that fits the private counts best is released."""
    real = mechanism_work.pmw_pub

    def best(counts: object, problem: object, schedule: object, **rest: object) -> object:
        release = real(counts, problem, schedule, **rest)  # type: ignore[arg-type]

        def fit(rounds: int) -> float:
            part = rebuild(problem, replace(schedule, rounds=rounds), release.transcript[:rounds], counts.n)  # type: ignore[arg-type, type-var, attr-defined]
            sums = problem.sums((part.weights * 2**40).astype(np.int64))  # type: ignore[attr-defined]
            return float(np.abs(counts.counts - sums / 2**40 * counts.n).max())  # type: ignore[attr-defined]

        rounds = min(range(1, schedule.rounds + 1), key=fit)  # type: ignore[attr-defined]
        chosen = rebuild(problem, replace(schedule, rounds=rounds), release.transcript[:rounds], counts.n)  # type: ignore[arg-type, type-var, attr-defined]
        return replace(release, distribution=chosen)

    patch.setattr(mechanism_work, "pmw_pub", best)


def seed_from_private_rows(patch: pytest.MonkeyPatch) -> None:
    """The public order of replay comes from a hash of private counts."""
    real = release.ReleaseWork

    def made(public: object, counts: object, schedule: object) -> object:
        digest = hashlib.sha256(counts.counts.tobytes()).hexdigest()  # type: ignore[attr-defined]
        return real(public, counts, replace(schedule, replay_seed=int(digest[:12], 16)))  # type: ignore[arg-type, type-var]

    patch.setattr(release, "ReleaseWork", made)


def columns_from_private_rows(patch: pytest.MonkeyPatch) -> None:
    """The columns in which private cells have no level are looked at last."""
    loaded: list[Dataset] = []
    load, risks = study_store.load_private, reviewing.misfit_risks

    def kept(*arguments: object, **options: object) -> object:
        found = load(*arguments, **options)  # type: ignore[arg-type]
        loaded.append(found.dataset)  # type: ignore[arg-type]
        return found

    def seen(schema: Schema, *arguments: object) -> object:
        own = {column.name: column.no_level for column in schema.encoded}
        missed = (loaded[-1].codes == np.array([*own.values()])).any(axis=0)
        bad = {name for name, some in zip(own, missed.tolist(), strict=True) if some}
        return sorted(risks(schema, *arguments), key=lambda risk: risk.column in bad)  # type: ignore[arg-type]

    patch.setattr(study_store, "load_private", kept)
    patch.setattr(reviewing, "misfit_risks", seen)


def bar_from_private_rows(patch: pytest.MonkeyPatch) -> None:
    """What a mean's bar is made from is how many private rows have a number in the column."""
    loaded: list[Dataset] = []
    load, released_mean = study_store.load_private, criteria_of_release._released_mean

    def kept(*arguments: object, **options: object) -> object:
        found = load(*arguments, **options)  # type: ignore[arg-type]
        loaded.append(found.dataset)  # type: ignore[arg-type]
        return found

    def seen(one: object, schema: Schema, *rest: object) -> object:
        mean, _ = released_mean(one, schema, *rest)  # type: ignore[arg-type]
        place = schema.domain.index("age")
        return mean, int((loaded[-1].codes[:, place] < schema.domain.shape[place]).sum())

    patch.setattr(study_store, "load_private", kept)
    patch.setattr(criteria_of_release, "_released_mean", seen)


def early_stop(patch: pytest.MonkeyPatch) -> None:
    """A run ends once the largest exact error is an even number of rows."""
    real = mechanism_work.pmw_pub

    def stopped(counts: object, problem: object, schedule: object, **rest: object) -> object:
        rounds = schedule.rounds - int(counts.counts.sum()) % 2  # type: ignore[attr-defined]
        return real(counts, problem, replace(schedule, rounds=rounds), **rest)  # type: ignore[arg-type, type-var]

    patch.setattr(mechanism_work, "pmw_pub", stopped)


def unmapped_count_in_a_message(patch: pytest.MonkeyPatch) -> None:
    """A refusal says how many private cells the schema does not know."""
    real = purchases.buy

    def buy(service: object, private: object, wanted: object, **rest: object) -> object:
        try:
            return real(service, private, wanted, **rest)  # type: ignore[arg-type]
        except Overspent as refusal:
            raise Overspent(f"{refusal} ({private.unplaced_cells} cells were not mapped)") from None  # type: ignore[attr-defined]

    patch.setattr(purchases, "buy", buy)


def unmapped_count_in_the_log(patch: pytest.MonkeyPatch) -> None:
    """Loading is logged, with the number of cells that were not mapped."""
    real = study_store.load_private

    def load(*arguments: object, **options: object) -> object:
        found = real(*arguments, **options)  # type: ignore[arg-type]
        logging.getLogger("pmwpub").info("loaded, %d cells not mapped", found.unplaced_cells)
        return found

    patch.setattr(study_store, "load_private", load)


def unmapped_count_in_the_ledger(patch: pytest.MonkeyPatch) -> None:
    """Loading is recorded, with the number of cells that were not mapped."""
    real = study_store.load_private

    def load(service: object, *arguments: object, **options: object) -> object:
        found = real(service, *arguments, **options)  # type: ignore[arg-type]
        service.ledger.mark(NAME, "loaded", f"{found.unplaced_cells} cells not mapped")  # type: ignore[attr-defined]
        return found

    patch.setattr(study_store, "load_private", load)


def name_from_private_rows(patch: pytest.MonkeyPatch) -> None:
    """A document is stored under a plain hash of the private bytes."""
    real = study_store.load_private

    def load(service: object, population: str, content: object, **options: object) -> object:
        found = real(service, population, content, **options)  # type: ignore[arg-type]
        key = hashlib.sha256(bytes(found.source)).hexdigest()
        service.ledger.put_document(population, "comparison", key, b"[]")  # type: ignore[attr-defined]
        return found

    patch.setattr(study_store, "load_private", load)
