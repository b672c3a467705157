"""Whether this program can open what an export holds: asked before a population is closed, and before one is taken in.

An export is what somebody sent. Its sums say that it is whole, not that its results are results: a zip in it may unpack
to more than any machine has, or name files outside its folder, a schema may be none. What pages would fail on later is
refused as a whole.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable

from pmwpub.errors import ExportRefused, tried
from pmwpub.ledger.moving.export_file import Export
from pmwpub.plans import RELEASE_KINDS, WorkloadChoice
from pmwpub.release.bundle import Bundle
from pmwpub.service.bought.stored_releases import LATE
from pmwpub.service.inputs.stored_tables import CANDIDATE, FORMER, NOTE
from pmwpub.service.inputs.study_store import CURRENT, SCHEMA, WORKLOAD
from pmwpub.service.unchanged_release import PUBLISHED
from pmwpub.tabular.schema.table_schema import Schema

MOST_UNPACKED = 2**29
"""The most bytes that one result or table may unpack to."""
_PIECE = 1 << 20
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_JSON_RESULTS = ("assessment", "best", "error", "misfits", "acceptance")


def check_readable(export: Export) -> None:
    """Raise ExportRefused where a result or a document of an export cannot be opened, or unpacks to too much."""
    for booking, outcome in zip(export.record.bookings, export.record.outcomes, strict=True):
        if outcome.sha256:
            kind = json.loads(booking.plan_json).get("kind")
            _check(f"result of kind {kind!r}", _of_result(kind), outcome.sha256, "", export)
    for line in export.record.documents:
        _check(
            f"document of kind {line.document!r}", _DOCUMENTS.get(line.document, _any), line.sha256, line.key, export
        )


def _check(what: str, reader: Callable[[bytes, str], None], sha256: str, key: str, export: Export) -> None:
    body = export.blob(sha256)
    _, failure = tried(lambda: reader(body, key))
    if failure:
        raise ExportRefused(
            f"The export has a {what[:80]} that this program cannot open ({failure}). Nothing was changed."
        )


def _of_result(kind: object) -> Callable[[bytes, str], None]:
    if kind in RELEASE_KINDS:
        return _bundle
    return _object if kind in _JSON_RESULTS else _any


def _any(body: bytes, _key: str) -> None:
    """What no page parses may be anything."""


def _object(body: bytes, _key: str) -> None:
    if not isinstance(json.loads(body), dict):
        raise ValueError("no object")


def _parts(body: bytes, _key: str) -> Bundle:
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        if sum(member.file_size for member in file.infolist()) > MOST_UNPACKED:
            raise ValueError("unpacks to too much")
        if not all(_NAME.fullmatch(name) for name in file.namelist()):
            raise ValueError("names that are no files of a release")
    return Bundle.from_bytes(body)


def _bundle(body: bytes, key: str) -> None:
    found = _parts(body, key)
    if not found.schema.sha256 or not found.certificate.n or not found.weights:
        raise ValueError("no release")


def _table(body: bytes, key: str) -> None:
    """A public table is kept packed, under the hash of its own bytes."""
    unpacker, digest, unpacked = zlib.decompressobj(wbits=31), hashlib.sha256(), 0
    rest = body
    while rest and not unpacker.eof:
        piece = unpacker.decompress(rest, _PIECE)
        digest.update(piece)
        unpacked += len(piece)
        rest = unpacker.unconsumed_tail
        if unpacked > MOST_UNPACKED:
            raise ValueError("unpacks to too much")
    if not unpacker.eof or unpacker.unused_data or digest.hexdigest() != key:
        raise ValueError("another table")


def _note(body: bytes, _key: str) -> None:
    said = json.loads(body)
    if not (isinstance(said["name"], str) and isinstance(said["attested"], bool)):
        raise ValueError("no note")


def _schema(body: bytes, key: str) -> None:
    if key == CURRENT:
        Schema.from_json(body)


def _workload(body: bytes, key: str) -> None:
    if key == CURRENT:
        WorkloadChoice.model_validate_json(body)


def _text(body: bytes, _key: str) -> None:
    body.decode()


def _late(body: bytes, key: str) -> None:
    _parts(body, key)


_DOCUMENTS: dict[str, Callable[[bytes, str], None]] = {
    CANDIDATE: _table,
    NOTE: _note,
    FORMER: _text,
    SCHEMA: _schema,
    WORKLOAD: _workload,
    LATE: _late,
    PUBLISHED: _bundle,
}
