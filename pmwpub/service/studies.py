"""A population's public state: schema, candidate tables, workload. Stored, so that a refresh loses nothing."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pmwpub.errors import FileRefused, LedgerError, PlanError, SchemaError
from pmwpub.jobs.work import PublicInput
from pmwpub.ledger import Balance, Population
from pmwpub.plans import AssessmentPlan, PublicInputs, ReleasePlan, WorkloadChoice
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.service.core import PrivateTable, Service
from pmwpub.tabular.encode import Encoded, encode_private, encode_public
from pmwpub.tabular.reading import TextTable, read_table
from pmwpub.tabular.schema import Schema, draft

SCHEMA = "schema"
WORKLOAD = "workload"
CANDIDATE = "candidate"
NOTE = "candidate-note"
CURRENT = "current"


@dataclass(frozen=True, eq=False)
class CandidateFacts:
    """A public table, encoded under the current schema; all public.

    problem  why it cannot be used under this schema, or ""
    """

    name: str
    sha256: str
    rows: int
    attested: bool
    support: Support | None = field(default=None, repr=False)
    dataset: Dataset | None = field(default=None, repr=False)
    dropped: int = 0
    ignored: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, eq=False)
class Study:
    """Everything public about a population's work so far."""

    population: Population
    balance: Balance
    schema: Schema | None
    candidates: tuple[CandidateFacts, ...]
    choice: WorkloadChoice | None
    demo: bool

    def candidate(self, sha256: str) -> CandidateFacts:
        """The candidate of that content; LedgerError if there is none."""
        for facts in self.candidates:
            if facts.sha256 == sha256:
                return facts
        raise LedgerError("That public table is not among this population's candidates; add it on the Data page.")

    @property
    def usable(self) -> tuple[CandidateFacts, ...]:
        """The candidates that fit the schema."""
        return tuple(facts for facts in self.candidates if facts.support is not None)

    def workload(self) -> Workload:
        """The chosen workload; SchemaError or LedgerError where a step is missing."""
        if self.schema is None:
            raise SchemaError("A workload needs a schema; draft or load one on the Data page.")
        if self.choice is None:
            raise LedgerError("Choose a workload on the Workload page first.")
        return self.choice.build(self.schema.domain)

    def inputs(self, candidates: Sequence[str]) -> PublicInputs:
        """What a plan names by content."""
        workload = self.workload()
        if self.schema is None or self.choice is None:
            raise SchemaError("A plan needs a schema and a workload.")
        for sha256 in candidates:
            facts = self.candidate(sha256)
            if facts.support is None:
                raise SchemaError(f"{facts.name} does not fit the schema: {facts.problem}")
            if not facts.attested:
                raise FileRefused(f"Attest first that {facts.name} was not derived from the private data.")
        return PublicInputs(
            schema_sha256=self.schema.sha256,
            workload_sha256=workload.sha256,
            workload=self.choice,
            candidates=tuple(sorted(set(candidates))),
        )

    def planned(self, plan: AssessmentPlan | ReleasePlan, private: PrivateTable) -> Workload:
        """The plan's own workload, once plan, private table and population are seen to belong together.

        Raises PlanError where they do not, before anything is charged.
        """
        terms, schema = self.population, self.schema
        if private.population != terms.name or (plan.n, plan.rows_per_person) != (terms.n, terms.rows_per_person):
            raise PlanError("The plan and the private table belong to other terms than this population's; plan again.")
        if schema is None or plan.inputs.schema_sha256 != schema.sha256:
            raise PlanError("The schema changed since this was planned; plan again.")
        if private.schema_sha256 != schema.sha256 or private.dataset.domain != schema.domain:
            raise PlanError("The private table was encoded with another schema; load it again.")
        workload = plan.inputs.workload.build(schema.domain)
        if workload.sha256 != plan.inputs.workload_sha256:
            raise PlanError("The plan's workload is not the one that its choice describes; plan again.")
        return workload

    def support(self, candidates: Sequence[str]) -> Support:
        """The support of one candidate, or the pool of several."""
        supports = [facts.support for facts in map(self.candidate, candidates) if facts.support is not None]
        return supports[0] if len(supports) == 1 else Support.union(*supports)

    def names(self, candidates: Sequence[str]) -> str:
        """Candidate names as people read them: "b.csv + c.csv" for a pool."""
        return " + ".join(self.candidate(sha256).name for sha256 in candidates)


def study(service: Service, population: str) -> Study:
    """Read a population's public state back from the store."""
    ledger = service.ledger
    schema_json = _latest(service, population, SCHEMA)
    schema = None if schema_json is None else Schema.from_json(schema_json)
    choice_json = _latest(service, population, WORKLOAD)
    keys = [entry.key for entry in ledger.documents(population, CANDIDATE)]
    facts = [_facts(service, population, key, schema) for key in keys]
    return Study(
        population=ledger.population(population),
        balance=ledger.balance(population),
        schema=schema,
        candidates=_told_apart(facts),
        choice=None if choice_json is None else WorkloadChoice.model_validate_json(choice_json),
        demo=any(mark.kind == "demo" for mark in ledger.marks(population)),
    )


def save_schema(service: Service, population: str, schema: Schema) -> None:
    """Make a schema the population's own; earlier results keep theirs."""
    service.ledger.put_document(population, SCHEMA, CURRENT, schema.to_json().encode())


def choose_workload(service: Service, population: str, choice: WorkloadChoice) -> None:
    """Make a workload the population's own, once it fits the schema; earlier results keep theirs."""
    schema = study(service, population).schema
    if schema is None:
        raise SchemaError("A workload needs a schema; draft or load one on the Data page.")
    choice.build(schema.domain)
    service.ledger.put_document(population, WORKLOAD, CURRENT, choice.model_dump_json().encode())


