"""Files that a command calls public, or plays as the truth, and that the ledger knows as a private table."""

from __future__ import annotations

from collections.abc import Mapping

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.ledger import Ledger
from pmwpub.service.inputs.overlap_check import Offered
from pmwpub.service.policy import Policy
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.schema.table_schema import Schema

PUBLIC = "Levels, bins and comparisons come from public tables alone; name a public one."
TRUTH = (
    "What a simulation on it shows is covered by no epsilon. Compare simulates on the loaded private table, for its "
    "steward alone, and records it first."
)


def refuse_known(
    ledger: Ledger, policy: Policy, files: Mapping[str, TextTable], consequence: str, schema: Schema | None = None
) -> None:
    """FileRefused where a file has the rows of a private table that was charged, in a single user's service.

    files        by the names that people gave
    consequence  why that matters, and what to do
    schema       under which rows are compared as coded, beside those that the store's populations have

    Privacy: comparing a file with charged tables is a question about private rows; it is answered where all sessions
    are one steward's. In a shared service the store's fingerprints are not asked, and nothing is recorded, for no
    population is named.
    """
    if not policy.answers:
        return
    schemas = {one.sha256: one for one in [*([] if schema is None else [schema]), *_stored(ledger)]}
    for name, table in files.items():
        seen = [view for one in schemas.values() for view in _views(table, one)]
        if under := ledger.charged_under(table.same_rows(), seen):
            raise FileRefused(
                f"{name} has the rows of the private table that was charged under {', '.join(under)}. {consequence}"
            )


def _views(table: TextTable, schema: Schema) -> tuple[bytes, ...]:
    if not {column.name for column in schema.encoded} <= set(table.header):
        return ()
    return Offered.of("", "", table, schema).views


def _stored(ledger: Ledger) -> list[Schema]:
    """The schemas of the store's populations; what cannot be read by this program serves for no comparison."""
    found = []
    for population in ledger.populations():
        for _, body in ledger.document_versions(population.name, "schema", "current"):
            try:
                found.append(Schema.from_json(body))
            except SchemaError:
                continue
    return found
