"""What is known of each candidate under the current schema: its codes and support, or why it does not fit. Public."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.study import CandidateFacts
from pmwpub.tabular.coding.encode import Encoded, encode_public, weighed_by
from pmwpub.tabular.schema.table_schema import Schema


def facts_of_all(
    service: Service, population: str, notes: Mapping[str, Mapping[str, Any]], schema: Schema | None
) -> tuple[CandidateFacts, ...]:
    """The facts of each candidate, in the order of the notes; what takes long is kept in the shared cache.

    notes   what is stored about each candidate, by SHA-256, as `stored_tables.note` gives it
    schema  None where the population has none yet; no candidate then has codes
    """
    return _told_apart([_facts(service, population, sha256, note, schema) for sha256, note in notes.items()])


def _encoded(service: Service, population: str, sha256: str, read: str, schema: Schema) -> Encoded:
    """A candidate, coded under a schema; kept in the shared cache, for both are public."""
    key = f"encoded:{sha256}{read}:{schema.sha256}"
    return service.cache(key, lambda: encode_public(stored_tables.table(service, population, sha256), schema))


def _facts(
    service: Service, population: str, sha256: str, note: Mapping[str, Any], schema: Schema | None
) -> CandidateFacts:
    options = stored_tables.options_of(note)
    plain = {key: note[key] for key in ("name", "rows", "attested")} | {"sha256": sha256, "options": options}
    if schema is None:
        return CandidateFacts(**plain, problem="No schema yet.")
    try:
        encoded = _encoded(service, population, sha256, stored_tables.spelt(options), schema)
    except (SchemaError, FileRefused) as refusal:
        return CandidateFacts(**plain, problem=str(refusal))
    support = service.cache(f"support:{sha256}{stored_tables.spelt(options)}:{schema.sha256}", lambda: encoded.support)
    return CandidateFacts(
        **plain,
        support=support,
        dataset=encoded.dataset,
        dropped=encoded.dropped,
        broken=encoded.broken,
        by_rule=encoded.by_rule,
        ignored=encoded.ignored,
        as_truth=encoded.as_truth,
        weights=encoded.weights,
        weighed_by=weighed_by(encoded, schema),
        weightless=encoded.weightless,
    )


def _told_apart(facts: Sequence[CandidateFacts]) -> tuple[CandidateFacts, ...]:
    """Two tables of one file name get the beginning of their hash behind it, for results go by name."""
    names = Counter(one.name for one in facts)
    return tuple(one if names[one.name] == 1 else replace(one, name=f"{one.name} ({one.sha256[:8]})") for one in facts)
