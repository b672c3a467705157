"""A population's public state: schema, candidate tables, workload. It is stored, so that a refresh loses nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.ledger.moving.closings import closing_of
from pmwpub.plans import WorkloadChoice
from pmwpub.progress import Progress, about_to_keep, unwatched
from pmwpub.service.core import Service
from pmwpub.service.households.household_unit import check_unit
from pmwpub.service.households.stored_rule import stored_rule
from pmwpub.service.inputs import candidate_facts, overlap_check, stored_tables
from pmwpub.service.inputs.bundled_sample import refuse_another, sample_of
from pmwpub.service.inputs.known_tables import recognised
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.weighing.bought_totals import totals_of
from pmwpub.tabular.files.reading import TextTable, open_table, read_table
from pmwpub.tabular.files.source import STREAMED, FileLimits
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.private_pass import KEPT, Survey, survey
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks.counting_cluster import spread

if TYPE_CHECKING:
    from pmwpub.tabular.schema.codebook import Codebook
    from pmwpub.tabular.schema.draft_record import Remedy
    from pmwpub.tabular.schema.drafting import Binning

SCHEMA = "schema"
WORKLOAD = "workload"
CURRENT = "current"
PRIVATE_ROWS = "These are the rows of a private table; a private table cannot be a candidate."


def study(service: Service, population: str) -> Study:
    """Read a population's public state back from the store."""
    ledger = service.ledger
    with ledger.view():
        terms, balance, marks = ledger.population(population), ledger.balance(population), ledger.marks(population)
        schema_json, choice_json = (_latest(service, population, kind) for kind in (SCHEMA, WORKLOAD))
        notes = {key: stored_tables.note(service, population, key) for key in stored_tables.keys(service, population)}
        former = stored_tables.former_names(service, population)
        totals = totals_of(service, population)
        rule = stored_rule(service, terms)
    schema = None if schema_json is None else _read_once(service, schema_json)
    return Study(
        population=terms,
        balance=balance,
        schema=schema,
        candidates=candidate_facts.facts_of_all(service, population, notes, schema),
        choice=None if choice_json is None else _fitting(WorkloadChoice.model_validate_json(choice_json), schema),
        demo=any(mark.kind == "demo" for mark in marks),
        former=former,
        closed=closing_of(marks),
        totals=totals,
        household=rule,
        sample=sample_of([mark.note for mark in marks if mark.kind == "demo"]),
    )


def _read_once(service: Service, schema_json: bytes) -> Schema:
    """A stored schema, parsed once for all sessions, with the hash and the domain that are found of it meanwhile."""
    return service.cache(f"schema:{hashlib.sha256(schema_json).hexdigest()}", lambda: Schema.from_json(schema_json))


def _fitting(choice: WorkloadChoice, schema: Schema | None) -> WorkloadChoice | None:
    """The chosen workload, or none where the schema has no longer the columns that it is about."""
    if schema is None:
        return choice
    domain = schema.domain
    known = all(set(group) <= set(domain.names) for group in choice.names or ())
    alone = known and all(domain.related(map(domain.index, group)) is None for group in choice.names or ())
    ordered = {attribute.name for attribute in domain.attributes if attribute.ordered > 1}
    return choice if choice.k <= len(domain.lineages) and alone and set(choice.prefixes) <= ordered else None


def save_schema(service: Service, population: str, schema: Schema) -> None:
    """Make a schema the population's own; earlier results keep theirs."""
    service.refuse_viewers(population)
    service.ledger.put_document(population, SCHEMA, CURRENT, schema.to_json().encode())


def choose_workload(service: Service, population: str, choice: WorkloadChoice) -> None:
    """Make a workload the population's own, once it fits the schema; earlier results keep theirs."""
    service.refuse_viewers(population)
    schema = study(service, population).schema
    if schema is None:
        raise SchemaError("A workload needs a schema; draft or load one on the Prepare page.")
    choice.build(schema.domain)
    service.ledger.put_document(population, WORKLOAD, CURRENT, choice.model_dump_json().encode())


def draft_schema(
    service: Service,
    population: str,
    *,
    codebook: Codebook | None = None,
    bins: int = 10,
    binning: Binning = "rounded",
    remedies: Sequence[Remedy] = (),
    progress: Progress = unwatched,
) -> Schema:
    """A schema drafted from the candidate files and a codebook, and only from those, without suspicious columns.

    remedies  what a person decided about single columns
    """
    from pmwpub.tabular.review.without_suspects import drafted  # what a draft needs, and no purchase
    from pmwpub.tabular.schema.drafting import Recipe

    tables = stored_tables.tables(service, population)
    if not tables and codebook is None:
        raise SchemaError("A schema is drafted from public tables or a codebook; add a candidate first.")
    labels = stored_tables.names(service, population)
    recipe = Recipe(bins, binning)
    found = drafted(tables, recipe, codebook=codebook, remedies=remedies, labels=labels, progress=progress)
    return found.schema


