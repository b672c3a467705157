"""What a stored release is off by, in whole steps of 1/64 private row: of a cell, of a marginal.

The largest error over a workload is `release_error.error_steps`, in the same steps.
"""

from __future__ import annotations

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Ints

STEPS_PER_ROW = 64
"""Steps of a lattice that is finer than any noise that is sold here."""


def released_steps(workload: Workload, released: Distribution, n: int) -> Ints:
    """int64 (Q,): r_q = floor(64 n s_q/S + 1/2), what the release has of each query in steps; public.

    s_q, S  the sum of the weights that satisfy q, and of all, rounded down to multiples of 2^-52
    """
    whole = quantise(released.weights, 1)
    sums = PublicProblem(workload, released.support).sums(whole.values).astype(object)
    rounded: Ints = ((2 * STEPS_PER_ROW * n * sums + whole.total) // (2 * whole.total)).astype(np.int64)
    return rounded


def cell_steps(count: int, released: int) -> int:
    """|64 c - r| of one cell; `released` is r.

    Privacy: non-private. Of k rows taken out 0 to k lie in the cell, and of k rows put in likewise: c moves by at most
    k, so the value by at most 64 k. A row without a level in one of the columns lies in no cell.
    """
    return abs(STEPS_PER_ROW * count - released)


def variation_steps(counts: PrivateCounts, released: Ints) -> int:
    """The total variation distance of one marginal, as the sum of the positive differences in steps.

    counts    of the marginal's m cells alone
    released  int64 (m,), r_q of each cell

    With d_y = 64 c_y - r_y of each cell, and d of one cell more for the rows without a level in one of the columns, of
    which the release has what its cells leave of 64 n, all d add up to zero. So half the sum of their sizes is the sum
    of those above zero, a whole number. It is within m/2 steps of what it would be without rounding r_y.

    Privacy: non-private. A row that is replaced leaves one of these m + 1 cells and enters one: one d falls by 64 and
    one rises by 64, or none moves. A sum of positive parts then changes by at most 64 up or down, and k rows change it
    by at most 64 k. It would not without halving: by up to 128 k.
    """
    if len(counts.counts) != len(released):
        raise PlanError("The private counts belong to another marginal than the release's.")
    differences = STEPS_PER_ROW * counts.counts - released
    return int(np.maximum(differences, 0).sum()) + max(0, -int(differences.sum()))
