"""Two neighbours that a comparison of tables tells apart, and the same acts on both in a shared service, as traces."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import buying
import pytest
import streamlit as st
from guarantees.flows import KINDS, NAME
from guarantees.people import SCHEMA as WITH_PERSON
from guarantees.people import STRANGE, Neighbours, public, rows
from guarantees.screens import screen, screens
from guarantees.traces import Trace, forced
from pages.visits import PAGES, arrive

from pmwpub.cli import main
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Mode, Policy, PrivateTable, Service, purchases
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import Offer
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.overlap.copied_runs import long_run
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.ui import Session
from pmwpub.ui.app import services

OTHER = "village"
SHARED = Policy(Mode.SHARED)
SCHEMA = json.dumps(
    (whole := json.loads(WITH_PERSON)) | {"columns": [one for one in whole["columns"] if one["name"] != "person"]}
)
"""Without the column of persons: a table and a piece of it have the same lines."""


@dataclass(frozen=True)
class Straddle:
    """Two neighbouring private tables on either side of one decision.

    offered  public files by name, which the session reads, has compared and stores
    before   the population that `ours` was charged under before, if any
    """

    pair: Neighbours
    offered: Mapping[str, bytes] = field(repr=False)
    before: str | None = None


def straddles() -> dict[str, Straddle]:
    """Each decision that rests on comparing private rows with other tables."""
    lines = rows(60, 0)
    changed = [*lines[:30], STRANGE[0], *lines[31:]]
    pair = Neighbours(1, _file(lines), _file(changed))
    plain = {"b.csv": public(90, 1), "c.csv": public(70, 2, women=0.3)}
    return {
        "a run of lines": Straddle(pair, plain | {"piece.csv": _piece(pair)}),
        "the same rows": Straddle(pair, plain | {"copy.csv": pair.ours}),
        "charged here before": Straddle(pair, plain, NAME),
        "charged elsewhere before": Straddle(pair, plain, OTHER),
    }


def _file(lines: list[str]) -> bytes:
    return ("\n".join(["sex,age,job", *lines]) + "\n").encode()


def _piece(pair: Neighbours) -> bytes:
    """The fewest lines about the changed one whose run in `ours` chance hardly explains; in `theirs` it is broken."""
    header, *lines = pair.ours.splitlines()
    middle = len(lines) // 2
    for reach in itertools.count(1):
        content = b"\n".join([header, *lines[middle - reach : middle + reach + 1], b""])
        told = [_shares_a_run(private, content) for private in (pair.ours, pair.theirs)]
        assert told[1] is False, "the shortest run that counts is found before its halves count"
        if told[0]:
            return content
    raise AssertionError


def _shares_a_run(private: bytes, content: bytes) -> bool:
    return long_run(read_table(private), read_table(content)) > 0


def begun(folder: Path, case: Straddle, policy: Policy) -> Service:
    """A service on a new store, where `ours` was charged before if the case says so."""
    service = Service(Ledger.open(f"sqlite:///{folder}/ledger.sqlite3"), InlineEngine(), policy=policy)
    n = case.pair.n
    for name in (NAME, OTHER):
        service.ledger.register(Population(name, n, 1, "one resident", Fraction(6), Fraction(1, n * n)))
        study_store.save_schema(service, name, Schema.from_json(SCHEMA))
        study_store.choose_workload(service, name, WorkloadChoice(k=2))
    if case.before is not None:
        study_store.add_candidate(service, case.before, "first.csv", public(50, 7), attested=True)
        _assess(service, case.before, study_store.load_private(service, case.before, case.pair.ours), "0.25")
    return service


def act(service: Service, case: Straddle, private: bytes) -> PrivateTable:
    """What a steward does, the same whatever comparisons say: read, store, load, buy with the tick, load again."""
    held = study_store.load_private(service, NAME, private)
    offers = [Offer(name, read_table(body), attested=True) for name, body in case.offered.items()]
    purchases.offer(service, NAME, {one.name: one.table for one in offers}, held)
    purchases.store(service, NAME, offers, held)
    held = study_store.load_private(service, NAME, private)
    _assess(service, NAME, held, "0.5")
    current = study_store.study(service, NAME)
    plan = releases.release_plan(service, current, [one.sha256 for one in current.usable], epsilon="1", rounds=3)
    assert buying.buy(service, held, plan, tick=True).status == "done"
    return study_store.load_private(service, NAME, private)


def _assess(service: Service, name: str, held: PrivateTable, epsilon: str) -> None:
    current = study_store.study(service, name)
    plans = [assessments.assessment_plan(current, [one.sha256], epsilon=epsilon) for one in current.usable]
    for outcome in purchases.buy(service, held, [buying.purchase_of(plan) for plan in plans], tick=True):
        assert outcome.status == "done"


def commanded(folder: Path, case: Straddle, private: bytes, capfd: pytest.CaptureFixture[str]) -> Trace:
    """The acts by commands, in `folder`, in a shared service; what they print, write and record, but for what is said
    to the steward on the error stream."""
    trace = Trace()
    for name, body in {"p.csv": private, "first.csv": case.pair.ours, **case.offered}.items():
        (folder / name).write_bytes(body)
    (folder / "schema.json").write_text(SCHEMA)
    with forced(trace), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PMWPUB_MODE", SHARED.mode)
        for arguments in _commands(case):
            status = main(["--store", "sqlite:///ledger.sqlite3", *arguments])
            trace.output[f"{len(trace.output)} {' '.join(arguments)}"] = f"{status}\n{capfd.readouterr().out}"
    for path in sorted(folder.rglob("*")):
        trace.names.append(str(path.relative_to(folder)))
        if path.is_file() and path.name not in ("p.csv", "ledger.sqlite3", "ledger.sqlite3-wal", "ledger.sqlite3-shm"):
            trace.exports[trace.names[-1]] = path.read_bytes()
    return trace


def _commands(case: Straddle) -> list[list[str]]:
    public = [flag for name in case.offered for flag in ("--public", name)]
    spend = ["--schema", "schema.json", "-k", "2", "--overlap-acknowledged"]
    own = ["--population", NAME, "--private", "p.csv", *spend]
    worth = ["--epsilon", "1", "--rounds", "3", "--free-table-acknowledged"]
    before = ["assess", "--population", case.before or OTHER, "--private", "first.csv", *spend, "--public", "b.csv"]
    register = [["ledger", "register", name, "--n", str(case.pair.n), "--epsilon", "6"] for name in (NAME, OTHER)]
    return [
        *register,
        *([[*before, "--epsilon", "0.25"]] if case.before else []),
        ["assess", *own, *public, "--epsilon", "0.5"],
        ["assess", *own, *public, "--epsilon", "0.5", "--best"],
        ["release", *own, *public, *worth, "-o", "out"],
        ["release", *own, *public, *worth, "-o", "again"],
        ["ledger", "show", NAME],
        ["ledger", "show", OTHER],
    ]


def traced(folder: Path, case: Straddle, private: bytes, policy: Policy = SHARED) -> tuple[Trace, PrivateTable]:
    """The acts on one of two neighbours: what they leave for anybody else, and what the acting session holds."""
    trace = Trace()
    with forced(trace), pytest.MonkeyPatch.context() as patch:
        service = begun(folder, case, policy)
        held = act(service, case, private)
        ledger = service.ledger
        for name in (NAME, OTHER):
            trace.ledger |= {
                f"history {name}": ledger.export(name),
                f"marks {name}": ledger.marks(name),
                f"balance {name}": ledger.balance(name),
                f"bookings {name}": [vars(one) for one in ledger.bookings(name)],
            }
            trace.exports |= {f"{name} {one.id}": ledger.result(one.id) for one in ledger.bookings(name)}
            for kind in KINDS:
                for entry in ledger.documents(name, kind):
                    trace.exports[f"{name} {kind} {entry.key}"] = ledger.document(name, kind, entry.key)
            trace.output[f"study of {name}"] = repr(study_store.study(service, name))
        trace.output["loads"] = repr([(one.id, one.time, one.population) for one in ledger.attempts()])
        ledger.close()
        patch.setenv("PMWPUB_STORE", f"sqlite:///{folder}/ledger.sqlite3")
        patch.setenv("PMWPUB_MODE", policy.mode)
        patch.setattr(services, "engine", InlineEngine)
        st.cache_resource.clear()
        trace.pages = screens(NAME) | {f"{OTHER} {page}": seen for page, seen in screens(OTHER).items()}
        for page in PAGES:
            acting = Session(NAME, replace(held, overlaps=()))
            trace.pages[f"acting {page}"] = screen(arrive(page, acting, population=NAME))
        services.service().ledger.close()
        st.cache_resource.clear()
    trace.ledger["witness"] = (folder / "ledger.sqlite3.witness").read_bytes()
    trace.names += sorted(path.name for path in folder.iterdir())
    return trace, held
