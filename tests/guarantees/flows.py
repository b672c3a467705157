"""The whole flow, once through the service and once through the command line, as traces."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import buying
import pytest
from guarantees.people import Neighbours, public
from guarantees.screens import screens
from guarantees.traces import Trace, forced

from pmwpub.cli import main
from pmwpub.errors import PmwPubError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, PlanKey, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.plans.criteria import criteria_of
from pmwpub.service import PrivateTable, Service, purchases
from pmwpub.service.accepting import acceptances
from pmwpub.service.bought import assessments, best_candidate, misfit_shares, release_errors, releases
from pmwpub.service.inputs import reviewing, study_store
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.ui.app import services

NAME = "town"
ROUNDS = 5
LAWS = (("exponential", "last"), ("permute-and-flip", "last"), ("exponential", "average"))
VIEWS: dict[str, dict[str, str]] = {"plain": {}, "release": {"release": "5"}, "stakeholder": {"view": "stakeholder"}}
"""How viewers come to the pages, by the parameters of the address; the release is the fifth booking."""

CANDIDATES = {"b.csv": public(90, 1), "c.csv": public(70, 2, women=0.3)}
CRITERIA = [
    {"kind": "cell", "levels": {"sex": "F", "job": "cook"}, "within": "0.9"},
    {"kind": "largest", "within": "0.9"},
    {"kind": "marginal", "columns": ["age", "sex"], "within": "0.9"},
    {"kind": "mean", "column": "age", "low": "0", "high": "80", "within": "0.9"},
]
OUTSIDE = ("p.csv", "ledger.sqlite3", "ledger.sqlite3-wal", "ledger.sqlite3-shm")
KINDS = ("schema", "workload", "candidate", "candidate-note", "comparison")


def population(pair: Neighbours) -> Population:
    n = pair.n
    return Population(NAME, n, pair.k, "one resident", Fraction(13, 2), Fraction(1, n * n))


def prepared(folder: Path, pair: Neighbours, private: bytes) -> tuple[Service, PrivateTable]:
    """A service on a new store in `folder`, with everything loaded and nothing spent."""
    service = Service(Ledger.open(f"sqlite:///{folder}/ledger.sqlite3"), InlineEngine())
    service.ledger.register(population(pair))
    for name, body in CANDIDATES.items():
        study_store.add_candidate(service, NAME, name, body, attested=True)
    study_store.save_schema(service, NAME, Schema.from_json(pair.schema))
    study_store.choose_workload(service, NAME, WorkloadChoice(k=2))
    return service, study_store.load_private(service, NAME, private)


def through_the_service(
    folder: Path,
    pair: Neighbours,
    private: bytes,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    laws: Sequence[tuple[str, str]] = LAWS,
) -> Trace:
    """Load, assess, choose, release by each law, buy errors, be refused; then all that is stored and handed out."""
    trace = Trace()
    caplog.clear()
    # Numba tells of its compiling, which falls to whichever run is the first on a machine.
    logging.getLogger("numba").setLevel(logging.WARNING)
    with forced(trace), caplog.at_level(logging.DEBUG):
        service, table = prepared(folder, pair, private)
        try:
            _buy(trace, service, table, laws)
            _collect(trace, service)
        finally:
            service.ledger.close()
    trace.ledger["witness"] = (folder / "ledger.sqlite3.witness").read_bytes()
    trace.names += sorted(path.name for path in folder.iterdir())
    captured = capfd.readouterr()
    trace.logs = captured.out + captured.err + "\n".join(f"{r.name} {r.getMessage()}" for r in caplog.records)
    return trace


def _buy(trace: Trace, service: Service, table: PrivateTable, laws: Sequence[tuple[str, str]]) -> None:
    current = study_store.study(service, NAME)
    keys = [one.sha256 for one in current.usable]
    trace.output["the table's repr"] = repr(table)
    for pool in ([keys[0]], [keys[1]], keys):
        plan = assessments.assessment_plan(current, pool, epsilon="0.5")
        trace.output[f"price of {len(trace.output)}"] = repr(buying.price(service, table, [plan]))
        outcome = buying.buy(service, table, plan)
        trace.output[f"assessed {len(trace.output)}"] = repr(
            (outcome, assessments.assessed(service, current, outcome.booking))
        )
    chosen = buying.buy(service, table, best_candidate.best_plan(current, [[key] for key in keys], epsilon="0.5"))
    trace.output["chosen"] = repr((chosen, chosen.result))
    for selection, output in laws:
        plan = releases.release_plan(
            service, current, keys[:1], epsilon="1", rounds=ROUNDS, selection=selection, output=output
        )
        for repeat in (0, 1, 0):
            outcome = buying.buy(service, table, plan, repeat=repeat)
            bundle = releases.released(service, current, outcome.booking).bundle
            assert bundle is not None
            drawn = bundle.files(25, 3, "numbers") | {"as labels": bundle.synthetic()}
            trace.exports |= {f"{selection} {output} {repeat}/{name}": body for name, body in drawn.items()}
        error = release_errors.error_plan(service, NAME, PlanKey(plan.sha256), epsilon="0.5")
        trace.output[f"error {selection} {output}"] = repr(buying.buy(service, table, error))
    columns = [risk.column for risk in reviewing.risky(service, current)]
    look = misfit_shares.misfit_plan(current, columns[:1], half_width="0.5")
    trace.output["price of the look"] = repr(purchases.misfit_offer(current, columns, "0.1"))
    trace.output["look"] = repr(buying.buy(service, table, look).result)
    tables = releases.table_fit_plan(service, current, keys[:1], epsilon="0.5")
    tables = tables.model_copy(update={"criteria": criteria_of(CRITERIA)})
    for repeat in (0, 1, 0):
        outcome = buying.buy(service, table, tables, repeat=repeat)
        fitted = releases.released(service, current, outcome.booking).bundle
        assert fitted is not None
        trace.exports |= {f"tables {repeat}/{name}": body for name, body in fitted.files(25, 3).items()}
    held = acceptances.acceptance_plan(service, NAME, PlanKey(tables.sha256), part=Fraction(1))
    trace.output["acceptance"] = repr(buying.buy(service, table, held).result)
    trace.output["accepted"] = repr(acceptances.acceptances(service, NAME))
    if laws == LAWS:
        _buy_tables_of_three_columns(trace, service, table, keys[:1])
        _buy_prefixes(trace, service, table, keys[:1])
    pool = releases.weighted_pool_plan(service, current, keys, epsilon="0.3")
    weighed = releases.released(service, current, buying.buy(service, table, pool).booking).bundle
    assert weighed is not None
    trace.exports |= {f"pool/{name}": body for name, body in weighed.files(25, 3).items()}
    for word, send in _refused(service, table, keys).items():
        with pytest.raises(PmwPubError) as refusal:
            send()
        trace.output[word] = f"{type(refusal.value).__name__}: {refusal.value}"


def _buy_tables_of_three_columns(trace: Trace, service: Service, table: PrivateTable, keys: list[str]) -> None:
    """One release whose tables of three columns are measured too; the workload is the earlier one again afterwards."""
    study_store.choose_workload(service, NAME, WorkloadChoice(k=3))
    current = study_store.study(service, NAME)
    plan = releases.table_fit_plan(service, current, keys, epsilon="0.3", three_way=True)
    fitted = releases.released(service, current, buying.buy(service, table, plan).booking).bundle
    assert fitted is not None
    trace.exports |= {f"three columns/{name}": body for name, body in fitted.files(25, 3).items()}
    study_store.choose_workload(service, NAME, WorkloadChoice(k=2))


def _buy_prefixes(trace: Trace, service: Service, table: PrivateTable, keys: list[str]) -> None:
    """A release and an assessment that ask "at most" too; the workload is the earlier one again afterwards."""
    study_store.choose_workload(service, NAME, WorkloadChoice(k=2, prefixes=("age",)))
    current = study_store.study(service, NAME)
    plan = releases.release_plan(service, current, keys, epsilon="0.2", rounds=ROUNDS)
    bundle = releases.released(service, current, buying.buy(service, table, plan).booking).bundle
    assert bundle is not None
    trace.exports |= {f"prefixes/{name}": body for name, body in bundle.files(25, 3).items()}
    outcome = buying.buy(service, table, assessments.assessment_plan(current, keys, epsilon="0.1"))
    trace.output["assessed with prefixes"] = repr(assessments.assessed(service, current, outcome.booking))
    study_store.choose_workload(service, NAME, WorkloadChoice(k=2))


def through_the_pages(folder: Path, pair: Neighbours, private: bytes, views: Sequence[str]) -> Trace:
    """What viewers see of every page once all was bought."""
    trace = Trace()
    with forced(trace), pytest.MonkeyPatch.context() as patch:
        service, table = prepared(folder, pair, private)
        _buy(trace, service, table, LAWS[:1])
        released = next(one for one in service.ledger.bookings(NAME) if '"kind":"release"' in one.plan_json)
        assert str(released.id) == VIEWS["release"]["release"] or "release" not in views
        service.ledger.close()
        patch.setenv("PMWPUB_STORE", f"sqlite:///{folder}/ledger.sqlite3")
        patch.setattr(services, "engine", InlineEngine)
        services.close()
        for view in views:
            trace.pages |= {f"{page} {view}": seen for page, seen in screens(NAME, **VIEWS[view]).items()}
        services.service().ledger.close()
        services.close()
    return trace


def _refused(service: Service, table: PrivateTable, keys: list[str]) -> dict[str, Callable[[], object]]:
    current = study_store.study(service, NAME)
    dear = releases.release_plan(service, current, keys[:1], epsilon="5", rounds=ROUNDS)
    return {
        "overspending": lambda: buying.buy(service, table, dear),
        "another n": lambda: buying.buy(service, table, dear.model_copy(update={"n": 59})),
        "an unknown release": lambda: release_errors.error_plan(service, NAME, PlanKey("0" * 64), epsilon="1"),
        "a frozen term": lambda: service.ledger.amend(NAME, n=61),
    }


def _collect(trace: Trace, service: Service) -> None:
    ledger = service.ledger
    for booking in ledger.bookings(NAME):
        trace.ledger[f"booking {booking.id}"] = vars(booking)
        trace.exports[f"result {booking.id}"] = ledger.result(booking.id)
    for kind in KINDS:
        for entry in ledger.documents(NAME, kind):
            trace.exports[f"{kind} {entry.key}"] = ledger.document(NAME, kind, entry.key)
    trace.ledger |= {"history": ledger.export(NAME), "marks": ledger.marks(NAME), "balance": ledger.balance(NAME)}
    trace.output["study"] = repr(study_store.study(service, NAME))


def through_the_command_line(
    folder: Path, pair: Neighbours, private: bytes, capfd: pytest.CaptureFixture[str]
) -> Trace:
    """The same by commands, in `folder`, with equal file names; everything printed and written is in the trace."""
    trace = Trace()
    (folder / "p.csv").write_bytes(private)
    (folder / "schema.json").write_text(pair.schema)
    (folder / "criteria.json").write_text(json.dumps(CRITERIA))
    for name, body in CANDIDATES.items():
        (folder / name).write_bytes(body)
    assert not capfd.readouterr().err
    trace_commands(trace, folder, _commands(pair), capfd)
    return trace


def trace_commands(
    trace: Trace, folder: Path, commands: Iterable[Sequence[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    """Run commands in a folder, one after the other, with the noise forced; all that they print and write is traced.

    The private file, p.csv, and the store are no output.
    """
    before = os.getcwd()
    try:
        os.chdir(folder)
        with forced(trace):
            for arguments in commands:
                status = main(["--store", "sqlite:///ledger.sqlite3", *arguments])
                printed = capfd.readouterr()
                trace.output[" ".join(arguments)] = f"{status}\n{printed.out}"
                trace.logs += printed.err
    finally:
        os.chdir(before)
    for path in sorted(folder.rglob("*")):
        trace.names.append(str(path.relative_to(folder)))
        if path.is_file() and path.name not in OUTSIDE:
            trace.exports[trace.names[-1]] = path.read_bytes()


def _commands(pair: Neighbours) -> list[list[str]]:
    spend = ["--population", NAME, "--schema", "schema.json", "--private", "p.csv", "-k", "2"]
    both = ["--public", "b.csv", "--public", "c.csv"]
    release = ["release", *spend, "--public", "b.csv", "--epsilon", "1", "--rounds", str(ROUNDS)]
    tables = ["release", *spend, "--public", "b.csv", "--epsilon", "0.5", "--engine", "table-fit"]
    k = str(pair.k)
    return [
        ["schema", "draft", "b.csv", "c.csv", "-o", "drafted.json"],
        ["ledger", "register", NAME, "--n", str(pair.n), "--epsilon", "6", "--rows-per-person", k],
        ["assess", *spend, *both, "--epsilon", "0.5"],
        ["assess", *spend, *both, "--epsilon", "0.5", "--best"],
        ["assess", *spend, *both, "--compare"],
        [*release, "-o", "one", "--rows", "25"],
        [*release, "-o", "again"],
        [*release, "-o", "second", "--repeat", "1"],
        [*release, "-o", "variant", "--selection", "permute-and-flip", "--output", "average"],
        ["error", *spend[:6], "--release", "one", "--epsilon", "0.5"],
        ["certificate", "check", "one"],
        ["misfits", *spend[:6], "--column", "sex", "--half-width", "0.5"],
        ["misfits", *spend[:4], "--dry-run"],
        [*tables, "--criteria", "criteria.json", "-o", "tables"],
        ["certificate", "check", "tables"],
        ["release", *spend[:6], "-k", "3", *both[:2], "--epsilon", "0.3", "--three-way", "-o", "wide"],
        ["release", *spend, *both[:2], "--epsilon", "0.2", "--ranges", "age", "-o", "coarse"],
        ["accept", *spend[:4], "--release", "tables", "--dry-run"],
        ["accept", *spend[:6], "--release", "tables", "--half-widths", "1"],
        [*release[:-4], "--epsilon", "50", "-o", "dear"],
        ["release", *spend, "--public", "none.csv", "--epsilon", "1", "-o", "none"],
        ["ledger", "show", NAME],
    ]
