"""Two stewards on one server, each with a private table full of canaries, and every place where one could turn up."""

from __future__ import annotations

import base64
import gzip
import io
import secrets
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import buying
import pytest
from guarantees.people import SCHEMA, public, rows
from guarantees.screens import Screen, screens
from pages.visits import PAGES

from pmwpub.jobs import Engine
from pmwpub.ledger import PlanKey, Population, backup
from pmwpub.plans import WorkloadChoice
from pmwpub.plans.criteria import criteria_of
from pmwpub.service import PrivateTable, Service
from pmwpub.service.accepting import acceptances
from pmwpub.service.bought import assessments, best_candidate, misfit_shares, release_errors, releases
from pmwpub.service.history_files import history_csv, history_json
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.ui import Session
from pmwpub.ui.app import services

ROWS = 61
TOWNS = ("north", "south")


@dataclass(frozen=True)
class Canaries:
    """One session's tokens: in cells that no rule places, that become `other`, in an ID, and in a column's name."""

    unplaced: str
    other: str
    owner: str
    column: str

    @classmethod
    def new(cls) -> Canaries:
        return cls(*(f"canary{secrets.token_hex(8)}" for _ in range(4)))

    @property
    def cells(self) -> tuple[str, ...]:
        return self.unplaced, self.other, self.owner

    @property
    def tokens(self) -> tuple[str, ...]:
        return (*self.cells, self.column)

    def table(self, seed: int) -> bytes:
        """A private file of ROWS rows that holds all of them."""
        lines = [f"{line},p{place},x" for place, line in enumerate(rows(ROWS, seed))]
        lines[3] = f"{self.unplaced},5,cook,p3,x"
        lines[4] = f"F,{self.unplaced},{self.other},{self.owner},{self.unplaced}"
        return ("\n".join([f"sex,age,job,person,{self.column}", *lines]) + "\n").encode()


@dataclass
class Server:
    """One server's service, the folder of its store, its temporary folder, and who is in session."""

    service: Service
    folder: Path
    temporary: Path
    canaries: dict[str, Canaries] = field(default_factory=dict)
    private: dict[str, PrivateTable] = field(default_factory=dict)

    def session(self, town: str) -> Session:
        """A steward's session as it stands: its private table loaded."""
        return Session(town, self.private[town])


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """A server on a new store, with real workers, for the pages and for us."""
    store, temporary = folder / "store", folder / "temporary"
    store.mkdir()
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PMWPUB_STORE", f"sqlite:///{store}/ledger.sqlite3")
        patch.setenv("TMPDIR", str(temporary))
        patch.setattr(services, "engine", lambda: Engine(workers=1))
        services.close()
        service = services.service()
        try:
            yield Server(service, store, temporary)
        finally:
            service.engine.shutdown()
            service.ledger.close()
            services.close()


def move_in(server: Server) -> None:
    """Register both towns with their public tables, and load each steward's private table."""
    for seed, town in enumerate(TOWNS):
        service = server.service
        service.ledger.register(Population(town, ROWS, 1, "one resident", Fraction(6), Fraction(1, ROWS * ROWS)))
        for name, place in (("b.csv", 1), ("c.csv", 2)):
            study_store.add_candidate(service, town, name, public(80, 10 * seed + place), attested=True)
        study_store.save_schema(service, town, Schema.from_json(SCHEMA))
        study_store.choose_workload(service, town, WorkloadChoice(k=2))
        server.canaries[town] = Canaries.new()
        server.private[town] = study_store.load_private(service, town, server.canaries[town].table(seed))


