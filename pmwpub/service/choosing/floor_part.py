"""The part of a workload that floors are taken over where the whole is too much: chosen once, by public tables alone.

One part serves all candidates of a population under one schema and workload. It is chosen when the first of its plans
is made, stands in that plan, and is taken from it for all later ones, whatever tables came since: floors over one part
can be ranked, those over two cannot. It is as public as a workload, so a floor over it is k/n-sensitive like any other.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.ledger import Agreement
from pmwpub.plan_inputs import FAST_SEED, PART_MARGINALS
from pmwpub.plans import AssessmentPlan, BestPlan, Part, Scope
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Floats, Support
from pmwpub.service.core import Service, kind_of
from pmwpub.service.inputs.stored_tables import spelt
from pmwpub.service.inputs.study import Study

MOST_VISITS = 30_000_000
"""Marginals times atoms up to which a floor over the whole workload is expected within a minute: some 400 passes of
the descent, each twice through all cells,
at about 2.2e-9 seconds a visit (docs/measured.md)."""
EMPTY_TURNS = 3
OTHER_PART = (
    "Floors of this population are taken over another part of this workload, which was chosen at the first purchase: "
    "over two parts they could not be ranked. Plan again. Nothing was charged."
)


def part_of(service: Service, current: Study) -> Part:
    """The part of a study: of the first plan that was bought over one, else the choice by today's public tables."""
    bought = _bought_part(service, current)
    if bought is not None:
        return bought
    workload = current.workload()
    supports = {facts.sha256: facts.support for facts in current.usable if facts.support is not None}
    read = [f"{facts.sha256}{spelt(facts.options)}" for facts in current.usable]
    schema = "" if current.schema is None else current.schema.sha256
    return service.cache(
        f"floor part:{schema}:{workload.sha256}:{':'.join(sorted(read))}",
        lambda: chosen_part(workload, [supports[sha256] for sha256 in sorted(supports)]),
    )


def advised_scope(current: Study) -> Scope:
    """ "full" where the public sizes promise a floor within a minute, or where the part would be the whole; else
    "part"."""
    workload = current.workload()
    atoms = max((len(facts.support) for facts in current.usable if facts.support is not None), default=0)
    small = len(workload.tables) <= PART_MARGINALS or len(workload.tables) * atoms <= MOST_VISITS
    return "full" if small else "part"


def check_part(service: Service, current: Study, plan: AssessmentPlan | BestPlan) -> None:
    """Raise PlanError where a plan's floors are over another part than those that were bought before, or over marginals
    that the workload lacks. Those that are bought meanwhile are asked about with the charge: `same_part`."""
    plan.workload(current.workload())
    if plan.setting == "part" and _bought_part(service, current) not in (None, plan.part):
        raise PlanError(OTHER_PART)


def same_part(plan: AssessmentPlan | BestPlan) -> Agreement:
    """That floors over a part, under one schema and workload, are over one part, whoever bought the first meanwhile.

    plan  one whose setting is "part"
    """

    def check(text: str) -> None:
        other = json.loads(text)
        if other.get("setting") == "part" and tuple(map(tuple, other["part"])) != plan.part:
            raise PlanError(OTHER_PART)

    inputs = (("schema_sha256", plan.inputs.schema_sha256), ("workload_sha256", plan.inputs.workload_sha256))
    about = tuple(f'"{key}":"{value}"' for key, value in (("setting", "part"), *inputs))
    part = json.dumps(plan.part, separators=(",", ":"), ensure_ascii=False)
    return Agreement(check, about, settled=f'"part":{part}')


def chosen_part(workload: Workload, supports: Sequence[Support], marginals: int = PART_MARGINALS) -> Part:
    """At most so many marginals of a workload, by public tables: where a floor shows most.

    A part has marginals and no prefixes: a floor over it is one over fewer queries, and bounds that of the whole.

    Each table is a candidate in turn, and the others play the truth. Two orders for each: by the error that cells
    without a row of the candidate force on the marginal (most floors are decided there), and by the largest difference
    of a cell from another table. The orders take turns, `EMPTY_TURNS` marginals of the first kind to one of the second;
    within an order marginals that share two columns with one before come last, for they see the same cells. A single
    table is played against the law that has its one-way shares and no dependence.
    """
    workload = Workload(workload.domain, workload.marginals) if workload.prefixes else workload
    if marginals >= len(workload.marginals):
        return _named(workload, range(len(workload.marginals)))
    queues = [(deque(_spread(workload, score)), turns) for score, turns in _scores(workload, supports)]
    chosen: dict[int, None] = {}
    while queues and len(chosen) < marginals:
        for queue, turns in queues:
            for _ in range(min(turns, len(queue))):
                if len(chosen) < marginals:
                    chosen.setdefault(queue.popleft())
        queues = [(queue, turns) for queue, turns in queues if queue]
    return _named(workload, list(chosen) or _sample(workload, marginals))


