"""Whether this program can open what an export holds: asked before a population is closed, and before one is taken in.

An export is what somebody sent. Its sums say that it is whole, not that its results are results: a zip in it may unpack
to more than any machine has, or name files outside its folder, a schema may be none. What pages would fail on later is
refused as a whole.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from functools import partial

from pmwpub.errors import ExportRefused, tried
from pmwpub.ledger import Booking, PlanKey
from pmwpub.ledger.moving.export_file import Export
from pmwpub.ledger.recovery.witness_lines import BookingLine
from pmwpub.plans import WorkloadChoice
from pmwpub.service.bought.stored_releases import LATE
from pmwpub.service.inputs.stored_tables import CANDIDATE, FORMER, NOTE
from pmwpub.service.inputs.study_store import CURRENT, SCHEMA, WORKLOAD
from pmwpub.service.moving import readable_results
from pmwpub.service.moving.readable_results import check_result
from pmwpub.service.unchanged_release import PUBLISHED
from pmwpub.tabular.schema.table_schema import Schema

_PIECE = 1 << 20


def check_readable(export: Export) -> None:
    """Raise ExportRefused where a result or a document of an export cannot be opened, or unpacks to too much."""
    for line, outcome in zip(export.record.bookings, export.record.outcomes, strict=True):
        body = export.blob(outcome.sha256) if outcome.sha256 else None
        kind = json.loads(line.plan_json).get("kind")
        _check(f"plan or result of kind {kind!r}", partial(check_result, _booking(line), body))
    for one in export.record.documents:
        reader, body = _DOCUMENTS.get(one.document, _any), export.blob(one.sha256)
        _check(f"document of kind {one.document!r}", partial(reader, body, one.key))


def _check(what: str, read: Callable[[], object]) -> None:
    _, failure = tried(read)
    if failure:
        raise ExportRefused(
            f"The export has a {what[:80]} that this program cannot open ({failure}). Nothing was changed."
        )


def _booking(line: BookingLine) -> Booking:
    """A plan as a store would hold it; its number is none that any store gives."""
    return Booking(0, line.population, PlanKey(line.plan_sha256, line.repeat), line.plan_json, (), "done", line.created)


def _any(body: bytes, _key: str) -> None:
    """What no page parses may be anything."""


def _bundle(body: bytes, _key: str) -> None:
    readable_results.check_bundle(body)


def _table(body: bytes, key: str) -> None:
    """A public table is kept packed, under the hash of its own bytes."""
    unpacker, digest, unpacked = zlib.decompressobj(wbits=31), hashlib.sha256(), 0
    rest = body
    while rest and not unpacker.eof:
        piece = unpacker.decompress(rest, _PIECE)
        digest.update(piece)
        unpacked += len(piece)
        rest = unpacker.unconsumed_tail
        if unpacked > readable_results.MOST_UNPACKED:
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


def _late(body: bytes, _key: str) -> None:
    readable_results.parts_of(body)


_DOCUMENTS: dict[str, Callable[[bytes, str], None]] = {
    CANDIDATE: _table,
    NOTE: _note,
    FORMER: _text,
    SCHEMA: _schema,
    WORKLOAD: _workload,
    LATE: _late,
    PUBLISHED: _bundle,
}
