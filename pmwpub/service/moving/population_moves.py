"""Moving a population from one server's store to another's, step by step; see `ledger.parts.movable` for their order.

Whoever runs the two stores does it: an export is written, and taken in, beside the store.
"""

from __future__ import annotations

from pathlib import Path

from pmwpub.errors import ExportRefused
from pmwpub.ledger import Departure, Ledger, TakenIn
from pmwpub.ledger.moving.export_file import NOTHING, opened_export
from pmwpub.outputs import new_file, writable
from pmwpub.service.purchases.caveats import renumbered


def export_population(ledger: Ledger, name: str, address: str, target: Path) -> Departure:
    """Close a population for the store of an address, then write its export into a new file.

    Where the program ends between the two, the same call writes the same bytes.
    Raises LedgerError, PopulationClosed or FileRefused before anything is closed; FileRefused also where the file could
    not be written after all: then the population is closed, and the same call goes on.
    """
    with new_file(target) as stream:
        writable([target])
        ledger.depart(name, address)
        return ledger.write_export(name, stream)


def import_population(ledger: Ledger, source: Path, *, total: str | None = None) -> TakenIn:
    """Take in an export; once: the same one again changes nothing.

    total  the sum that the export printed, where it came by another way than the file

    Raises ExportRefused or PopulationExists; then nothing was changed.
    """
    if total is not None:
        with opened_export(source) as export:
            found = export.manifest.total
        if found != total.strip():
            raise ExportRefused(
                f"The export has the sum {found}, and {total[:80]} was expected: it is another file than the one that "
                f"was meant, or it was altered. {NOTHING}"
            )
    return ledger.take_in(source, renumbered)
