"""Candidate tables as they are stored: raw bytes under their SHA-256, and a note that says how to read them."""

from __future__ import annotations

import gzip
import io
import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pmwpub.progress import Progress, about_to_keep, unwatched
from pmwpub.service.core import Service
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions

CANDIDATE = "candidate"
NOTE = "candidate-note"
FORMER = "candidate-name"
"""The name of a table that was removed, kept where something was bought on it."""
PIECE = 1 << 22
"""Bytes that are packed between two words on progress."""
LEVEL = 2
"""Of gzip: a tenth of the time of its slowest level for a tenth more bytes. A table is known by its own bytes' hash, so
that tables which were stored at another level read as before."""


def keys(service: Service, population: str) -> list[str]:
    """The SHA-256 of each candidate, oldest first. Bytes without a note are none: their program broke off."""
    with service.ledger.view():
        stored = service.ledger.documents(population, CANDIDATE)
        noted = {entry.key for entry in service.ledger.documents(population, NOTE)}
    return [entry.key for entry in stored if entry.key in noted]


def known(service: Service, population: str, sha256: str) -> dict[str, Any] | None:
    """The note of a candidate, or None where there is no such candidate, read in one state of the store."""
    with service.ledger.view():
        return note(service, population, sha256) if sha256 in keys(service, population) else None


def remove(service: Service, population: str, sha256: str) -> None:
    """Delete a candidate with its notes; its name stays where something was bought on it, for what was bought stays."""
    described = known(service, population, sha256)
    if described and any(sha256 in booking.plan_json for booking in service.ledger.bookings(population)):
        service.ledger.put_document(population, FORMER, sha256, described["name"].encode())
    service.ledger.delete_documents(population, (CANDIDATE, NOTE), sha256)


def former_names(service: Service, population: str) -> dict[str, str]:
    """SHA-256 -> name of removed tables on which something was bought."""
    found = service.ledger.documents(population, FORMER)
    return {one.key: service.ledger.document(population, FORMER, one.key).decode() for one in found}


def content(service: Service, population: str, sha256: str) -> bytes:
    """The raw bytes of a candidate; LedgerError if there is none."""
    return gzip.decompress(service.ledger.document(population, CANDIDATE, sha256))


def table(service: Service, population: str, sha256: str) -> TextTable:
    """A candidate as text, read as its note says; kept in the shared cache, for it is public."""
    options = options_of(note(service, population, sha256))
    key = f"table:{sha256}{spelt(options)}"
    return service.cache(key, lambda: read_table(content(service, population, sha256), options=options))


def tables(service: Service, population: str) -> list[TextTable]:
    """All candidates as text, oldest first."""
    return [table(service, population, key) for key in keys(service, population)]


def names(service: Service, population: str) -> list[str]:
    """What the candidates are called, oldest first; files of one name are told apart by their place."""
    found = [note(service, population, key)["name"] for key in keys(service, population)]
    return [name if found.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(found, start=1)]


def file_name(given: str) -> str:
    """The name of a file as it is kept and shown: its last part, with U+FFFD for what cannot be written as text."""
    name = Path(given.replace("\\", "/")).name or "candidate"
    return "".join("\ufffd" if unicodedata.category(letter) in ("Cc", "Cs") else letter for letter in name)


def put(
    service: Service, population: str, read: TextTable, described: dict[str, Any], progress: Progress = unwatched
) -> None:
    """Store a table's bytes and its note together; the same bytes again only renew the note.

    progress  is told how many bytes are packed; what it raises leaves nothing stored
    """
    packed, said = _packed(read.content, progress), json.dumps(described).encode()
    about_to_keep(progress)
    service.ledger.put_documents(population, [(CANDIDATE, read.sha256, packed), (NOTE, read.sha256, said)])


def _packed(body: bytes, progress: Progress) -> bytes:
    """The bytes as one gzip file, whose header names no time."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=LEVEL, mtime=0) as file:
        for at in range(0, len(body), PIECE):
            file.write(body[at : at + PIECE])
            progress(min(at + PIECE, len(body)), len(body))
    return packed.getvalue()


def put_note(service: Service, population: str, sha256: str, described: dict[str, Any]) -> None:
    """Store what is known about a candidate."""
    service.ledger.put_document(population, NOTE, sha256, json.dumps(described).encode())


def note(service: Service, population: str, sha256: str) -> dict[str, Any]:
    """What is known about a candidate: name, rows, attested, and encoding and delimiter where they were confirmed."""
    return json.loads(service.ledger.document(population, NOTE, sha256))


def options_of(noted: Mapping[str, Any]) -> ReadOptions | None:
    """The confirmed reading options of a note."""
    if "encoding" not in noted:
        return None
    return ReadOptions(
        noted["encoding"], noted["delimiter"], noted.get("row_names", False), noted.get("no_header", False)
    )


def described(options: ReadOptions) -> dict[str, Any]:
    """What a note says of reading options: `options_of` reads it."""
    said: dict[str, Any] = {"encoding": options.encoding, "delimiter": options.delimiter}
    said |= {"row_names": True} if options.row_names else {}
    return said | ({"no_header": True} if options.no_header else {})


def spelt(options: ReadOptions | None) -> str:
    """Reading options as a part of cache keys: one file that is read in two ways is two tables."""
    return "" if options is None else f"({options.spelt})"
