"""Files that were damaged, altered or forged are refused in words; no store is other than it was."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ledger.moving.moved import PLAN, filled
from ledger.terms import charge, key, people

from pmwpub.errors import ExportRefused, PmwPubError, PopulationExists
from pmwpub.ledger import Ledger
from pmwpub.ledger.moving.export_file import Manifest, opened_export
from pmwpub.privacy.budget import ZCDP
from pmwpub.service.moving.population_moves import export_population, import_population

Lines = list[dict[str, Any]]
Members = dict[str, bytes]


@dataclass
class Forger:
    """Somebody who has an export and a store that it goes to, and writes other files for it."""

    folder: Path
    store: Ledger
    written: bytes

    @property
    def members(self) -> Members:
        with zipfile.ZipFile(io.BytesIO(self.written)) as file:
            return {one: file.read(one) for one in file.namelist()}

    @property
    def lines(self) -> Lines:
        return [json.loads(line) for line in self.members["ledger.jsonl"].splitlines()]

    def file(self, body: bytes) -> Path:
        path = self.folder / "forged.zip"
        path.write_bytes(body)
        return path

    def packed(self, members: Members | Sequence[tuple[str, bytes]], **how: Any) -> Path:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", **how) as file:
            for name, body in members.items() if isinstance(members, dict) else members:
                file.writestr(zipfile.ZipInfo(name), body, compress_type=how.get("compression"))
        return self.file(made.getvalue())

    def resealed(self, lines: Lines, *, name: str = "A", blobs: Members | None = None) -> Path:
        """Lines of the forger's own, with sums that fit."""
        body = b"".join(_spelt(line) for line in lines)
        members = self.members
        address = json.loads(members["manifest.json"])["address"]
        manifest = Manifest(name, address, hashlib.sha256(body).hexdigest()).written
        kept = {one: members[one] for one in members if one.startswith("blobs/")} if blobs is None else blobs
        return self.packed({"manifest.json": manifest, "ledger.jsonl": body, **kept})

    def refused(self, path: Path) -> str:
        """The words of the refusal; the store has nothing new."""
        with pytest.raises((ExportRefused, PopulationExists)) as found:
            import_population(self.store, path)
        assert [one.name for one in self.store.populations()] == ["own"]
        assert self.store.balance("own").spent == ZCDP(1000)
        return str(found.value)


def _spelt(line: dict[str, Any]) -> bytes:
    text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"


@pytest.fixture
def forger(tmp_path: Path) -> Iterator[Forger]:
    """The receiving store has a population of its own that has spent 1000 units."""
    with (
        Ledger.open(f"sqlite:///{tmp_path}/here.sqlite3") as here,
        Ledger.open(f"sqlite:///{tmp_path}/there.sqlite3") as there,
    ):
        there.register(people("own"))
        there.book("own", key("own"), PLAN, [charge(1000)])
        export_population(filled(here), "A", there.address("A"), tmp_path / "a.zip")
        yield Forger(tmp_path, there, (tmp_path / "a.zip").read_bytes())


def test_a_resealed_file_without_a_change_is_taken_in(forger: Forger) -> None:
    """The forger can do what the tests below rest on: where nothing is wrong, nothing is refused."""
    assert not import_population(forger.store, forger.resealed(forger.lines)).again


# Damage


def _content(path: Path) -> tuple[object, ...]:
    with opened_export(path) as export:
        return export.manifest, export.record, [export.blob(one) for one in export.record.blobs]


def test_a_changed_byte_is_refused_or_changes_nothing_that_is_read(forger: Forger) -> None:
    whole = _content(forger.file(forger.written))
    chance, refused = random.Random(7), 0
    for _ in range(150):
        body = bytearray(forger.written)
        for _ in range(chance.choice((1, 1, 4))):
            body[chance.randrange(len(body))] = chance.randrange(256)
        try:
            assert _content(forger.file(bytes(body))) == whole
        except ExportRefused:
            refused += 1
    assert refused > 100


