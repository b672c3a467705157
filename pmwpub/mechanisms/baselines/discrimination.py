"""A regularised logistic regression that tells two weighted tables apart, solved to a certified gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmwpub.errors import SolverError
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.records import Codes, Dataset, Floats, Ints, Support

BLOCK = 4096
"""Rows whose terms are added up before the block's sum is: rounding grows with BLOCK + rows/BLOCK, not with rows."""

MAX_STEPS = 200


@dataclass(frozen=True, eq=False)
class OneHotRows:
    """Distinct rows as one-hot vectors of length 1/sqrt(d) an entry, and the share of the table that each is.

    places  int64 (N, d): the coefficient that each cell picks; `size` itself, which is always 0, for "no level"
    shares  float64 (N,), summing to one
    size    p, the number of coefficients
    total   the public number of rows of the table, distinct or not
    """

    places: Ints
    shares: Floats
    size: int
    total: int

    @classmethod
    def of_private(cls, dataset: Dataset | RepeatedRows) -> OneHotRows:
        """A private table's rows; the number of distinct ones is private."""
        if isinstance(dataset, RepeatedRows):
            return cls.of_public(dataset.distinct)
        codes, multiplicity = np.unique(dataset.codes, axis=0, return_counts=True)
        return cls._of(codes, multiplicity, dataset.domain.shape)

    @classmethod
    def of_public(cls, support: Support) -> OneHotRows:
        return cls._of(support.codes, support.multiplicity, support.domain.shape)

    @classmethod
    def _of(cls, codes: Codes, multiplicity: Ints, shape: tuple[int, ...]) -> OneHotRows:
        first = np.concatenate([[0], np.cumsum(shape)[:-1]])
        size = sum(shape)
        places = np.where(codes < np.array(shape), codes + first, size).astype(np.int64)
        total = int(multiplicity.sum())
        return cls(places, multiplicity / total, size, total)

    @property
    def length(self) -> float:
        """What an entry of a row's vector is where it is not zero."""
        return 1.0 / math.sqrt(self.places.shape[1])

    def scores(self, coefficients: Floats) -> Floats:
        """beta.x of each row, float64 (N,)."""
        padded = np.append(coefficients, 0.0)
        total: Floats = padded[self.places].sum(axis=1) * self.length
        return total

    def sums(self, terms: Floats) -> Floats:
        """sum over rows of terms * x, float64 (p,), block by block."""
        totals = np.zeros(self.size + 1)
        for start in range(0, len(terms), BLOCK):
            places, block = self.places[start : start + BLOCK], terms[start : start + BLOCK]
            for column in places.T:
                totals += np.bincount(column, block, minlength=self.size + 1)
        return totals[:-1] * self.length

    def products(self, terms: Floats) -> Floats:
        """sum over rows of terms * x x', float64 (p, p)."""
        from scipy.sparse import csr_matrix

        rows, d = self.places.shape
        entries = np.full(rows * d, self.length)
        table = csr_matrix((entries, self.places.ravel(), np.arange(0, rows * d + 1, d)), (rows, self.size + 1))
        matrix: Floats = (table.T @ table.multiply(terms[:, None])).toarray()[:-1, :-1]
        return matrix


@dataclass(frozen=True, eq=False)
class Discrimination:
    """J(beta) = lambda/2 |beta|^2 + mean over ours of log(1 + e^(-beta.x)) + mean over theirs of log(1 + e^(beta.x)).

    Privacy: non-private; `ji_elkan` says what may come out.
    """

    ours: OneHotRows
    theirs: OneHotRows
    regularisation: float

    @cached_property
    def tolerance(self) -> float:
        """tau: at the returned point the true gradient's norm is certified to be at most this. Public.

        What is computed is at most tau/2 there, and differs from the true one by at most tau/2: with u = 2^-53,
        (i) a score sums d coefficients, |beta|^2 <= 4 log 2/lambda as J(beta) <= J(0): off by at most 2 u d^1.5 |beta|,
            which moves a logistic value, whose slope is at most 1/4, by less;
        (ii) a logistic value is itself off by at most 8 u, and so is its product with a share;
        (iii) terms of one sign are added in blocks: off by at most (BLOCK + blocks) u of their sum, and the d sums over
            levels, each of entries 1/sqrt(d), have together a norm of at most 1; lambda beta adds 4 u lambda |beta|.
        Two tables, and a factor of two to spare: 2^-51 times the bracket below is above all of it together.
        """
        rows, attributes = self.ours.total + self.theirs.total, self.ours.places.shape[1]
        adding = 2 * BLOCK + rows / BLOCK + 64
        return 2.0**-50 * (adding + (math.pow(attributes, 1.5) + self.regularisation) * 4 * self._largest)

    @property
    def _largest(self) -> float:
        """Above |beta| wherever J(beta) <= J(0) = 2 log 2, since J >= lambda/2 |beta|^2."""
        return math.sqrt(4 * math.log(2) / self.regularisation)

    def minimise(self) -> Floats:
        """Coefficients at which the gradient is certified within `tolerance`: Newton's method with step halving.

        Raises SolverError if 200 steps do not get there.
        """
        beta = np.zeros(self.ours.size)
        for _ in range(MAX_STEPS):
            gradient = self.gradient(beta)
            if np.linalg.norm(gradient) <= self.tolerance / 2 and np.linalg.norm(beta) <= self._largest:
                return beta
            beta = self._newton(beta, gradient)
        raise SolverError(f"The logistic regression did not settle within {MAX_STEPS} steps; take a larger lambda.")

    def value(self, beta: Floats) -> float:
        """J(beta)."""
        ours = self.ours.shares @ np.logaddexp(0.0, -self.ours.scores(beta))
        theirs = self.theirs.shares @ np.logaddexp(0.0, self.theirs.scores(beta))
        return float(self.regularisation / 2 * (beta @ beta) + ours + theirs)

    def gradient(self, beta: Floats) -> Floats:
        """The gradient of J, float64 (p,)."""
        ours = self.ours.sums(self.ours.shares * _logistic(-self.ours.scores(beta)))
        theirs = self.theirs.sums(self.theirs.shares * _logistic(self.theirs.scores(beta)))
        return self.regularisation * beta - ours + theirs

    def _newton(self, beta: Floats, gradient: Floats) -> Floats:
        curvature = self.regularisation * np.eye(len(beta))
        for rows in (self.ours, self.theirs):
            value = _logistic(rows.scores(beta))
            curvature += rows.products(rows.shares * value * (1 - value))
        direction = np.linalg.solve(curvature, -gradient)
        slope, start, step = float(gradient @ direction), self.value(beta), 1.0
        # Close to the minimum J no longer resolves a step's gain: what its last digits cannot show is let through.
        while self.value(beta + step * direction) > start + 1e-4 * step * slope + 1e-13 and step > 1e-9:
            step /= 2
        return beta + step * direction


def _logistic(scores: Floats) -> Floats:
    """1/(1 + e^-s), with e raised to nothing positive: accurate to a few units in the last place of 1."""
    small = np.exp(-np.abs(scores))
    values: Floats = np.where(scores >= 0, 1.0, small) / (1.0 + small)
    return values