def _scores(workload: Workload, supports: Sequence[Support]) -> Iterator[tuple[Floats, int]]:
    """float64 (W,) for each order, and how many of its marginals are taken in a turn."""
    shares = [_shares(workload, support) for support in supports]
    for place, own in enumerate(shares):
        others = [share for other, share in enumerate(shares) if other != place]
        others = others or [_independent(workload, supports[place])]
        empty = np.maximum.reduce([_forced(workload, share, own) for share in others])
        if empty.any():
            yield empty, EMPTY_TURNS
        yield np.maximum.reduce([_worst(workload, np.abs(share - own)) for share in others]), 1


def _forced(workload: Workload, truth: Floats, own: Floats) -> Floats:
    """float64 (W,): the least error in each marginal alone, for cells in which a candidate has no row get no weight.

    Such a cell is off by its share, and all their shares together must go to the cells that have rows, so that one of
    these is off by the mean at least.
    """
    missing, starts = np.where(own == 0, truth, 0.0), workload.offsets[:-1]
    filled = np.maximum(1, np.add.reduceat((own > 0).astype(np.int64), starts))
    return np.maximum(_worst(workload, missing), np.add.reduceat(missing, starts) / filled)


def _spread(workload: Workload, score: Floats) -> list[int]:
    """Places of marginals, the largest score first; those that share two columns with one before come last."""
    order = np.argsort(-score, kind="stable").tolist()
    seen: set[frozenset[int]] = set()
    first: list[int] = []
    last: list[int] = []
    for place in order:
        pairs = {frozenset(pair) for pair in combinations(workload.marginals[place].attributes, 2)}
        (last if pairs & seen else first).append(place)
        if not pairs & seen:
            seen |= pairs
    return first + last


def _shares(workload: Workload, support: Support) -> Floats:
    """float64 (Q,): the answers of a public table."""
    return PublicProblem(workload, support).start_sums / support.rows


def _independent(workload: Workload, support: Support) -> Floats:
    """float64 (Q,): the answers of the law with a table's one-way shares and no dependence."""
    one_way = [
        np.bincount(support.codes[:, place], weights=support.multiplicity, minlength=size) / support.rows
        for place, size in enumerate(workload.domain.shape)
    ]
    cells = []
    for marginal in workload.marginals:
        product = np.ones(1)
        for attribute in marginal.attributes:
            product = np.outer(product, one_way[attribute]).ravel()
        cells.append(product)
    return np.concatenate(cells)


def _worst(workload: Workload, values: Floats) -> Floats:
    """float64 (W,): the largest value among the cells of each marginal."""
    return np.maximum.reduceat(values, workload.offsets[:-1])


def _sample(workload: Workload, marginals: int) -> list[int]:
    places = {marginal: place for place, marginal in enumerate(workload.marginals)}
    return [places[marginal] for marginal in workload.restricted(marginals, FAST_SEED).marginals]


def _named(workload: Workload, places: Sequence[int]) -> Part:
    names = workload.domain.names
    sets = ([names[attribute] for attribute in workload.marginals[place].attributes] for place in places)
    return tuple(sorted(tuple(sorted(group)) for group in sets))


def _bought_part(service: Service, current: Study) -> Part | None:
    """The part of the first plan that was bought over one, under the schema and workload of today."""
    if current.schema is None:
        return None
    today = (current.schema.sha256, current.workload().sha256)
    for booking in service.bought(current.population.name, "assessment", "best"):
        model = AssessmentPlan if kind_of(booking) == "assessment" else BestPlan
        plan: AssessmentPlan | BestPlan = model.model_validate_json(booking.plan_json)
        if plan.setting == "part" and (plan.inputs.schema_sha256, plan.inputs.workload_sha256) == today:
            return plan.part
    return None