def test_every_second_byte_of_the_directory_may_be_another(forger: Forger) -> None:
    whole = _content(forger.file(forger.written))
    end = forger.written.index(b"PK\x01\x02")
    for at in range(end, len(forger.written), 2):
        body = bytearray(forger.written)
        body[at] ^= 0xFF
        with suppress(ExportRefused):
            assert _content(forger.file(bytes(body))) == whole


def test_a_file_that_was_cut_off_or_is_none_is_refused(forger: Forger) -> None:
    size = len(forger.written)
    for end in (*range(0, size, size // 40), size - 1):
        assert "Nothing was imported" in forger.refused(forger.file(forger.written[:end]))
    for body in (b"", b"PK", b"sex,age\n" * 500, b"\x1f\x8b" + b"\0" * 100, b"PK\x05\x06" + b"\0" * 18):
        forger.refused(forger.file(body))
    forger.refused(forger.folder / "missing.zip")
    forger.refused(forger.folder)


# Zips


def test_members_of_other_names_are_refused(forger: Forger) -> None:
    for name in ("../../etc/passwd", "/etc/passwd", "blobs/../../x", "blobs/x", "C:\\x", "blobs/", "README", "\u202e"):
        assert "members that no export" in forger.refused(forger.packed({**forger.members, name: b"x"}))
    assert not list(forger.folder.rglob("passwd"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_stands_twice_is_refused(forger: Forger) -> None:
    every = [*forger.members.items(), ("ledger.jsonl", b"another ledger")]
    assert "members that no export" in forger.refused(forger.packed(every))


def test_a_compressed_file_is_refused_however_much_it_would_unpack_to(forger: Forger) -> None:
    bomb = {**forger.members, "blobs/" + "0" * 64: bytes(40_000_000)}
    for how in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = forger.packed(bomb, compression=how)
        assert path.stat().st_size < 1_000_000
        assert "compressed" in forger.refused(path)


def test_members_that_claim_more_than_the_file_has_are_refused(forger: Forger) -> None:
    """Two entries of the directory lead to the same bytes: together they are larger than the file."""
    body = bytearray(forger.written)
    with zipfile.ZipFile(io.BytesIO(forger.written)) as file:
        sizes = sorted(file.infolist(), key=lambda one: one.file_size)
    small, large = sizes[0], sizes[-1]
    at = body.rindex(small.filename.encode()) - 46
    body[at + 16 : at + 28] = large.CRC.to_bytes(4, "little") + large.file_size.to_bytes(4, "little") * 2
    body[at + 42 : at + 46] = large.header_offset.to_bytes(4, "little")
    forger.refused(forger.file(bytes(body)))
    body[at + 20 : at + 28] = (2**30).to_bytes(4, "little") * 2
    assert "claims more bytes" in forger.refused(forger.file(bytes(body)))


def test_a_member_too_many_or_too_few_is_refused(forger: Forger) -> None:
    for name in forger.members:
        members = forger.members
        del members[name]
        forger.refused(forger.packed(members))
    more = {**forger.members, f"blobs/{hashlib.sha256(b'x').hexdigest()}": b"x"}
    assert "other members than its ledger names" in forger.refused(forger.packed(more))


def test_an_altered_result_is_refused(forger: Forger) -> None:
    members = forger.members
    name = next(one for one in members if one.startswith("blobs/"))
    members[name] = members[name] + b"x"
    assert "its sum differs" in forger.refused(forger.packed(members))


def test_an_altered_ledger_or_manifest_is_refused(forger: Forger) -> None:
    members = forger.members
    altered = members["ledger.jsonl"].replace(b'"units":7', b'"units":1')
    assert altered != members["ledger.jsonl"]
    assert "its sum differs" in forger.refused(forger.packed({**members, "ledger.jsonl": altered}))
    manifest = json.loads(members["manifest.json"])
    for field, value in (
        ("version", 2), ("format", "another"), ("population", "own"), ("address", "0" * 40), ("address", "../.."),
        ("ledger_sha256", "0" * 64), ("population", 7), ("more", "x"),
    ):  # fmt: skip
        said = json.dumps(manifest | {field: value}, sort_keys=True, indent=1) + "\n"
        forger.refused(forger.packed({**members, "manifest.json": said.encode()}))
    for body in (b"", b"[]", b"null", b"{", b'{"format": "pmwpub export"}', b"[" * 100_000, b"\xff"):
        forger.refused(forger.packed({**members, "manifest.json": body}))


def test_bytes_before_between_or_behind_are_refused(forger: Forger) -> None:
    """A zip's readers look for its end, and pass over what stands around it, and a comment."""
    own, end = forger.written, forger.written[-22:]
    directory = int.from_bytes(end[16:20], "little")
    moved = end[:16] + (directory + 7).to_bytes(4, "little") + end[20:]
    for more in (
        own + b"\0", own + b"another", own + own, b"another" + own, b"\0" + own,
        own[:-2] + b"\7\0another", own[:directory] + b"another" + own[directory:-22] + moved,
    ):  # fmt: skip
        assert "bytes before, between or behind" in forger.refused(forger.file(more))
    assert "not whole" in forger.refused(forger.file(own + b"another" + end))
    assert not import_population(forger.store, forger.file(own)).again


# Ledgers that a forger wrote, with sums that fit

Forgery = Callable[[Lines], Lines]


def _of(lines: Lines, kind: str) -> dict[str, Any]:
    return next(line for line in lines if line["kind"] == kind)


def _set(kind: str, /, **values: Any) -> Forgery:
    def forged(lines: Lines) -> Lines:
        _of(lines, kind).update(values)
        return lines

    return forged


def _charged(**values: Any) -> Forgery:
    def forged(lines: Lines) -> Lines:
        _of(lines, "booking")["charges"][0].update(values)
        return lines

    return forged


def _without(kind: str) -> Forgery:
    return lambda lines: [line for line in lines if line is not _of(lines, kind)]


def _twice(kind: str) -> Forgery:
    def forged(lines: Lines) -> Lines:
        at = lines.index(_of(lines, kind))
        return [*lines[:at], copy.deepcopy(lines[at]), *lines[at:]]

    return forged


FORGERIES: dict[str, Forgery] = {
    "a charge below zero": _charged(units=-5),
    "a charge of nothing": _charged(units=0),
    "a charge beyond the store": _charged(units=2**63),
    "a charge in floats": _charged(units=7.0),
    "a charge as text": _charged(units="7"),
    "a charge of no number": _charged(units=True),
    "no charge": _set("booking", charges=[]),
    "more granted than epsilon allows": _set("terms", total_units=2**62),
    "no total": _set("terms", total_units=0),
    "an epsilon of none": _set("terms", epsilon="1/0"),
    "an epsilon below zero": _set("terms", epsilon="-1"),
    "k above n": _set("terms", rows_per_person=2000),
    "n beyond the store": _set("terms", n=2**70),
    "another population's terms": _set("terms", population="own"),
    "another population's booking": _set("booking", population="own"),
    "another population's mark": _set("mark", population="own"),
    "terms at another place": _set("terms", place=1),
    "a repeat below zero": _set("booking", repeat=-1),
    "a repeat beyond the store": _set("booking", repeat=2**31),
    "a key that is no hash": _set("booking", plan_sha256="x"),
    "a plan that is no JSON": _set("booking", plan_json="{"),
    "a plan that is a list": _set("booking", plan_json="[]"),
    "a plan that is too deep": _set("booking", plan_json="[" * 100_000),
    "a text with a NUL": _charged(purpose="a\0b"),
    "a text with half a character": _charged(purpose="\ud800"),
    "a time that is none": _set("mark", created="yesterday"),
    "a day that no year has": _set("outcome", created="2026-13-45T99:99:99+00:00"),
    "a day that no month has": _set("booking", created="2026-02-30T00:00:00+00:00"),
    "a unit of two lines": _set("terms", unit="one\nresident"),
    "a unit that is a page": _set("terms", unit="x" * 501),
    "a charge of two lines": _charged(purpose="a\nb"),
    "a charge without a purpose": _charged(purpose=" "),
    "a charge that turns the screen red": _charged(scale="\x1b[31m"),
    "a kind of mark that is a page": _set("mark", mark="x" * 1000),
    "a kind of document with a line end": _set("document", document="a\nb"),
    "a document that is no hash": _set("document", sha256="../../x"),
    "an outcome of another name": _set("outcome", status="charged"),
    "a result without its hash": _set("outcome", sha256=""),
    "no result, and a hash": _set("outcome", status="no result"),
    "charges without numbers": _set("outcome", numbers=[]),
    "numbers twice": _set("outcome", numbers=[3]),
    "a number below zero": _set("outcome", numbers=[-1]),
    "an outcome at another place": _set("outcome", place=3),
    "a field too many": _set("booking", more=1),
    "a line of another kind": _set("mark", kind="secret"),
    "no terms": lambda lines: [line for line in lines if line["kind"] != "terms"],
    "terms missing": _without("terms"),
    "a booking missing": _without("booking"),
    "an outcome missing": _without("outcome"),
    "a mark missing": lambda lines: [{**line, "place": 1} if line["kind"] == "mark" else line for line in lines],
    "a booking twice": _twice("booking"),
    "an outcome twice": _twice("outcome"),
    "lines in another order": lambda lines: lines[::-1],
    "nothing at all": lambda _: [],
}  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forger]:
    """One forger for forgeries that leave nothing behind."""
    folder = tmp_path_factory.mktemp("forger")
    with (
        Ledger.open(f"sqlite:///{folder}/here.sqlite3") as here,
        Ledger.open(f"sqlite:///{folder}/there.sqlite3") as there,
    ):
        there.register(people("own"))
        there.book("own", key("own"), PLAN, [charge(1000)])
        export_population(filled(here), "A", there.address("A"), folder / "a.zip")
        yield Forger(folder, there, (folder / "a.zip").read_bytes())


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_ledger_whose_sums_fit_is_refused(kept: Forger, what: str) -> None:
    words = kept.refused(kept.resealed(FORGERIES[what](kept.lines)))
    assert "export" in words
    assert "Traceback" not in words


def test_any_value_anywhere_in_a_ledger_is_refused_or_taken_as_text(kept: Forger) -> None:
    chance = random.Random(3)
    odd: list[Any] = [None, True, -1, 0, 2**64, 1.5, "", "x", [], {}, "\0", "<script>", [[]], {"a": 1}, "1e999"]
    for _ in range(100):
        lines = kept.lines
        line = chance.choice(lines)
        line[chance.choice(list(line))] = chance.choice(odd)
        path = kept.resealed(lines)
        with suppress(ExportRefused), opened_export(path) as export, zipfile.ZipFile(path) as file:
            assert export.record.written == file.read("ledger.jsonl")


def test_another_population_of_the_store_is_never_joined_or_lowered(forger: Forger) -> None:
    """A forger names the store's own population: neither its address fits, nor would its name be free."""
    lines = [{**line, "population": "own"} if "population" in line else line for line in forger.lines]
    forger.refused(forger.resealed(lines, name="own"))
    with pytest.raises(PmwPubError):
        forger.store.address("own")


def test_whoever_compares_the_sum_finds_a_forgery_that_says_less_was_spent(forger: Forger) -> None:
    """A file has no signature: who can alter a file can reseal it. The sum that the export printed tells."""
    with zipfile.ZipFile(io.BytesIO(forger.written)) as file:
        total = hashlib.sha256(file.read("manifest.json")).hexdigest()
    path = forger.resealed(_charged(units=1)(forger.lines))
    with pytest.raises(ExportRefused, match="was expected"):
        import_population(forger.store, path, total=total)
    assert not import_population(forger.store, forger.file(forger.written), total=total).again
