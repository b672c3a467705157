"""The file of an export: a zip without compression, with a manifest, the ledger's lines, and results and documents.

`manifest.json` names the population, the address that it goes to, and the SHA-256 of `ledger.jsonl`; that one names
all others, `blobs/<SHA-256>`. The sum of an export is the SHA-256 of its manifest. Times, order and flags are fixed, so
that the same contents give the same bytes.

Who reads such a file trusts nothing in it: members are read by their names, in memory, up to a size, and none is
unpacked to a path.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pmwpub.errors import ExportRefused
from pmwpub.ledger.moving.export_lines import MovedRecord, read_record
from pmwpub.ledger.moving.receipts import ADDRESS
from pmwpub.strict_json import read_strictly

FORMAT, VERSION = "pmwpub export", 1
MANIFEST, LEDGER, BLOBS = "manifest.json", "ledger.jsonl", "blobs/"
MOST_BYTES = 512 * 2**20
"""The most bytes of one member: of the lines, of a result, of a document."""
MOST_MEMBERS = 200_000
_MOST_OF_MANIFEST = 10_000
_BLOB = re.compile(r"blobs/[0-9a-f]{64}")
_BROKEN = (zipfile.BadZipFile, EOFError, OSError, RuntimeError, NotImplementedError, ValueError, OverflowError)
NOTHING = "Nothing was imported."
MORE = f"The file has bytes before, between or behind the export's own: it is not as it was written. {NOTHING}"
_HEADER, _END = 30, 22
"""The bytes of a zip's header of a member without its name, and of its end without a comment."""


@dataclass(frozen=True)
class Manifest:
    """What an export is of, where it goes, and the hash of its lines."""

    population: str
    address: str
    ledger_sha256: str

    @property
    def written(self) -> bytes:
        """As it stands in the file."""
        said = {"format": FORMAT, "version": VERSION, **vars(self)}
        return (json.dumps(said, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode()

    @property
    def total(self) -> str:
        """The sum of the export."""
        return hashlib.sha256(self.written).hexdigest()


@dataclass(frozen=True)
class Export:
    """A whole export: its manifest, its lines, and a way to its results and documents by hash."""

    manifest: Manifest
    record: MovedRecord
    blob: Callable[[str], bytes]


def manifest_of(population: str, address: str, record: MovedRecord) -> Manifest:
    """The manifest that belongs to a record."""
    return Manifest(population, address, hashlib.sha256(record.written).hexdigest())


def write_export(stream: IO[bytes], export: Export) -> None:
    """Write an export, one blob in memory at a time."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as file:
        file.writestr(_member(MANIFEST), export.manifest.written)
        file.writestr(_member(LEDGER), export.record.written)
        for sha256 in export.record.blobs:
            file.writestr(_member(BLOBS + sha256), export.blob(sha256))


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.compress_type, member.create_system, member.external_attr = zipfile.ZIP_STORED, 3, 0o600 << 16
    return member


@contextmanager
def opened_export(path: Path) -> Iterator[Export]:
    """Lend an export whose manifest and lines were checked; each blob is checked as it is read.

    Raises ExportRefused for a file that pmwpub did not write, or that is damaged.
    """
    try:
        file = zipfile.ZipFile(path)
    except OSError as failure:
        raise ExportRefused(f"{path} cannot be read: {failure.strerror or 'no such file'}.") from None
    except _BROKEN:
        raise ExportRefused(f"{path} is no export of pmwpub, or is not whole. {NOTHING}") from None
    with file:
        members = _members(file, path.stat().st_size)
        _refuse_more(file, path)
        manifest = _manifest(_read(file, members, MANIFEST))
        lines = _read(file, members, LEDGER)
        if hashlib.sha256(lines).hexdigest() != manifest.ledger_sha256:
            raise ExportRefused(f"The export's ledger was altered or damaged: its sum differs. {NOTHING}")
        record = read_record(lines, manifest.population)
        if set(members) != {MANIFEST, LEDGER, *(BLOBS + one for one in record.blobs)}:
            raise ExportRefused(f"The export has other members than its ledger names. {NOTHING}")
        yield Export(manifest, record, lambda sha256: _blob(file, members, sha256))


def _members(file: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The members by name; ExportRefused for one that is compressed, too large, twice there, or of another name."""
    found = {one.filename: one for one in file.infolist()}
    members = file.infolist()
    if (
        len(found) != len(members)
        or len(members) > MOST_MEMBERS
        or not all(one in (MANIFEST, LEDGER) or _BLOB.fullmatch(one) for one in found)
    ):
        raise ExportRefused(f"The file has members that no export of pmwpub has. {NOTHING}")
    if any(
        one.compress_type != zipfile.ZIP_STORED or one.compress_size != one.file_size or one.flag_bits & 1
        for one in members
    ):
        raise ExportRefused(f"The file is compressed or encrypted, as no export of pmwpub is. {NOTHING}")
    if any(one.file_size > MOST_BYTES for one in members) or sum(one.file_size for one in members) > size:
        raise ExportRefused(f"The file claims more bytes than an export may have, or than it has. {NOTHING}")
    return found


def _refuse_more(file: zipfile.ZipFile, path: Path) -> None:
    """Raise ExportRefused for bytes before, between or after members, or behind the end: no sum is over them."""
    place = 0
    for one in sorted(file.infolist(), key=lambda member: member.header_offset):
        if one.header_offset != place:
            raise ExportRefused(MORE)
        place += _HEADER + len(one.filename) + one.file_size
    with path.open("rb") as stream:
        stream.seek(-_END, os.SEEK_END)
        end = stream.read()
    if file.start_dir != place or not end.startswith(b"PK\5\6") or not end.endswith(b"\0\0"):
        raise ExportRefused(MORE)


def _read(file: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], name: str) -> bytes:
    if name not in members:
        raise ExportRefused(f"The export lacks {name}. {NOTHING}")
    try:
        with file.open(members[name]) as stream:
            body = stream.read(MOST_BYTES + 1)
    except _BROKEN:
        raise ExportRefused(f"The export's {name} is damaged. {NOTHING}") from None
    if len(body) != members[name].file_size:
        raise ExportRefused(f"The export's {name} is not whole. {NOTHING}")
    return body


def _blob(file: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], sha256: str) -> bytes:
    body = _read(file, members, BLOBS + sha256)
    if hashlib.sha256(body).hexdigest() != sha256:
        raise ExportRefused(f"A result or document of the export was altered or damaged: its sum differs. {NOTHING}")
    return body


def _manifest(body: bytes) -> Manifest:
    try:
        said = read_strictly(body[:_MOST_OF_MANIFEST])
        if not isinstance(said, dict) or said.get("format") != FORMAT:
            raise ValueError("another format")
        if said.get("version") != VERSION:
            raise ExportRefused(f"The export has another version than {VERSION}, which this program reads. {NOTHING}")
        manifest = Manifest(str(said["population"]), str(said["address"]), str(said["ledger_sha256"]))
        if not ADDRESS.fullmatch(manifest.address) or manifest.written != body:
            raise ValueError("written otherwise")
    except (ValueError, KeyError):
        raise ExportRefused(f"The export's manifest is none that pmwpub writes. {NOTHING}") from None
    return manifest