def add_candidate(
    service: Service,
    population: str,
    filename: str,
    content: bytes | Path | TextTable,
    *,
    attested: bool,
    options: ReadOptions | None = None,
    private: PrivateTable | None = None,
    progress: Progress = unwatched,
) -> str:
    """Read and store a public table; returns its SHA-256. If it is a candidate already, only an attestation is added.

    content  the file, or the table that was read from it under `options`
    private  the table that the session holds, if it holds one

    Raises FileRefused when it cannot be read, when its bytes are a candidate already that is read in another way, and,
    in a single user's service, when its rows are those of `private` or of a private table that was charged. In a
    shared one what is stored depends on no private row: the session's steward is warned before (`offers.offer`).
    """
    service.refuse_viewers(population)
    table = content if isinstance(content, TextTable) else read_table(content, options=options)
    if service.policy.answers:
        refuse_private(service, population, table, private)
    note = {"name": stored_tables.file_name(filename), "attested": attested, "rows": len(table)}
    if options is not None:
        note |= stored_tables.described(options)
    known = stored_tables.known(service, population, table.sha256)
    if known is not None:
        if stored_tables.options_of(known) != options:
            raise FileRefused("These bytes are a candidate already, read with other options; remove that one first.")
        if attested and not known["attested"]:
            about_to_keep(progress)
            stored_tables.put_note(service, population, table.sha256, known | {"attested": True})
        return table.sha256
    stored_tables.put(service, population, table, note, progress)
    return table.sha256


def refuse_private(service: Service, population: str, table: TextTable, private: PrivateTable | None) -> None:
    """Raise FileRefused where a public table has the rows of the loaded private one, or of one that was charged.

    It is for a single user's service: in a shared one nobody is answered that.
    """
    rows = table.same_rows()
    views: tuple[bytes, ...] = ()
    own = private is not None and private.rows == rows
    if private is not None and not own:
        own, views = overlap_check.seen_alike(private, table, study(service, private.population).schema)
    verdict = service.ledger.recognise(population, rows, views)
    if own or verdict.kind in ("same", "elsewhere") or verdict.populations:
        raise FileRefused(PRIVATE_ROWS)


def attest(service: Service, population: str, sha256: str, *, attested: bool) -> None:
    """Record that a candidate was (or was not) made without the private data."""
    service.refuse_viewers(population)
    note = stored_tables.note(service, population, sha256) | {"attested": attested}
    stored_tables.put_note(service, population, sha256, note)


def remove_candidate(service: Service, population: str, sha256: str) -> None:
    """Delete a stored public table now; what was bought on it stays."""
    service.refuse_viewers(population)
    stored_tables.remove(service, population, sha256)


def load_private(
    service: Service,
    population: str,
    content: bytes | Path,
    *,
    options: ReadOptions | None = None,
    cluster: str | None = None,
    progress: Progress = unwatched,
) -> PrivateTable:
    """Read and encode the private table under the current schema; none of its rows is stored, and nothing charged.

    cluster  the scheduler of a Dask cluster whose workers count the parts of a Parquet table, where given; it is
             checked on this machine all the same
    progress for the steward: how many rows are read; what it raises ends the reading, and nothing is held

    Raises FileRefused or SchemaError, for the steward only; in a single user's service also when the rows are those of
    a candidate. In a shared one every load leaves the same record for the operator, match or not, and no answer.
    """
    service.refuse_viewers(population)
    current = study(service, population)
    terms = current.population
    check_unit(terms, None)
    compared = overlap_check.comparison(service, current)
    found = _surveyed(content, options, current, compared, KEPT if cluster is None else 0, progress)
    if service.policy.answers:
        overlap_check.refuse_candidate(service, current, found, compared)
    if current.demo:
        refuse_another(current.sample, found.digest)
    rows = found.admitted(n=terms.n, rows_per_person=terms.rows_per_person)
    about_to_keep(progress)
    table, verdict = recognised(service, current, found)
    return PrivateTable(
        population=population,
        schema_sha256="" if current.schema is None else current.schema.sha256,
        dataset=rows if cluster is None else spread(rows, content, cluster),
        n=terms.n,
        rows_per_person=terms.rows_per_person,
        source=content,
        rows=found.digest,
        views=found.views,
        numbers=found.numbers,
        table=table,
        verdict=verdict,
        ignored=found.ignored,
        unplaced_cells=sum(found.unplaced.values()),
        demo=current.demo,
        options=options,
        overlaps=overlap_check.found(service, current, compared, found.digest, found.views, rows),
        compared=overlap_check.in_force(current),
    )


def _surveyed(
    content: bytes | Path,
    options: ReadOptions | None,
    current: Study,
    compared: overlap_check.OverlapSearch,
    kept: int,
    progress: Progress,
) -> Survey:
    """One pass over a private table: its checks, its codes, and what it shares with the candidates."""
    if current.schema is None:
        raise SchemaError("Loading a private table needs a schema first; draft or load one.")
    return survey(
        open_table(content, options=options, limits=STREAMED if isinstance(content, Path) else FileLimits()),
        current.schema,
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        searches=compared.runs,
        likenesses=compared.likenesses,
        kept=kept,
        progress=progress,
    )


def compared_again(service: Service, private: PrivateTable, current: Study | None = None) -> PrivateTable:
    """A loaded private table with what it shares with the candidates of now: some may have come since.

    Privacy: for the steward only, like the table itself.
    """
    current = current or study(service, private.population)
    if overlap_check.in_force(current) <= private.compared:
        return private
    compared = overlap_check.comparison(service, current)
    compared.show(private, current.schema)
    found = overlap_check.found(service, current, compared, private.rows, private.views, private.dataset)
    return replace(private, overlaps=found, compared=overlap_check.in_force(current))


def acknowledge(service: Service, private: PrivateTable) -> PrivateTable:
    """Record the decision that one table serves several populations; returns the table as now recognised.

    Raises PlanError in a shared service: nobody there is told that there is anything to decide.
    """
    service.refuse_viewers(private.population)
    service.policy.refuse_unanswered()
    service.ledger.acknowledge(private.population, private.rows, private.views)
    return replace(private, verdict=service.ledger.recognise(private.population, private.rows, private.views))


def _latest(service: Service, population: str, kind: str) -> bytes | None:
    if not service.ledger.documents(population, kind):
        return None
    return service.ledger.document(population, kind, CURRENT)
