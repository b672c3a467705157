"""The review of a population's columns before anything has a price."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from pmwpub.errors import SchemaError
from pmwpub.progress import Progress, Stoppable, unwatched
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.misfit_pass import public_misfits
from pmwpub.tabular.nesting.level_trees import LevelTree, level_trees
from pmwpub.tabular.review.column_review import LEFT_OUT, Review, ReviewedColumn, review
from pmwpub.tabular.review.misfit_risks import MisfitRisk, misfit_risks
from pmwpub.tabular.review.without_suspects import as_it_stands
from pmwpub.tabular.schema.column_types import CategoricalColumn, NumericColumn
from pmwpub.tabular.schema.draft_record import Draft, Left, NothingToEncode, Remedy
from pmwpub.tabular.schema.drafting import Binning, Recipe, edges, levels, propose

__all__ = [
    "LEFT_OUT",
    "LevelTree",
    "MisfitRisk",
    "Remedy",
    "Review",
    "ReviewedColumn",
    "Stoppable",
    "bin_edges",
    "nested_levels",
    "public_levels",
    "public_shares",
    "reviewed",
    "risky",
]


def reviewed(service: Service, current: Study, progress: Progress = unwatched) -> Review | None:
    """One row a column of the candidates, under the population's schema; None without schema or candidates.

    Kept in the shared cache, for all of it is public: of the same files under the same names, for its words name files,
    and another population may have the same bytes under names of its own.
    """
    schema = current.schema
    if schema is None or not current.candidates:
        return None
    name = current.population.name
    shas = ",".join(f"{one.sha256}{stored_tables.spelt(one.options)}" for one in current.candidates)
    labels = [one.name for one in current.candidates]

    def built() -> Review:
        tables = stored_tables.tables(service, name)
        found = service.cache(f"proposed:{shas}", lambda: _proposed(service, name, progress))
        proposed = found if isinstance(found, Draft) else Draft(schema, found)
        return review(as_it_stands(schema, proposed, tables, labels=labels), tables)

    found = service.cache(f"review:{shas}:{schema.sha256}:{json.dumps(labels)}", built)
    return found.without(None if current.household is None else current.household.id)


def nested_levels(service: Service, current: Study) -> tuple[LevelTree, ...]:
    """The trees of the columns with parents, with their public shares, where there are public tables."""
    if current.schema is None or not current.schema.parents:
        return ()
    found = reviewed(service, current)
    rows = () if found is None else found.columns
    return level_trees(current.schema, {row.name: row.shares for row in rows if sum(row.shares) > 0})


def risky(service: Service, current: Study, progress: Progress = unwatched) -> tuple[MisfitRisk, ...]:
    """The columns in which private cells may not fit the population's schema, by public facts alone.

    Raises SchemaError without a schema.
    """
    if current.schema is None:
        raise SchemaError("Which columns are risky is seen from a schema; draft or load one.")
    found = reviewed(service, current, progress)
    rows = () if found is None else found.columns
    apart = [row.name for row in rows if row.merged or any(one.kind == "spelling" for one in row.remarks)]
    return misfit_risks(current.schema, apart)


def public_shares(service: Service, current: Study, columns: Sequence[str]) -> dict[str, float]:
    """Column -> the share of rows that misfit in it, in the public tables that fit the schema, each counting alike.

    Empty without such a table. Kept in the shared cache, for all of it is public.
    """
    schema, used = current.schema, current.usable
    if schema is None or not used:
        return {}
    encoded, name = {column.name for column in schema.encoded}, current.population.name
    wanted = tuple(sorted(encoded & set(columns)))

    def built() -> dict[str, float]:
        tables = [stored_tables.table(service, name, one.sha256) for one in used]
        shares = [public_misfits(table, schema, wanted) for table in tables]
        return dict(zip(wanted, np.mean(shares, axis=0).tolist(), strict=True))

    shas = ",".join(f"{one.sha256}{stored_tables.spelt(one.options)}" for one in used)
    return service.cache(f"misfits:{shas}:{schema.sha256}:{wanted}", built)


def _proposed(service: Service, name: str, progress: Progress) -> Draft | tuple[Left, ...]:
    """What drafting finds in the candidates; where nothing can be encoded, what is left out, and why.

    It depends on the files alone, for populations that have the same ones share it under schemas of their own.
    """
    try:
        return propose(stored_tables.tables(service, name), progress=progress)
    except NothingToEncode as refusal:
        return refusal.left_out
    except SchemaError:
        return ()


def bin_edges(
    service: Service, population: str, column: NumericColumn, *, bins: int, binning: Binning
) -> tuple[float, ...]:
    """Edges for one numeric column from the candidate files, and only from those."""
    return edges(stored_tables.tables(service, population), column, Recipe(bins, binning))


def public_levels(
    service: Service, population: str, column: CategoricalColumn, missing_tokens: Sequence[str]
) -> tuple[str, ...]:
    """Levels for one column from the candidate files, and only from those, as the column compares texts."""
    recipe = Recipe(missing_tokens=tuple(missing_tokens))
    return levels(stored_tables.tables(service, population), column, recipe)
