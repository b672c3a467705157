"""Which tables are measured for a workload: the 1-way and 2-way tables of the attributes that it looks at together."""

from __future__ import annotations

import itertools

from pmwpub.queries.workload import Marginal, Workload


def measured_tables(workload: Workload) -> Workload:
    """The 1-way tables of the workload's attributes, then the 2-way tables of those that one marginal has together.

    Each block is ascending. The result is a workload of the same domain, so `queries.counts.count` gives the exact
    whole numbers of its cells. Raises WorkloadError where these are more than 200 million cells.

    >>> from pmwpub.domain import Attribute, Domain
    >>> people = Domain(tuple(Attribute(name, ("x", "y")) for name in "abcd"))
    >>> [table.attributes for table in measured_tables(Workload.of(people, ["abc", "d"])).marginals]
    [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (1, 2)]
    """
    ones = {(attribute,) for marginal in workload.marginals for attribute in marginal.attributes}
    twos = {pair for marginal in workload.marginals for pair in itertools.combinations(marginal.attributes, 2)}
    return Workload(workload.domain, tuple(map(Marginal, [*sorted(ones), *sorted(twos)])))
