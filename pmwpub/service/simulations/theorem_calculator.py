"""The paper's accuracy theorem and mixture proposition as questions with answers. Public arithmetic, for everybody."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from pmwpub import figures
from pmwpub.service.inputs.study import Study
from pmwpub.theory import (
    HYPOTHESES,
    AccuracyTerms,
    BoundLine,
    accuracy_line,
    accuracy_terms,
    epsilon_tilde_of,
    epsilon_within,
    fewest_rounds,
    private_rows_needed,
    public_rows_needed,
    rounds_of_least_bound,
    signal_needed,
)

__all__ = ["HYPOTHESES", "AccuracyQuestion", "Facts", "facts_of", "rows_that_suffice"]

POINTS = 60
"""About how many numbers of rounds the bound is drawn at."""


@dataclass(frozen=True)
class Facts:
    """What the calculators begin with; all public.

    n                private rows
    m                public rows, with repetition
    queries          Q, the queries of the workload
    delta            that of the ledger
    rows_per_person  k
    """

    n: int
    m: int
    queries: int
    delta: Fraction
    rows_per_person: int = 1


def facts_of(study: Study | None) -> Facts:
    """The facts of the open population, as far as it has them; else those of the demo."""
    if study is None:
        return Facts(20_000, 12_000, 121_848, Fraction(1, 20_000**2))
    terms = study.population
    rows = max((one.worth for one in study.usable), default=12_000)
    queries = study.workload().queries if study.schema is not None and study.choice is not None else 121_848
    return Facts(terms.n, rows, queries, terms.delta, terms.rows_per_person)


@dataclass(frozen=True)
class AccuracyQuestion:
    """Theorem 4.4 for given tables and a given loss of privacy: what it bounds, and what an error would take.

    facts         of the tables; n rows of which one person owns up to k count as n/k
    epsilon       of the release, at the facts' delta
    best_mixture  f, or an upper bound of it, a share of the rows
    beta          the chance with which the bound may be missed

    The properties raise BoundError out of range.
    """

    facts: Facts
    epsilon: float
    best_mixture: float
    beta: float

    @property
    def rows(self) -> float:
        """n/k, since noise and sensitivity both grow by k."""
        return self.facts.n / self.facts.rows_per_person

    @cached_property
    def tilde(self) -> float:
        """The theorem's own ε, by the conversion that the ledger uses."""
        return epsilon_tilde_of(self.epsilon, self.facts.delta)

    @cached_property
    def rounds(self) -> int:
        """The T at which the bound is least."""
        facts = self.facts
        return rounds_of_least_bound(self.tilde, n=self.rows, m=facts.m, queries=facts.queries, beta=self.beta)

    @property
    def bound(self) -> float:
        """The bound on the largest error at that T, as a share of the private rows."""
        return self._terms(self.rounds).total

    def by_rounds(self) -> list[figures.BoundParts]:
        """The bound by its parts, at about 60 numbers of rounds around the best one."""
        fewest = fewest_rounds(self.beta)
        most = max(10 * self.rounds, 10 * fewest)
        spaced = np.unique(np.geomspace(fewest, most, POINTS).round().astype(int)).tolist()
        found = []
        for rounds in sorted({*spaced, self.rounds}):
            terms = self._terms(rounds)
            found.append(figures.BoundParts(rounds, (terms.floor, terms.reweight, terms.selection, terms.chance)))
        return found

    def by_epsilon(self, epsilons: tuple[float, ...]) -> BoundLine:
        """The bound at some epsilons and at the question's own one, each at its best T."""
        facts = self.facts
        return accuracy_line(
            sorted({*epsilons, self.epsilon}),
            delta=facts.delta,
            n=facts.n,
            m=facts.m,
            queries=facts.queries,
            rows_per_person=facts.rows_per_person,
            beta=self.beta,
            best_mixture=self.best_mixture,
        )

    def needed(self, error: float) -> tuple[float, float]:
        """What a bound of `error` takes: private rows at this ε, or else the ε with the rows that there are.

        Raises BoundError where neither rows nor ε bring the bound there.
        """
        facts, k = self.facts, self.facts.rows_per_person
        signal = signal_needed(error, m=facts.m, queries=facts.queries, beta=self.beta, best_mixture=self.best_mixture)
        return signal * k / self.tilde, epsilon_within(signal * k / facts.n, facts.delta)

    def _terms(self, rounds: int) -> AccuracyTerms:
        facts = self.facts
        return accuracy_terms(
            self.tilde,
            rounds,
            n=self.rows,
            m=facts.m,
            queries=facts.queries,
            beta=self.beta,
            best_mixture=self.best_mixture,
        )


def rows_that_suffice(
    alpha: float, beta: float, queries: int, *, rows_per_person: int, second_divergence: float, max_divergence: float
) -> tuple[int, int]:
    """Proposition 4.3: the private and the public rows that make the best-mixture error at most alpha, but for beta.

    With a chance of at most beta the error is larger all the same. The divergences, in nats, say
    how far the private population is from the public one.
    """
    private = rows_per_person * private_rows_needed(alpha, beta, queries)
    public = public_rows_needed(
        alpha, beta, queries, second_divergence=second_divergence, max_divergence=max_divergence
    )
    return private, public