def draft_schema(service: Service, population: str) -> Schema:
    """A schema drafted from the candidate files, and only from those."""
    keys = [entry.key for entry in service.ledger.documents(population, CANDIDATE)]
    if not keys:
        raise SchemaError("A schema is drafted from public tables; add a candidate first.")
    return draft([_table(service, population, key) for key in keys])


def add_candidate(service: Service, population: str, filename: str, content: bytes | Path, *, attested: bool) -> str:
    """Read and store a public table; returns its SHA-256. The same bytes again only renew the note.

    Raises FileRefused when it cannot be read, or when its bytes are those of a private table that was charged.
    """
    table = read_table(content)
    verdict = service.ledger.recognise(population, table.content)
    if verdict.kind in ("same", "elsewhere") or verdict.populations:
        raise FileRefused("These bytes were used as a private table; a private table cannot be a candidate.")
    name = Path(filename.replace("\\", "/")).name or "candidate"
    note = json.dumps({"name": name, "attested": attested, "rows": len(table)}).encode()
    service.ledger.put_document(population, CANDIDATE, table.sha256, gzip.compress(table.content, mtime=0))
    service.ledger.put_document(population, NOTE, table.sha256, note)
    return table.sha256


def attest(service: Service, population: str, sha256: str, *, attested: bool) -> None:
    """Record that a candidate was (or was not) made without the private data."""
    note = json.loads(service.ledger.document(population, NOTE, sha256)) | {"attested": attested}
    service.ledger.put_document(population, NOTE, sha256, json.dumps(note).encode())


def remove_candidate(service: Service, population: str, sha256: str) -> None:
    """Delete a stored public table now; what was bought on it stays."""
    for kind in (CANDIDATE, NOTE):
        service.ledger.delete_documents(population, kind, sha256)


def load_private(service: Service, population: str, content: bytes | Path) -> PrivateTable:
    """Read and encode the private table under the current schema; nothing of it is stored or charged.

    Raises FileRefused or SchemaError, for the steward only; also when the bytes are those of a candidate.
    """
    current = study(service, population)
    if current.schema is None:
        raise SchemaError("Loading a private table needs a schema first; draft or load one.")
    table = read_table(content)
    for entry in service.ledger.documents(population, CANDIDATE):
        if _content(service, population, entry.key) == table.content:
            raise FileRefused("This file is one of the public candidates, byte for byte; load the private table.")
    terms = current.population
    encoded = encode_private(table, current.schema, n=terms.n, rows_per_person=terms.rows_per_person)
    return PrivateTable(
        population=population,
        schema_sha256=current.schema.sha256,
        dataset=encoded.dataset,
        content=table.content,
        verdict=service.ledger.recognise(population, table.content),
        ignored=encoded.ignored,
        unplaced_cells=sum(encoded.unplaced.values()),
        demo=current.demo,
    )


def acknowledge(service: Service, private: PrivateTable) -> PrivateTable:
    """Record the decision that one table serves several populations; returns the table as now recognised."""
    service.ledger.acknowledge(private.population, private.content)
    verdict = service.ledger.recognise(private.population, private.content)
    return PrivateTable(**{**vars(private), "verdict": verdict})


def public_core(service: Service, current: Study, candidates: Sequence[str], workload: Workload) -> PublicInput:
    """What PMW^Pub runs on, built from a public support and a workload; kept by content for every session."""
    if current.schema is None:
        raise SchemaError("A run needs a schema; draft or load one on the Data page.")
    key = f"{workload.sha256}:{current.schema.sha256}:{'+'.join(candidates)}"
    return service.cache(f"core:{key}", lambda: PublicInput(key, workload, current.support(candidates)))


def encoded_candidate(service: Service, population: str, sha256: str, schema: Schema) -> Encoded:
    """A candidate under a schema; kept in the shared cache, for both are public."""
    key = f"encoded:{sha256}:{schema.sha256}"
    return service.cache(key, lambda: encode_public(_table(service, population, sha256), schema))


def _facts(service: Service, population: str, sha256: str, schema: Schema | None) -> CandidateFacts:
    note = json.loads(service.ledger.document(population, NOTE, sha256))
    plain = {"name": note["name"], "sha256": sha256, "rows": note["rows"], "attested": note["attested"]}
    if schema is None:
        return CandidateFacts(**plain, problem="No schema yet.")
    try:
        encoded = encoded_candidate(service, population, sha256, schema)
    except (SchemaError, FileRefused) as refusal:
        return CandidateFacts(**plain, problem=str(refusal))
    support = service.cache(f"support:{sha256}:{schema.sha256}", lambda: Support.of(encoded.dataset))
    return CandidateFacts(
        **plain, support=support, dataset=encoded.dataset, dropped=encoded.dropped, ignored=encoded.ignored
    )


def _told_apart(facts: Sequence[CandidateFacts]) -> tuple[CandidateFacts, ...]:
    """Two tables of one file name get the beginning of their hash behind it, for results go by name."""
    names = Counter(one.name for one in facts)
    return tuple(one if names[one.name] == 1 else replace(one, name=f"{one.name} ({one.sha256[:8]})") for one in facts)


def _latest(service: Service, population: str, kind: str) -> bytes | None:
    if not service.ledger.documents(population, kind):
        return None
    return service.ledger.document(population, kind, CURRENT)


def _content(service: Service, population: str, sha256: str) -> bytes:
    return gzip.decompress(service.ledger.document(population, CANDIDATE, sha256))


def _table(service: Service, population: str, sha256: str) -> TextTable:
    return service.cache(f"table:{sha256}", lambda: read_table(_content(service, population, sha256)))
