"""What a stored release says of the criteria of its plan: released means, and how many cells a marginal has; public."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError, SchemaError
from pmwpub.mechanisms.acceptance.acceptance_noise import least_budget
from pmwpub.mechanisms.acceptance.mean_sums import check_summable
from pmwpub.numerals import as_fraction
from pmwpub.plans import AcceptancePlan
from pmwpub.plans.acceptance_plans import NotMeasurable, Why, sold_numbers
from pmwpub.plans.criteria import (
    CellWithin,
    Criterion,
    LargestWithin,
    MarginalOfRelease,
    MarginalWithin,
    MeanOfRelease,
    MeanWithin,
    Measured,
    criteria_of,
)
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.incidence import quantise
from pmwpub.queries.workload import check_unrelated
from pmwpub.records import Distribution
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.tabular.nesting.parent_columns import named_instead
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

MOST_MARGINAL_CELLS = 100_000
"""Of a marginal that is held against a bar: each rounds, and so many take a second."""

DIGITS = 6
"""Decimals, in units, to which a released mean is rounded."""

NONE_STAND = (
    "No criteria stand in the plan of this release, and none are taken afterwards: they are named before it is bought. "
    "Nothing was charged."
)


def criteria_of_plan(bundle: Bundle) -> tuple[Criterion, ...]:
    """The criteria that stood in the plan of a release when it was bought; none of most."""
    stated = (bundle.certificate.plan or {}).get("criteria")
    return criteria_of(stated) if stated else ()


@dataclass(frozen=True)
class CriteriaOfRelease:
    """The criteria of a stored release's own plan, in its order: what of them can be measured, and what cannot."""

    measured: tuple[Measured, ...]
    not_measurable: tuple[NotMeasurable, ...] = ()


def measured_criteria(bundle: Bundle) -> CriteriaOfRelease:
    """The criteria of a stored release's own plan, with what it says of them.

    A mean may turn out, once the release is drawn, to be one that no noise measures against its bar; then the others
    are sold without it. A mean that even at a half-width as wide as its bar costs more than the release had left of the
    budget, together with all shares of rows and with cheaper means, is one of these.

    Raises PlanError where no criteria stand there.

    Privacy: a function of the released bytes alone, which hold terms, criteria, and what was left.
    """
    wanted, stated = criteria_of_plan(bundle), bundle.certificate
    if not wanted or isinstance(stated, UnchangedCertificate) or stated.budget is None:
        raise PlanError(NONE_STAND)
    n, k, schema = stated.n, stated.rows_per_person, bundle.schema
    released = bundle.distribution() if any(isinstance(one, MeanWithin) for one in wanted) else None
    found: dict[Criterion, Measured | Why] = {}
    for one in wanted:
        if isinstance(one, MeanWithin) and released is not None:
            found[one] = _mean_of(one, schema, released, n, k)
        elif not isinstance(one, MeanWithin):
            found[one] = _share_of(one, schema)
    spent, total = (ZCDP.at_most(str(part.rho)) for part in (stated.ledger_total, stated.budget))
    dear = _too_dear([one for one in found.values() if not isinstance(one, str)], ZCDP(total.units - spent.units), n, k)
    return CriteriaOfRelease(
        tuple(one for one in found.values() if not isinstance(one, str) and one not in dear),
        tuple(
            NotMeasurable(criterion=one, why=of if isinstance(of, str) else "too dear")
            for one, of in found.items()
            if isinstance(one, MeanWithin) and (isinstance(of, str) or of in dear)
        ),
    )


def _mean_of(one: MeanWithin, schema: Schema, released: Distribution, n: int, rows_per_person: int) -> Measured | Why:
    mean, rows = _released_mean(one, schema, released, n)
    if rows < 1:
        return "no rows"
    found = MeanOfRelease(**one.model_dump(), mean=mean, rows=rows)
    if min(found.sums.bars) < 1:
        return "too narrow"
    try:
        found.numbers(n, rows_per_person)
    except PlanError:
        return "too large"
    return found


def _share_of(one: CellWithin | MarginalWithin | LargestWithin, schema: Schema) -> Measured:
    return MarginalOfRelease(**one.model_dump(), cells=_cells(schema, one.columns)) if one.kind == "marginal" else one


def _too_dear(known: Sequence[Measured], left: ZCDP, n: int, rows_per_person: int) -> set[Measured]:
    """The means that a budget does not buy at half-widths as wide as their bars, the cheapest ones bought first."""

    def price(*sold: Measured) -> ZCDP | None:
        return least_budget(sold_numbers(sold, n, rows_per_person))

    means = [(price(one), one) for one in known if isinstance(one, MeanOfRelease)]
    bought: list[Measured] = [one for one in known if not isinstance(one, MeanOfRelease)]
    priced = sorted(((rho.units, place) for place, (rho, _) in enumerate(means) if rho is not None))
    for _, place in priced:
        together = price(*bought, means[place][1])
        if together is not None and together <= left:
            bought.append(means[place][1])
    return {one for _, one in means if one not in bought}


