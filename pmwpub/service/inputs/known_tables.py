"""Tables that the ledger knows: a private one as it is loaded, and files that a command calls public or the truth."""

from __future__ import annotations

from collections.abc import Mapping

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.ledger import Ledger, TableHandle, TableVerdict
from pmwpub.service.core import Service
from pmwpub.service.inputs.overlap_check import Offered
from pmwpub.service.inputs.study import Study
from pmwpub.service.policy import Policy
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.private_pass import Survey
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


def recognised(service: Service, current: Study, found: Survey) -> tuple[TableHandle | None, TableVerdict | None]:
    """What the ledger keeps of a table once it is charged, and how it relates to charged ones, where that is answered.

    Privacy: in a shared service the ledger's fingerprints are not asked; the load is recorded for the operator.
    """
    name = current.population.name
    if service.policy.answers:
        verdict = service.ledger.recognise(name, found.digest, found.views)
        return (None if current.demo else verdict.table), verdict
    return (None if current.demo else service.ledger.loaded(name, found.digest, found.views)), None