def buy(server: Server, town: str) -> None:
    """An assessment, a choice, a release, its noisy error and acceptance, a look at the fit, each run by a worker."""
    service, private = server.service, server.private[town]
    current = study_store.study(service, town)
    keys = [one.sha256 for one in current.usable]
    wanted = criteria_of([{"kind": "mean", "column": "age", "low": "0", "high": "80", "within": "0.9"}])
    plan = releases.release_plan(service, current, keys[:1], epsilon="1", rounds=4)
    plan = plan.model_copy(update={"criteria": wanted})
    sent = [
        buying.buy(service, private, assessments.assessment_plan(current, keys[:1], epsilon="0.5")),
        buying.buy(service, private, best_candidate.best_plan(current, [[key] for key in keys], epsilon="0.5")),
        buying.buy(service, private, plan),
    ]
    for outcome in sent:
        assert outcome.job is None or outcome.job.wait(120)
    error = release_errors.error_plan(service, town, PlanKey(plan.sha256), epsilon="0.5")
    last = buying.buy(service, private, error)
    assert last.job is None or last.job.wait(120)
    look = buying.buy(service, private, misfit_shares.misfit_plan(current, ["sex"], half_width="0.5"))
    assert look.job is None or look.job.wait(120)
    held = buying.buy(service, private, acceptances.acceptance_plan(service, town, PlanKey(plan.sha256)))
    assert held.job is None or held.job.wait(120)
    assert [booking.status for booking in service.ledger.bookings(town)] == ["done"] * 6


def on_disk(server: Server, spare: Path) -> dict[str, bytes]:
    """Every byte of the store with its log and witness, of a backup, and of temporary files; packed ones unpacked."""
    backup(None, spare)
    files = [*server.folder.iterdir(), *server.temporary.rglob("*"), spare]
    found = {f"file {path.name}": path.read_bytes() for path in files if path.is_file()}
    ledger = server.service.ledger
    for town in TOWNS:
        for kind in ("schema", "workload", "candidate", "candidate-note", "comparison", "simulation"):
            for entry in ledger.documents(town, kind):
                body = ledger.document(town, kind, entry.key)
                found[f"document {town} {kind} {entry.key}"] = _unpacked(body)
    return found


def handed_out(server: Server) -> dict[str, bytes]:
    """Every result as stored and as files, every history, every plan and recorded decision."""
    found: dict[str, bytes] = {}
    ledger = server.service.ledger
    for town in TOWNS:
        current = study_store.study(server.service, town)
        for booking in ledger.bookings(town):
            found[f"result {town} {booking.id}"] = _unpacked(ledger.result(booking.id)) + repr(vars(booking)).encode()
        for one in releases.releases(server.service, current):
            assert one.bundle is not None
            for name, body in one.bundle.files(40, 1, "numbers").items():
                found[f"export {town} {name}"] = body
        history = ledger.export(town)
        found[f"history {town}"] = history_csv(history) + history_json(history)
        found[f"words {town}"] = repr((ledger.marks(town), current, server.private[town])).encode()
    return found


def workers(server: Server) -> dict[str, bytes]:
    """What the system shows of each worker process: environment, arguments, open files."""
    found = {}
    for pid in server.service.engine.pids():  # type: ignore[union-attr]
        process = Path(f"/proc/{pid}")
        links = b" ".join(str(one.readlink()).encode() for one in (process / "fd").iterdir() if one.is_symlink())
        found[f"worker {pid}"] = (process / "environ").read_bytes() + (process / "cmdline").read_bytes() + links
    return found


def seen_by(
    town: str | None, session: Session | None, population: str, pages: Sequence[str] = PAGES, **params: str
) -> dict[str, bytes]:
    """All pages of a population, or some, as one session sees them."""
    seen = screens(population, session, pages, **params)
    return {f"page {page} of {population}, to {town or 'a viewer'}": _bytes(screen) for page, screen in seen.items()}


def hits(places: Mapping[str, bytes], tokens: Iterable[str]) -> set[str]:
    """The places in which one of the tokens stands, as text in any usual spelling."""
    spelt = [spelling for token in tokens for spelling in _spellings(token)]
    return {place for place, body in places.items() if any(spelling in body for spelling in spelt)}


def _spellings(token: str) -> Iterator[bytes]:
    for encoding in ("utf-8", "utf-16-le", "utf-32-le"):
        yield token.encode(encoding)
    yield token.encode().hex().encode()
    for shift in range(3):
        yield base64.b64encode(b"x" * shift + token.encode())[4:-4]


def _bytes(screen: Screen) -> bytes:
    return b"\n".join(kind.encode() + body for kind, body in screen)


def _unpacked(body: bytes) -> bytes:
    if body.startswith(b"\x1f\x8b"):
        return body + gzip.decompress(body)
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return body + b"".join(name.encode() + archive.read(name) for name in archive.namelist())
    return body
