"""Sums of weights over the rows that satisfy each query: whole numbers, by the loops that count rows.

A weight is a sum of powers of two, so the sum of weights over some rows is the sum, over bits b, of 2^b times the
number of these rows whose weight has bit b.
"""

from __future__ import annotations

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.queries.cell_space import answered
from pmwpub.queries.counts import PrivateCounts, Tally, WeighedRows
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints


def weighed_count(workload: Workload, rows: WeighedRows, *, cap: int, total: int) -> PrivateCounts:
    """min(c_q, T) for every query, where c_q is the sum of the weights of the rows that satisfy it.

    cap    W, the most that a row weighs
    total  T, a public number: what counts are divided by

    Raises DomainError for rows of another domain, or a weight beyond the cap.

    Privacy: k replaced rows move c_q by at most k W, and a table of disjoint cells by at most k W sqrt 2 in L2: what is
    taken out and what is put in are two vectors with entries that are not negative and sum to at most k W each. The
    smaller of c_q and a public constant moves by no more, cell by cell.
    """
    if rows.domain != workload.domain:
        raise DomainError("The table and the workload were made with different schemas.")
    sums = weighed_sums(workload, rows, cap)
    return PrivateCounts(np.minimum(sums, total), total)


def weighed_sums(workload: Workload, rows: WeighedRows, cap: int) -> Ints:
    """int64 (Q,): the sum of the weights of the rows that satisfy each query; DomainError for one beyond the cap.

    Privacy: exact sums over private rows.
    """
    tally, cells = Tally(workload), np.zeros(workload.cells, dtype=np.int64)
    for codes, weights in rows.weighed_blocks():
        if len(weights) and not 0 <= int(weights.min()) <= int(weights.max()) <= cap:
            raise DomainError("A row weighs more than the cap, or less than nothing.")
        for bit in range(cap.bit_length()):
            having = (weights >> bit) & 1 == 1
            part = np.zeros(workload.cells, dtype=np.int64)
            tally.add(np.ascontiguousarray(codes[:, having]), part)
            cells += part << bit
    return answered(workload, cells)


def total_weight(rows: WeighedRows, cap: int) -> int:
    """The sum of all weights, in units.

    Privacy: exact; k replaced rows move it by at most k W.
    """
    found = 0
    for _, weights in rows.weighed_blocks():
        if len(weights) and not 0 <= int(weights.min()) <= int(weights.max()) <= cap:
            raise DomainError("A row weighs more than the cap, or less than nothing.")
        found += int(weights.sum())
    return found
