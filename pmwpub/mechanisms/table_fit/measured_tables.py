"""Which tables are measured for a workload: those of one, two and, if wanted, three attributes that it has together."""

from __future__ import annotations

import itertools

from pmwpub.queries.workload import Marginal, Workload


def measured_tables(workload: Workload, *, three_way: bool = False) -> Workload:
    """The 1-way tables of the workload's attributes, then the 2-way tables of those that one marginal has together.

    A prefix table counts as a marginal of its attributes: its queries are sums of cells of that marginal's table, so
    they are answered by the weights, and none is measured as such.

    three_way  whether the 3-way tables of those that one marginal has together come behind them

    Each block is ascending. The result is a workload of the same domain, so `queries.counts.count` gives the exact
    whole numbers of its cells. Raises WorkloadError where these are more than 200 million cells.

    >>> from pmwpub.domain import Attribute, Domain
    >>> people = Domain(tuple(Attribute(name, ("x", "y")) for name in "abcd"))
    >>> [table.attributes for table in measured_tables(Workload.of(people, ["abc", "d"])).marginals]
    [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (1, 2)]
    """
    together = [sorted(table.attributes) for table in workload.tables]
    ones = {(attribute,) for attributes in together for attribute in attributes}
    twos = {pair for attributes in together for pair in itertools.combinations(attributes, 2)}
    threes = {some for attributes in together for some in itertools.combinations(attributes, 3)}
    tables = [*sorted(ones), *sorted(twos), *(sorted(threes) if three_way else ())]
    return Workload(workload.domain, tuple(map(Marginal, tables)))
