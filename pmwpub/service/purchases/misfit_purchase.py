"""The purchase of a look at the fit: noisy counts of the private rows that the schema does not fit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger import Charge
from pmwpub.mechanisms.misfits.misfit_noise import (
    CONFIDENCE,
    MisfitNoise,
    most_columns,
    narrowest,
    share_between,
    squared_sensitivity,
)
from pmwpub.numerals import as_fraction
from pmwpub.plans import MisfitPlan
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import PrivateCounts
from pmwpub.rounding import up
from pmwpub.service.core import Service
from pmwpub.service.households.household_unit import check_unit
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.protocol import Prepared
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.files.source import STREAMED, FileLimits
from pmwpub.tabular.misfit_pass import misfits
from pmwpub.tasks.mechanism_work import MisfitWork

LARGEST_PART = Fraction(1, 20)
"""Of the grant in rho that one look may cost: with more, it would take from the release what it is to help."""


@dataclass(frozen=True)
class MisfitOffer:
    """What a look at some columns costs, before there is a plan; from public numbers alone.

    half_width  of the 95 % interval around each share of rows, as it is bought: whole rows over n
    part        its price over the grant, both in rho
    narrowest   the least half-width at which these columns are sold; None where none of at most one half is
    columns     how many columns are sold at the half-width asked for
    refusal     why it is not sold, in words; "" where it is
    """

    half_width: Fraction
    rho: ZCDP
    part: Fraction
    narrowest: Fraction | None
    columns: int
    refusal: str


def misfit_offer(current: Study, columns: Sequence[str], half_width: str, *, rules: bool = False) -> MisfitOffer:
    """The price of a look at these columns at this half-width, and whether it is sold.

    rules  whether the rows that break a rule are counted too

    Raises SchemaError where no attribute of the schema is named, or rules are asked for and it has none, PlanError for
    a half-width that is none, and for a population of households, which buys no look at rows.
    """
    check_unit(current.population, None)
    current.check_looked_at(columns, rules=rules)
    terms = current.population
    law = MisfitNoise(len(set(columns)) + rules, terms.n, terms.rows_per_person, as_fraction(half_width))
    return _offer(current, law, rules=rules)


def proposed_columns(current: Study, risky: Sequence[str], half_width: str) -> list[str]:
    """As many of the risky columns, from the first on, as are sold together at a half-width; all where none is.

    risky  the most pressing first, as public facts have them
    """
    sold = misfit_offer(current, risky, half_width).columns if risky else 0
    return list(risky[:sold]) if sold else list(risky)


def _offer(current: Study, law: MisfitNoise, *, rules: bool = False) -> MisfitOffer:
    total = current.balance.total
    most = ZCDP.at_most(total.rho * LARGEST_PART)
    least = narrowest(law.columns, law.n, law.rows_per_person, most)
    columns = max(0, most_columns(law.n, law.rows_per_person, law.half_width, most) - rules)
    half_width, part = Fraction(law.rows, law.n), law.rho.rho / total.rho if total.units else Fraction(1)
    refusal = "" if law.rho <= most else _refusal(half_width, part, law.columns - rules, least, columns)
    return MisfitOffer(half_width, law.rho, part, least, columns, refusal)


def _refusal(half_width: Fraction, part: Fraction, columns: int, least: Fraction | None, sold: int) -> str:
    ways = [f"take {in_points(least)} or more for these columns"] if least is not None else []
    ways += [f"look at {sold:,} at most at this width"] if sold else []
    return (
        f"A look at {_columns(columns)} at {in_points(half_width)} would cost {up(100 * part, 3)} % of the "
        f"grant. More than {up(100 * LARGEST_PART)} % is not sold: it would take from the release what the look is to "
        f"help. {_sentence(ways)} Nothing was charged."
    )


def in_points(half_width: Fraction) -> str:
    """A half-width in hundredths of all rows: "±1 point", "±2.5 points"; three digits, rounded up."""
    points = up(100 * half_width, 3)
    return f"±{points} point{'' if points == '1' else 's'}"


def _columns(number: int) -> str:
    return f"{number:,} column{'s' if number > 1 else ''}"


def _sentence(ways: Sequence[str]) -> str:
    if not ways:
        return "At this n and epsilon no look says anything."
    words = ", or ".join(ways)
    return f"{words[0].upper()}{words[1:]}."


@dataclass(frozen=True)
class MisfitPurchase:
    """One look at the fit.

    Privacy: columns and noise stand in the plan, from public facts; see mechanisms.misfits.misfit_noise.
    """

    plan: MisfitPlan
    task: str = "misfits"

    @property
    def public_tables(self) -> frozenset[str]:
        """The empty set: the private table is held against the schema alone."""
        return frozenset()

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge: discrete Gaussian noise on c + 1 counts."""
        law = self.plan.law
        width = in_points(Fraction(law.rows, law.n))
        squared = squared_sensitivity(law.columns, law.rows_per_person)
        return (
            Charge(
                purpose=f"look at the fit of {_columns(len(self.plan.columns))}{self._and_rules}, {width}",
                mechanism="misfit counts, discrete Gaussian",
                sensitivity=f"sqrt({squared}) rows in L2",
                scale=f"{law.noise.scale} rows",
                rho=law.rho,
            ),
        )

    @property
    def _and_rules(self) -> str:
        return " and the rules" if self.plan.rules else ""

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once it is one that is sold, and schema, private table and population belong together."""
        plan = self.plan
        schema = current.loaded_under(plan.schema_sha256, plan.n, plan.rows_per_person, plan.kept_ids, private)
        current.check_ruled(rules=plan.rules)
        offered = _offer(current, plan.law, rules=plan.rules)
        if offered.refusal:
            raise PlanError(offered.refusal)
        if not set(plan.columns) <= {column.name for column in schema.encoded}:
            raise SchemaError("The plan looks at a column that is no attribute of the schema. Nothing was charged.")
        remarks = remarks_from(service.ledger.marks(private.population))
        # Counted before the charge: a file that changed since it was loaded, or cannot be read, costs nothing.
        counts = _counted(plan, private, current)
        return Prepared(
            work=lambda: MisfitWork(counts, plan.law),
            encode=lambda booking, found: _encoded(plan, found, remarks),
        )


def _counted(plan: MisfitPlan, private: PrivateTable, current: Study) -> PrivateCounts:
    """The exact counts, by a pass over the file that was loaded: a clipped number is not told by its code."""
    if current.schema is None:
        raise SchemaError("A look at the fit needs a schema.")
    limits = FileLimits() if isinstance(private.source, bytes) else STREAMED
    counts = misfits(
        open_table(private.source, options=private.options, limits=limits),
        current.schema,
        plan.columns,
        digest=private.rows,
        n=plan.n,
        rows_per_person=plan.rows_per_person,
        rules=plan.rules,
    )
    return PrivateCounts(counts, plan.n)


def _encoded(plan: MisfitPlan, found: object, remarks: tuple[str, ...]) -> bytes:
    """Names, noisy shares and ends of their intervals, the rows with any misfit last, under no name; rules beside."""
    if not isinstance(found, np.ndarray) or found.shape != (len(plan.columns) + plan.rules + 1,):
        raise TypeError("A look at the fit returns one noisy count a column, and one of all together.")
    ends = ("value", "low", "high")
    drawn = [map(float, share_between(noisy, plan.law)) for noisy in found.tolist()]
    shares = [dict(zip(ends, one, strict=True)) for one in drawn]
    rules = {"rules": shares.pop(len(plan.columns))} if plan.rules else {}
    named = [{"column": column} | share for column, share in zip((*plan.columns, None), shares, strict=True)]
    body = {"misfits": named, "confidence": float(CONFIDENCE), "remarks": remarks} | rules
    return json.dumps(body, sort_keys=True).encode()
