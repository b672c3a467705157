"""The exact numbers of private rows by which a stored release is accepted: what noise is added to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmwpub.mechanisms.acceptance.acceptance_steps import STEPS_PER_ROW, cell_steps, released_steps, variation_steps
from pmwpub.mechanisms.noisy_error.release_error import error_steps
from pmwpub.numerals import as_fraction
from pmwpub.plans import AcceptancePlan
from pmwpub.plans.criteria import CellWithin, LargestWithin, MarginalOfRelease, MeanOfRelease, Measured
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Ints
from pmwpub.release.bundle import Bundle
from pmwpub.release.rebuilding import workload_of
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.files.source import STREAMED, FileLimits
from pmwpub.tabular.number_sums import SummedColumn, number_sums


def exact_numbers(plan: AcceptancePlan, bundle: Bundle, private: PrivateTable) -> tuple[int, ...]:
    """Of each number that the plan sells: in steps of 1/64 row, or of a mean in thousandths of a unit.

    Raises FileRefused where numbers are to be summed and the private file is another one by now.

    Privacy: exact numbers of private rows, for `acceptance_release` alone. Which are asked follows from the plan and
    the stored release; `acceptance_steps`, `error_steps` and `mean_sums` say how far one person moves each.
    """
    released = bundle.distribution()
    found: dict[Measured, tuple[int, ...]] = {}
    shares = [one for one in plan.criteria if isinstance(one, CellWithin | MarginalOfRelease)]
    means = [one for one in plan.criteria if isinstance(one, MeanOfRelease)]
    found |= _of_marginals(shares, plan, bundle, released, private) | _of_means(means, plan, bundle, private)
    largest = [one for one in plan.criteria if isinstance(one, LargestWithin)]
    if largest:
        workload = workload_of(bundle.certificate, bundle.schema)
        steps = error_steps(count(workload, private.dataset), workload, released, STEPS_PER_ROW)
        found |= {one: (steps,) for one in largest}
    return tuple(number for one in plan.criteria for number in found[one])


def _of_marginals(
    criteria: Sequence[CellWithin | MarginalOfRelease],
    plan: AcceptancePlan,
    bundle: Bundle,
    released: Distribution,
    private: PrivateTable,
) -> dict[Measured, tuple[int, ...]]:
    """Of cells and marginals: their counts, in one pass, against what the release has of them."""
    if not criteria:
        return {}
    workload = Workload.of(bundle.schema.domain, dict.fromkeys(one.columns for one in criteria))
    places = {marginal.attributes: place for place, marginal in enumerate(workload.marginals)}
    counts, steps = count(workload, private.dataset), released_steps(workload, released, plan.n)
    found: dict[Measured, tuple[int, ...]] = {}
    for one in criteria:
        attributes = tuple(sorted(map(workload.domain.index, one.columns)))
        begin, end = workload.offsets[places[attributes] :][:2].tolist()
        own = PrivateCounts(counts.counts[begin:end], counts.n)
        found[one] = (_number(one, own, steps[begin:end], workload, attributes),)
    return found


def _number(
    one: CellWithin | MarginalOfRelease,
    counts: PrivateCounts,
    steps: Ints,
    workload: Workload,
    attributes: tuple[int, ...],
) -> int:
    if isinstance(one, MarginalOfRelease):
        return variation_steps(counts, steps)
    levels, own = dict(one.levels), [workload.domain.attributes[place] for place in attributes]
    codes = [attribute.levels.index(levels[attribute.name]) for attribute in own]
    cell = int(np.ravel_multi_index(codes, [attribute.size for attribute in own]))
    return cell_steps(int(counts.counts[cell]), int(steps[cell]))


def _of_means(
    criteria: Sequence[MeanOfRelease], plan: AcceptancePlan, bundle: Bundle, private: PrivateTable
) -> dict[Measured, tuple[int, ...]]:
    """Of means: the sum and number of each column's numbers, in one pass over the file that was loaded."""
    if not criteria:
        return {}
    sums = number_sums(
        open_table(
            private.source,
            options=private.options,
            limits=FileLimits() if isinstance(private.source, bytes) else STREAMED,
        ),
        bundle.schema,
        [SummedColumn(one.column, float(as_fraction(one.unit)), *one.ends) for one in criteria],
        digest=private.rows,
        n=plan.n,
        rows_per_person=plan.rows_per_person,
    )
    return {one: one.sums.values(*sum_and_rows) for one, sum_and_rows in zip(criteria, sums.tolist(), strict=True)}
