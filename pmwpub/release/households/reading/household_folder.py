"""The folder of a release of households, read to be asked something."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pmwpub.errors import CertificateError
from pmwpub.plans.household_plans import planned_tables
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import refuse_rounds
from pmwpub.release.households.household_checks import check_stated_tables, household_files_in
from pmwpub.release.households.household_copies import weighted_households
from pmwpub.release.households.household_files import REPORT, SCHEMA, TABLES, WEIGHTED, WEIGHTS
from pmwpub.release.households.household_rebuilding import noisy_counts, planned_of, stated_release


def household_bundle_in(folder: Path) -> HouseholdBundle:
    """The release of households whose files lie in a folder.

    Raises CertificateError where a file that is read is not what the certificate names, or they contradict each other.
    """
    return household_bundle_of(household_files_in(folder))


def household_bundle_of(files: Mapping[str, bytes]) -> HouseholdBundle:
    """The same of files by name: of these tables, weights and plan alone, and of no public or private table."""
    try:
        certificate, schema = stated_release(files)
        refuse_rounds(certificate)
        report = REPORT if REPORT in certificate.files and REPORT in files else None
        for name in (SCHEMA, TABLES, WEIGHTS, WEIGHTED, *([report] if report else [])):
            if not certificate.states(name, files[name]):
                raise CertificateError(f"{name} is not what the certificate names; nothing is answered.")
        tables = planned_tables(schema, planned_of(certificate, schema).inputs.workload.build(schema.persons.domain))
        check_stated_tables(certificate.tables, tables)
        persons, own = noisy_counts(files[TABLES], certificate, schema, tables.persons.queries)
        atoms, weights = weighted_households(files, schema)
    except KeyError as lacking:
        raise CertificateError(f"The folder lacks {lacking.args[0]}.") from lacking
    return HouseholdBundle(certificate, schema, atoms, weights, persons, own, report and _text_of(files[report]))


def _text_of(page: bytes) -> str:
    """A report as text; CertificateError for bytes that are none, whatever hash is stated of them."""
    try:
        return page.decode()
    except UnicodeDecodeError as failure:
        raise CertificateError(f"{REPORT} is no text.") from failure
