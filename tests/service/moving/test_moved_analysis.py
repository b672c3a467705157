"""A whole analysis on another server: the same files, checked and rebuilt, and further purchases from what is left."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import buying
import pytest
from service.conftest import Bench, bench_of

from pmwpub.accounts.account_rules import AccountRules
from pmwpub.errors import ExportRefused, PmwPubError, PopulationClosed, StewardNeeded
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.ledger.moving.export_file import Export, opened_export
from pmwpub.release.bundle import Bundle, pack
from pmwpub.release.checking import check, require
from pmwpub.release.rebuilding import rebuilt
from pmwpub.service import Mode, Policy, Released, Service
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.moving import readable_exports, readable_results
from pmwpub.service.moving.population_moves import export_population, import_population
from pmwpub.service.moving.retirement import refuse_strangers, retire
from pmwpub.service.purchases.caveats import renumbered
from pmwpub.service.steward_only import recorded_numbers

Change = Callable[[bytes], bytes]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Service]:
    with Ledger.open(f"sqlite:///{tmp_path}/there.sqlite3") as ledger:
        yield Service(ledger, InlineEngine())


def released(bench: Bench, *, epsilon: str = "1") -> Released:
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:2], epsilon=epsilon, rounds=3)
    return releases.released(bench.service, current, buying.buy(bench.service, bench.private, plan).booking)


def moved(bench: Bench, there: Service, folder: Path) -> None:
    export_population(bench.service.ledger, bench.name, there.ledger.address(bench.name), folder / "people.zip")
    import_population(there.ledger, folder / "people.zip")


def bundles(service: Service, name: str) -> list[Bundle]:
    """Every release, oldest first."""
    current = study_store.study(service, name)
    found = [releases.released(service, current, one).bundle for one in service.bought(name, "release")]
    return [one for one in found if one is not None]


def test_every_file_has_its_bytes_passes_its_check_and_is_rebuilt_on_the_other_server(
    bench: Bench, there: Service, tmp_path: Path
) -> None:
    current = study_store.study(bench.service, bench.name)
    buying.buy(bench.service, bench.private, assessments.assessment_plan(current, bench.candidates[:1], epsilon="0.5"))
    released(bench)
    recorded_numbers.unmapped_cells(bench.service, bench.private)
    released(bench, epsilon="0.7")
    before = [one.files(rows=40) for one in bundles(bench.service, bench.name)]
    moved(bench, there, tmp_path)
    after = bundles(there, bench.name)
    assert len(before) == 2
    assert [one.files(rows=40) for one in after] == before
    assert [one.files(rows=40) for one in bundles(bench.service, bench.name)] == before
    publics = [stored_tables.content(there, bench.name, sha256) for sha256 in bench.candidates[:2]]
    for bundle, files in zip(after, before, strict=True):
        require(check(files))
        remade = rebuilt(bundle.stated(files, rows=40), files["schema.json"], publics)
        assert {name: files[name] for name in remade} == remade
    assert len(there.bought(bench.name, "assessment")) == 1
    assert "not covered by" in json.dumps(json.loads(before[1]["certificate.json"]), ensure_ascii=False)


def test_the_steward_goes_on_there_with_what_is_left_and_not_here(bench: Bench, there: Service, tmp_path: Path) -> None:
    first = released(bench)
    moved(bench, there, tmp_path)
    left = there.ledger.balance(bench.name)
    assert left == bench.service.ledger.balance(bench.name)
    private = study_store.load_private(there, bench.name, bench.private_csv)
    assert private.verdict is not None
    assert private.verdict.kind == "new"
    current = study_store.study(there, bench.name)
    plan = releases.release_plan(there, current, bench.candidates[:2], epsilon="0.5", rounds=3)
    again = releases.release_plan(there, current, bench.candidates[:2], epsilon="1", rounds=3)
    assert not buying.buy(there, private, again).fresh
    assert buying.buy(there, private, plan).fresh
    assert there.ledger.balance(bench.name).remaining < left.remaining
    with pytest.raises(PopulationClosed, match="moved to another server"):
        buying.buy(bench.service, bench.private, plan)
    assert buying.buy(bench.service, bench.private, again).result == first_result(bench, first)
    with pytest.raises(PopulationClosed):
        recorded_numbers.unmapped_cells(bench.service, bench.private)
    with pytest.raises(PopulationClosed):
        study_store.remove_candidate(bench.service, bench.name, bench.candidates[0])


def first_result(bench: Bench, first: Released) -> bytes:
    (booking,) = [one for one in bench.service.ledger.bookings(bench.name) if one.key.plan_sha256 == first.plan.sha256]
    return bench.service.ledger.result(booking.id)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("true errors, opened after charge 12", "true errors, opened after charge 3"),
        ("true errors, opened after charge 11", "true errors, opened after charge 2"),
        ("true errors, opened after charge 9", "true errors, opened after charge 0"),
        ("true errors, opened after charge 99", "true errors, opened after charge 4"),
        ("opened after charge 12 and closed", "opened after charge 12 and closed"),
        ("", ""),
    ],
)
def test_a_note_names_the_charge_by_the_number_that_it_has_there(note: str, expected: str) -> None:
    assert renumbered(note, {10: 1, 11: 2, 12: 3, 40: 4}) == expected


def test_on_a_shared_server_without_accounts_only_whoever_holds_the_table_retires_what_was_charged(
    bench: Bench,
) -> None:
    released(bench)
    bench.service.policy = Policy(Mode.SHARED)
    for private, viewing in ((None, False), (bench.private, True), (None, True)):
        with pytest.raises(StewardNeeded):
            retire(bench.service, bench.name, private=private, viewing=viewing)
    viewers = Service(bench.service.ledger, InlineEngine(), policy=Policy(viewers_only=True))
    with pytest.raises(PmwPubError, match="viewers"):
        retire(viewers, bench.name, private=bench.private, viewing=False)
    assert study_store.study(bench.service, bench.name).closed is None
    retire(bench.service, bench.name, private=bench.private, viewing=False)
    assert study_store.study(bench.service, bench.name).closed is not None


def test_whoever_is_known_retires_without_a_private_table(bench: Bench) -> None:
    """A single user is; with accounts the store asks whether an owner acts (tests/ledger/test_members.py)."""
    released(bench)
    with pytest.raises(StewardNeeded, match="Viewers"):
        retire(bench.service, bench.name, private=None, viewing=True)
    accounts = Policy(Mode.SHARED, accounts=AccountRules("roles", {}))
    refuse_strangers(Service(bench.service.ledger, InlineEngine(), policy=accounts), bench.name, None)
    retire(bench.service, bench.name, private=None, viewing=False)
    assert study_store.study(bench.service, bench.name).closed is not None


# What an export holds is opened before anything is closed or taken in


def _release(*more: tuple[str, bytes]) -> Change:
    """The stored release with other files in it."""

    def changed(body: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(body)) as file:
            parts = {name: file.read(name) for name in file.namelist()}
        return pack(parts | dict(more))

    return changed


MOST = 2**24
FORGED: dict[str, tuple[str, Change]] = {
    "a release that is no zip": ("release", lambda _: b"no zip"),
    "a release of no files": ("release", lambda _: pack({})),
    "a release that unpacks to too much": ("release", _release(("more.csv", bytes(MOST)))),
    "a release with a way out of its folder": ("release", _release(("../../out.csv", b""))),
    "a release with an absolute path": ("release", _release(("/out.csv", b""))),
    "a release with another system's path": ("release", _release(("c:\\out.csv", b""))),
    "a release without a certificate": ("release", _release(("certificate.json", b"{}"))),
    "a release without a schema": ("release", _release(("schema.json", b"[]"))),
    "a schema that is none": ("schema", lambda _: b"{}"),
    "a workload that is none": ("workload", lambda _: b'{"k": "<script>"}'),
    "a table that is not packed": ("candidate", lambda _: b"sex,age\n"),
    "a table of other rows": ("candidate", lambda _: gzip.compress(b"sex,age\nF,1\n")),
    "a table that unpacks to too much": (
        "candidate",
        lambda _: gzip.compress(bytes(MOST + 1), 1),
    ),
    "a note that is none": ("candidate-note", lambda _: b"[]"),
}


@pytest.fixture(scope="module")
def read_back(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """An export of a population with a release, to be altered."""
    folder = tmp_path_factory.mktemp("read back")
    with Ledger.open(f"sqlite:///{folder}/here.sqlite3") as here, Ledger.open(f"sqlite:///{folder}/b.sqlite3") as there:
        made = bench_of(Service(here, InlineEngine()))
        released(made)
        export_population(here, made.name, there.address(made.name), folder / "people.zip")
    with opened_export(folder / "people.zip") as export:
        blobs = {sha256: export.blob(sha256) for sha256 in export.record.blobs}
    return replace(export, blob=blobs.__getitem__)


def test_what_is_not_altered_is_read(read_back: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable_results, "MOST_UNPACKED", MOST)
    readable_exports.check_readable(read_back)


@pytest.mark.parametrize("what", FORGED)
def test_what_pages_would_fail_on_is_refused(read_back: Export, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable_results, "MOST_UNPACKED", MOST)
    kind, change = FORGED[what]
    of_result = {one.sha256 for one in read_back.record.outcomes if kind == "release"}
    hashes = of_result or {one.sha256 for one in read_back.record.documents if one.document == kind}
    altered = replace(
        read_back, blob=lambda sha256: change(read_back.blob(sha256)) if sha256 in hashes else read_back.blob(sha256)
    )
    with pytest.raises(ExportRefused, match="cannot open"):
        readable_exports.check_readable(altered)


def test_releases_of_a_store_of_before_move_with_their_bytes(there: Service, tmp_path: Path) -> None:
    before = Path(__file__).parents[2] / "release" / "before"
    for name in ("ledger.sqlite3", "ledger.sqlite3.witness"):
        shutil.copyfile(before / name, tmp_path / name)
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as here:
        for place, population in enumerate(here.populations()):
            name, file = population.name, tmp_path / f"{place}.zip"
            export_population(here, name, there.ledger.address(name), file)
            import_population(there.ledger, file)
            booked, found = here.bookings(name), there.ledger.bookings(name)
            done = [one for one in booked if one.status == "done"]
            assert done
            assert [there.ledger.result(one.id) for one in found if one.status == "done"] == [
                here.result(one.id) for one in done
            ]
            assert there.ledger.balance(name) == here.balance(name)
            for bundle in bundles(there, name):
                require(check(bundle.files(rows=20)))
