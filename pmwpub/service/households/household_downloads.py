"""The files of a finished release of households as they are downloaded: made from its stored bytes, free."""

from __future__ import annotations

from pmwpub.release.bundle import pack
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_files import (
    CERTIFICATE,
    HOUSEHOLD_FILES,
    HOUSEHOLDS,
    MEASUREMENTS,
    PERSONS,
    REBUILD,
    REPORT,
    ROUND_FILES,
    SCHEMA,
    WEIGHTED,
)
from pmwpub.release.households.reading.household_report import FILE_WORDS
from pmwpub.release.notebooks.analyst_notebook import NOTEBOOK
from pmwpub.release.notebooks.household_notebook import household_notebook, with_household_notebook
from pmwpub.service.bought.release_files import BYTES, CSV, IPYNB, JSON, ROWS_ALLOWED, SEEDS_ALLOWED, ZIP, ReleaseFile
from pmwpub.service.records.signed_files import SIGNATURE, declared_key, signed

__all__ = ["ROWS_ALLOWED", "SEEDS_ALLOWED", "HouseholdBundle", "household_downloads"]

MEDIA_TYPES = {
    CERTIFICATE: JSON,
    SCHEMA: JSON,
    REPORT: "text/html",
    REBUILD: "text/x-python",
    SIGNATURE: BYTES,
}

NOT_ALONE = {
    WEIGHTED: (
        "The persons of the public households, copied as they are: no table of its own. What counts is their "
        "household's weight in weights.csv, joined by the id."
    ),
    MEASUREMENTS: "Every noisy measurement, a round each, with the deviation of its noise.",
    CERTIFICATE: "What is promised, what it cost, and the SHA-256 of the other files.",
    REPORT: "The report for readers.",
    SIGNATURE: "The publisher's signature of certificate.json.",
    NOTEBOOK: "A notebook that reads the tables and their intervals.",
}
"""What files are that the report does not list, or says less of."""
IN_ONE = "All files in one archive."


def household_downloads(bundle: HouseholdBundle, archive: str, *, households: int, seed: int) -> list[ReleaseFile]:
    """Every file of a release of households, the persons and their households first, and last all in a zip archive.

    archive           the archive's name
    households, seed  how many synthetic ones are drawn from the weights, and by which public seed

    Making the bytes raises PlanError for a number or a seed out of range.

    Privacy: post-processing of the released weights; nothing is charged.
    """
    key = declared_key()

    def made() -> dict[str, bytes]:
        return signed(bundle.files(households, seed), key)

    said = FILE_WORDS | NOT_ALONE

    def one(name: str) -> ReleaseFile:
        main = name in (PERSONS, HOUSEHOLDS)
        return ReleaseFile(name, MEDIA_TYPES.get(name, CSV), lambda: made()[name], main=main, words=said[name])

    files = HOUSEHOLD_FILES if bundle.certificate.rounds is None else ROUND_FILES
    report = [] if bundle.report is None else [REPORT]
    names = [*files, *report, *([] if key is None else [SIGNATURE])]
    notebook = ReleaseFile(NOTEBOOK, IPYNB, lambda: household_notebook(bundle), words=said[NOTEBOOK])
    return [
        *map(one, names),
        *([notebook] if bundle.certificate.tables else []),
        ReleaseFile(archive, ZIP, lambda: pack(with_household_notebook(bundle, made())), words=IN_ONE),
    ]
