"""MST (McKenna, Miklau, Sheldon 2021): a tree of noisy two-way marginals, and the distribution that they determine."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.baselines.graphical.fitted_model import NoisyMarginals, distances
from pmwpub.mechanisms.baselines.graphical.level_merging import Merging
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers
from pmwpub.mechanisms.baselines.matrix.residuals import Subset
from pmwpub.mechanisms.baselines.prefix_refusal import refuse_prefixes
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.selection import ExponentialMechanism
from pmwpub.privacy.vector_gaussian import VectorGaussian, sqrt_above
from pmwpub.queries.counts import count
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Ints

RARE = 3.0
"""Levels with a noisy count of fewer deviations are one level to the model, as in their authors' program."""


@dataclass(frozen=True)
class MstPlan:
    """A third of the budget each for the one-way marginals, for choosing edges, and for measuring them.

    rho          the budget
    sensitivity  k, the rows that one person may own
    iterations   of the fit to single attributes (their program: as many)
    last         of the last fit (their program: as many)
    """

    rho: ZCDP
    sensitivity: int = 1
    iterations: int = 1_000
    last: int = 5_000

    def __post_init__(self) -> None:
        if self.sensitivity < 1:
            raise PlanError("One person owns at least one row.")

    def measurement(self, marginals: int) -> VectorGaussian:
        """For each of so many marginals, together a third of the budget."""
        return VectorGaussian.costing(ZCDP(self.rho.units // (3 * marginals)), 2 * self.sensitivity**2)

    def selection(self, edges: int) -> ExponentialMechanism:
        """For each of so many edges, together a third of the budget: epsilon^2/8 each."""
        return selection_costing(ZCDP(self.rho.units // (3 * edges)))


def selection_costing(rho: ZCDP) -> ExponentialMechanism:
    """The exponential mechanism with the largest epsilon, to 40 bits, that costs at most rho."""
    return ExponentialMechanism(1 / sqrt_above(1 / (8 * rho.rho)))


def mst(
    private: Dataset | RepeatedRows, workload: Workload, plan: MstPlan, *, noise: NoiseSource = SECURE
) -> MarginalAnswers:
    """Run MST, and answer the workload from its model.

    A column and its own parent are never an edge; the model knows of both what the tables say, and need not make them
    agree.

    Privacy: neighbours replace one person's at most k of n rows, n public. A marginal's table moves by at most
    sqrt(2) k in Euclidean norm, so measuring it costs `VectorGaussian.rho` at squared sensitivity 2 k^2. Which levels
    are merged follows from noisy counts alone, and a merged table moves no further (`Merging`). The score of an edge
    is the L1 distance between its table and a whole-number table made of earlier noisy outputs; it moves by at
    most 2 k, and choosing among the edges that join two parts of the forest (a function of earlier choices) is one
    exponential mechanism. By adaptive composition: rho. Fitting is post-processing.

    Raises MethodRefused without the extra `peers`.
    """
    refuse_prefixes(workload)
    domain = workload.domain
    ones: list[Subset] = [(a,) for a, size in enumerate(domain.shape) if size > 1]
    every = itertools.combinations([a for (a,) in ones], 2)
    pairs: list[Subset] = [pair for pair in every if domain.related(pair) is None]
    tables = dict(zip(ones + pairs, _tables(private, ones + pairs), strict=True))
    known = NoisyMarginals(domain.shape, len(private))
    for subset in ones:
        known.measure(subset, tables[subset], plan.measurement(len(ones)), noise)
    merging = Merging.of_rare(known.rare(RARE))
    known = known.merged(merging)
    tables = {pair: merging.gathered(pair, tables[pair]) for pair in pairs}
    if pairs:
        model = known.model(plan.iterations)
        scores = dict(zip(pairs, distances(tables, model, pairs), strict=True))
        edges = _tree(scores, plan, len(ones) - 1, noise)
        for edge in edges:
            known.measure(edge, tables[edge], plan.measurement(len(edges)), noise)
    fitted = known.model(plan.last)
    answers = [merging.spread(m.attributes, fitted.counts(m.attributes)) for m in workload.marginals]
    return known.answers(answers, plan.rho)


def _tables(private: Dataset | RepeatedRows, subsets: list[Subset]) -> list[Ints]:
    closure = Workload(private.domain, tuple(map(Marginal, subsets)))
    counts, ends = count(closure, private).counts, closure.offsets
    return [counts[ends[w] : ends[w + 1]].reshape([private.domain.shape[a] for a in s]) for w, s in enumerate(subsets)]


def _tree(scores: dict[Subset, int], plan: MstPlan, edges: int, noise: NoiseSource) -> list[Subset]:
    """So many edges without a cycle, each chosen among those that join two parts."""
    part = {a: a for edge in scores for a in edge}
    chosen: list[Subset] = []
    while len(chosen) < edges:
        offered = [edge for edge in scores if part[edge[0]] != part[edge[1]]]
        values = np.array([scores[edge] for edge in offered], dtype=np.int64)
        edge = offered[plan.selection(edges).select(values, 2 * plan.sensitivity, noise=noise)]
        joined = part[edge[1]]
        part = {a: part[edge[0]] if own == joined else own for a, own in part.items()}
        chosen.append(edge)
    return chosen