def _cells(schema: Schema, columns: tuple[str, ...]) -> int:
    domain = schema.domain
    return math.prod(domain.attributes[domain.index(column)].size for column in columns)


def _released_mean(one: MeanWithin, schema: Schema, released: Distribution, n: int) -> tuple[str, int]:
    """The mean of the released numbers, and how many rows of n have one.

    A bin stands for its middle and a spike for its value, clipped to the criterion's ends; any other level for none.
    Where no row has one the mean is stated as 0.
    """
    column = numeric_column(schema, one.column)
    position, unit = schema.domain.index(one.column), as_fraction(one.unit)
    whole = quantise(released.weights, 1)
    sums: dict[int, int] = {}
    for code, weight in zip(released.support.columns[position].tolist(), whole.values.tolist(), strict=True):
        sums[code] = sums.get(code, 0) + weight
    low, high = one.ends
    known = {code: weight for code, weight in sums.items() if code < len(column.edges) - 1}
    counted = sum(known.values())
    rows = round(Fraction(n * counted, whole.total))
    if rows < 1:
        return "0", 0
    middles = {code: min(max(_middle(column, code) / unit, Fraction(low)), Fraction(high)) for code in known}
    units = sum((weight * middles[code] for code, weight in known.items()), Fraction(0))
    return str(round(units / counted, DIGITS) * unit), rows


def _middle(column: NumericColumn, code: int) -> Fraction:
    low, high = (Fraction(column.edges[place]) for place in (code, code + 1))
    return (low + high) / 2


def numeric_column(schema: Schema, name: str) -> NumericColumn:
    """The numeric attribute of that name; SchemaError where there is none."""
    column = next((one for one in schema.encoded if one.name == name), None)
    if not isinstance(column, NumericColumn):
        instead = named_instead(name, schema.parents)
        raise SchemaError(
            f"A mean is one of a numeric column of the schema; {name!r} is none.{instead} Nothing was charged."
        )
    return column


def numeric_ends(schema: Schema) -> dict[str, tuple[float, float]]:
    """Of each numeric attribute the first and the last edge of its bins."""
    numeric = [column for column in schema.encoded if isinstance(column, NumericColumn)]
    return {column.name: (column.edges[0], column.edges[-1]) for column in numeric}


def checked_criteria(
    criteria: Iterable[Criterion], schema: Schema, n: int, rows_per_person: int
) -> tuple[Measured, ...]:
    """The criteria of which all is known before the release is bought: all but those of means.

    Criteria that no purchase could measure are refused, before the release is bought whose plan they stand in.

    Raises SchemaError for a column or level that the schema lacks, PlanError for a bar that rounding alone exceeds, or
    a marginal of too many cells, or numbers too large to be summed. Of a mean the bar is looked at when the released
    mean is known: see `measured_criteria`.
    """
    domain, known = schema.domain, []
    for one in criteria:
        unknown = [column for column in one.columns if column not in domain.names]
        if unknown:
            raise SchemaError(f"A criterion names {unknown[0]!r}, no attribute of the schema. Nothing was charged.")
        check_unrelated(domain, map(domain.index, one.columns))
        if isinstance(one, MeanWithin):
            numeric_column(schema, one.column)
            check_summable(*one.ends, n)
            continue
        if isinstance(one, CellWithin):
            _check_levels(one, schema)
        if isinstance(one, MarginalWithin) and _cells(schema, one.columns) > MOST_MARGINAL_CELLS:
            raise PlanError(
                f"The marginal of {', '.join(one.columns)} has more than {MOST_MARGINAL_CELLS:,} cells; name fewer "
                "columns. Nothing was charged."
            )
        measured = _share_of(one, schema)
        if any(number.rounding >= number.bar for number in measured.numbers(n, rows_per_person)):
            raise PlanError(f"With {n:,} rows no noise is small enough for {one.words}. Nothing was charged.")
        known.append(measured)
    return tuple(known)


def _check_levels(one: CellWithin, schema: Schema) -> None:
    domain = schema.domain
    for column, level in one.levels:
        if level not in domain.attributes[domain.index(column)].levels:
            raise SchemaError(f"The schema gives {column!r} no level {level!r}. Nothing was charged.")


def check_stands(plan: AcceptancePlan, bundle: Bundle) -> None:
    """PlanError unless a plan's criteria are those of the release's own plan, with what that release says of them."""
    found = measured_criteria(bundle)
    if (plan.criteria, plan.not_measurable) != (found.measured, found.not_measurable):
        raise PlanError(
            "The criteria are other ones than those of the release's plan; plan again. Nothing was charged."
        )
