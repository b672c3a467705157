"""Baselines by name.

    mwem  mwem+on=age/sex            every possible row, or those of some attributes (then only marginals inside them)
    dual-query+samples=100+eta=3     rows chosen one a round
    ji-elkan+lambda=0.01             importance weights on a public table
    hdmm  hdmm+even                  marginals answered without rows, by whole noisy marginals
    residual-planner  ...+even       the same, by noisy residuals; +even weighs each marginal alike, not each query
    aim  aim+megabytes=8   mst       graphical models, with the extra `peers`
    table-fit                        no baseline, but the other engine of a release
    table-fit-grown                  the same with rows added where no public row tells of people
    table-fit-three-way              the same with tables of three columns too
    table-fit-ranges                 the same with coarse tables of the ordered columns whose prefixes are asked
    table-fit-pool                   the same with all public tables, whose weights are learnt

What is left out of a name takes the default. One baseline has one canonical name: parameters in this order, numbers in
their shortest form, defaults left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

from pmwpub.errors import BudgetError, PlanError
from pmwpub.evaluation.baselines import Baseline, DualQuery, JiElkan, Mwem
from pmwpub.evaluation.fits.fitted_tables import TableFit
from pmwpub.evaluation.fits.weighted_pools import WeightedPool
from pmwpub.mechanisms.baselines.matrix.residuals import Emphasis
from pmwpub.mechanisms.table_fit.fit_constants import THREE_WAY_SHARE, SupportGrowth
from pmwpub.privacy.budget import as_fraction

LONGEST_NUMBER = 40
TABLE_FIT, TABLE_FIT_GROWN, TABLE_FIT_POOL = "table-fit", "table-fit-grown", "table-fit-pool"
TABLE_FIT_THREE_WAY, TABLE_FIT_RANGES = "table-fit-three-way", "table-fit-ranges"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a baseline.

    default  what it is where the name leaves it out
    read     its value by the text behind "="; raises PlanError for text that means none
    written  the one text that a value has in a canonical name
    flag     stands alone, without "=" and a text: `read` gets ""
    """

    default: Any
    read: Callable[[str], Any]
    written: Callable[[Any], str] = str
    flag: bool = False


@dataclass(frozen=True)
class Family:
    """A kind of baseline: its label, its parameters, and how one is made.

    make  takes the parameters' values in their order; raises PlanError for values out of range
    """

    label: str
    make: Callable[..., Baseline]
    parameters: Mapping[str, Parameter]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > LONGEST_NUMBER:
        raise PlanError(f"A whole number is needed; {text[:LONGEST_NUMBER]!r} came.")
    return int(text)


def _number(text: str) -> Fraction:
    if len(text) > LONGEST_NUMBER:
        raise PlanError(f"A number of at most {LONGEST_NUMBER} characters is needed; {text[:LONGEST_NUMBER]!r}… came.")
    try:
        return as_fraction(text)
    except BudgetError as error:
        raise PlanError(str(error)) from error


def _written(number: Fraction) -> str:
    """A number as a decimal where that ends, else as a fraction."""
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest > 1:
        return str(number)
    with localcontext(prec=20 * LONGEST_NUMBER):
        return format(Decimal(number.numerator) / Decimal(number.denominator), "f")


def _names(text: str) -> tuple[str, ...]:
    """The names in a text, each once, in alphabetical order."""
    names = sorted(set(text.split("/")))
    if not all(names):
        raise PlanError(f"Names of attributes are needed, with / between them; {text!r} came.")
    return tuple(names)


def _marginals(residuals: bool, emphasis: Emphasis) -> Baseline:
    """HDMM or ResidualPlanner, whose modules no release needs."""
    from pmwpub.evaluation.answering import Marginals

    return Marginals(residuals, emphasis)


def _peer(adaptive: bool, *megabytes: Fraction) -> Baseline:
    """AIM or MST, whose modules no release needs."""
    from pmwpub.evaluation.peers import Peer

    return Peer(adaptive, *megabytes)


