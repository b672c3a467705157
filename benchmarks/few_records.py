"""How many coded rows of a release few public records carry, and what leaving them out or merging them would change.

    python benchmarks/few_records.py [--epsilon 1] [--least 2 5]

Prints a line a table, set of columns and least number of records, for the table of docs/privacy.md: the share of the
release's rows, and by how much an answer to its 2-way marginals changes, beside the release's own largest error.
Releases by table fit with seeded noise, as for benchmarks/intervals.py; the first pairs of each kind.
"""

from __future__ import annotations

import argparse

import intervals as cells
import numpy as np

from pmwpub.mechanisms.table_fit.intervals.released_tables import answers_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.release.answers.few_records import few_records

COLUMNS = {"adult": 4, "census": 4, "sample": 3}
"""So many columns are named: first one, then one more at a time, in the order of the schema; at last all of them."""


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--least", type=int, nargs="+", default=[2, 5])
    wanted = parser.parse_args()
    for kind, most in COLUMNS.items():
        private, public, k, tables = cells.pairs_of([kind])[0]
        own, other = tables(cells.FIRST_SEED)
        release, _, _ = cells.released((own, other), wanted.epsilon, k, cells.FIRST_SEED)
        workload, support = Workload.all_kway(own.domain, 2), Support.of(other)
        truth = count(workload, own).counts / len(own)
        error = float(np.abs(answers_of(release.released, workload) - truth).max())
        names = own.domain.names
        for named in [*(names[:many] for many in range(2, most + 1)), names]:
            for least in wanted.least:
                found = few_records(release.released, support, named, least, workload)
                changes = [
                    "no row is left" if one is None else f"up to {one.largest:.4f}, mean {one.mean:.6f}"
                    for one in (found.dropped, found.merged)
                ]
                print(
                    f"{private} <- {public}, {len(named)} columns, fewer than {least}: {found.share:.2%} of the rows; "
                    f"left out: {changes[0]}; merged: {changes[1]}; the release's largest error {error:.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