_EVEN = MappingProxyType({"even": Parameter(Emphasis.QUERIES, lambda text: Emphasis.MARGINALS, flag=True)})

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "mwem": Family("MWEM", Mwem, {"on": Parameter((), _names, "/".join)}),
        "dual-query": Family(
            "DualQuery",
            DualQuery,
            {"samples": Parameter(100, _whole), "eta": Parameter(Fraction(3), _number, _written)},
        ),
        "ji-elkan": Family("Ji–Elkan", JiElkan, {"lambda": Parameter(Fraction(1, 100), _number, _written)}),
        "hdmm": Family("HDMM (no rows)", partial(_marginals, False), _EVEN),
        "residual-planner": Family("ResidualPlanner (no rows)", partial(_marginals, True), _EVEN),
        "aim": Family("AIM", partial(_peer, True), {"megabytes": Parameter(Fraction(8), _number, _written)}),
        "mst": Family("MST", partial(_peer, False), {}),
        TABLE_FIT: Family("Table fit", TableFit, {}),
        TABLE_FIT_GROWN: Family("Table fit, rows added", lambda: TableFit(SupportGrowth()), {}),
        TABLE_FIT_THREE_WAY: Family("Table fit, 3-way tables", lambda: TableFit(three_way_share=THREE_WAY_SHARE), {}),
        TABLE_FIT_RANGES: Family("Table fit, coarse tables", lambda: TableFit(ranges=True), {}),
        TABLE_FIT_POOL: Family("Table fit, pool with learnt weights", WeightedPool, {}),
    }
)

PEERS = ("aim", "mst")
"""The names of baselines that need the extra `peers`."""

ENGINES = (TABLE_FIT, TABLE_FIT_GROWN, TABLE_FIT_THREE_WAY, TABLE_FIT_RANGES, TABLE_FIT_POOL)
"""The names of releases by table fit."""

BASELINES = tuple(name for name in FAMILIES if name not in (*PEERS, *ENGINES))
"""The names of the other baselines; each stands for its default parameters."""


def is_baseline(method: str) -> bool:
    """Whether a method's name begins with that of a baseline."""
    return method.partition("+")[0] in FAMILIES


def takes_weights(method: str) -> bool:
    """Whether a baseline's name is that of a release by table fit, which is proved over weighed rows as well."""
    return method.partition("+")[0] in ENGINES


def baseline_of(method: str) -> Baseline:
    """The baseline of a name, with what stands behind its plus signs; PlanError for another one, or out of range."""
    family, values = _read(method)
    return family.make(*values.values())


def canonical_baseline(method: str) -> str:
    """The one name of a baseline, and of all that mean the same; PlanError as for `baseline_of`."""
    family, values = _read(method)
    family.make(*values.values())
    parts = [method.partition("+")[0]]
    for key, value in values.items():
        parameter = family.parameters[key]
        if value != parameter.default:
            parts.append(key if parameter.flag else f"{key}={parameter.written(value)}")
    return "+".join(parts)


def label_of(method: str, *, parameters: bool = False) -> str:
    """A baseline as people read it, with or without its parameters; PMW^Pub's variants too."""
    head, *parts = method.split("+")
    label = FAMILIES[head].label if head in FAMILIES else {"pmw-pub": "PMW^Pub"}[head]
    return ", ".join([label, *(parts if parameters else ())])


def without_flag_values(method: str) -> str:
    """A stored name as it may be spelt today: a flag once took a text, which meant nothing."""
    head, *parts = method.split("+")
    known = FAMILIES[head].parameters if head in FAMILIES else {}
    keys = (part.partition("=")[0] for part in parts)
    kept = (key if key in known and known[key].flag else part for key, part in zip(keys, parts, strict=True))
    return "+".join([head, *kept])


def _read(method: str) -> tuple[Family, dict[str, Any]]:
    """The family of a name, and every parameter's value by key, in the family's order."""
    head, *parts = method.split("+")
    family = FAMILIES.get(head)
    given = {key: (equals, text) for key, equals, text in (part.partition("=") for part in parts)}
    if family is None or not set(given) <= set(family.parameters) or len(given) < len(parts):
        offered = ", ".join(" +".join([name, *one.parameters]) for name, one in FAMILIES.items())
        raise PlanError(f"The baselines are {offered}; {method!r} came.")
    values = {key: parameter.default for key, parameter in family.parameters.items()}
    for key, (equals, text) in given.items():
        if family.parameters[key].flag == bool(equals):
            raise PlanError(
                f"+{key} takes no value; write {head}+{key}. {method!r} came."
                if equals
                else f"+{key} needs a value, as in {head}+{key}=…; {method!r} came."
            )
        values[key] = family.parameters[key].read(text)
    return family, values
