"""The folder of a release of households checked against its certificate, without public or private tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from pmwpub.errors import CertificateError
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.plans import HouseholdPlan, HouseholdRoundPlan
from pmwpub.plans.household_plans import asked_tables, planned_tables
from pmwpub.privacy.budget import epsilon_of
from pmwpub.release.certificates.certificate_parts import OUTSIDE, decimal_rho
from pmwpub.release.checks.engine_checks import stated_rho
from pmwpub.release.households.household_bundle import script_of
from pmwpub.release.households.household_certificate import (
    ENGINES,
    MECHANISM,
    MECHANISM_BEFORE,
    MECHANISM_OF_ROUNDS,
    NEIGHBOURS,
    SENSITIVITY,
    STATEMENT,
    HouseholdCertificate,
)
from pmwpub.release.households.household_copies import check_copies
from pmwpub.release.households.household_files import (
    CERTIFICATE,
    HOUSEHOLD_FILES,
    MEASUREMENTS,
    REBUILD,
    REPORT,
    ROUND_FILES,
    SCHEMA,
    TABLES,
)
from pmwpub.release.households.household_rebuilding import checked_rounds, noisy_counts, planned_of, stated_release
from pmwpub.release.households.household_rounds_stated import household_measurements_csv
from pmwpub.strict_json import read_strictly
from pmwpub.tabular.households.household_schema import HouseholdSchema, household_unit

NOT_CHECKED = (
    "that the weights and strengths follow from the noisy tables and the public one, and what is stated of its rows: "
    "rebuild.py does, given the public table",
    "that the noise was drawn as stated, and that the ledger was not tampered with",
    "what only the ledger knows: the population's name, its total budget and what was spent of it, the charge's number "
    "and time, which draw of its plan it paid, the remarks; nor the public file's name and the programs' versions",
    f"what {REPORT} says, where there is one: its hash alone",
    "that the public table owes nothing to the private one, and that nobody stands in two households",
)

SCRIPTS_BEFORE: frozenset[str] = frozenset()
"""SHA-256 of each rebuild.py that an earlier version wrote and this one does not; none so far."""


def is_of_households(folder: Path) -> bool:
    """Whether the certificate in a folder says that it is of households."""
    return _engine_in(folder) in ENGINES


def household_files_in(folder: Path) -> dict[str, bytes]:
    """The files that a release of households has, as far as they lie in a folder."""
    names = (*HOUSEHOLD_FILES, REPORT) if _engine_in(folder) != ENGINES[1] else ROUND_FILES
    return {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}


def _engine_in(folder: Path) -> object:
    """What the certificate in a folder says of its engine; None where there is none."""
    try:
        stated = read_strictly((folder / CERTIFICATE).read_bytes())
    except (OSError, ValueError):
        return None
    return stated.get("engine") if isinstance(stated, dict) else None


def checked_households(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """What was recomputed and holds, a sentence each; CertificateError, which says what does not hold."""
    try:
        return tuple(_findings(files))
    except KeyError as lacking:
        raise CertificateError(f"The folder lacks {lacking.args[0]}.") from lacking


def _findings(files: Mapping[str, bytes]) -> Iterator[str]:
    certificate, schema = stated_release({name: files[name] for name in (CERTIFICATE, SCHEMA)})
    wanted, by_rounds = set(certificate.files), certificate.rounds is not None
    if wanted - {REPORT} != set(ROUND_FILES if by_rounds else HOUSEHOLD_FILES) - {CERTIFICATE} or (
        by_rounds and REPORT in wanted
    ):
        raise CertificateError("The certificate does not name the files of a release of households.")
    for name in sorted(wanted):
        if not certificate.states(name, files[name]):
            raise CertificateError(f"{name} is not the file that the certificate names.")
    yield "each file has the SHA-256 that the certificate states"
    plan = planned_of(certificate, schema)
    _check_promise(certificate)
    yield "the plan has its hash, and names the schema, n, the largest household and the public table that are stated"
    if isinstance(plan, HouseholdPlan):
        yield from _of_tables(files, certificate, schema, plan)
    else:
        yield from _of_rounds(files, certificate, schema, plan)
    check_copies(files, certificate, schema)
    yield "weights sum to one over different whole households, and persons.csv and households.csv are drawn from them"
    _check_script(files[REBUILD], certificate)
    yield "rebuild.py is the script that this program writes"


def _of_tables(
    files: Mapping[str, bytes], certificate: HouseholdCertificate, schema: HouseholdSchema, plan: HouseholdPlan
) -> Iterator[str]:
    """What is checked of table fit alone."""
    tables = planned_tables(schema, plan.inputs.workload.build(schema.persons.domain))
    check_stated_tables(certificate.tables, tables)
    costs = [(certificate.largest_household if one.of == "persons" else 1) ** 2 / Fraction(one.scale) ** 2
             for one in certificate.tables]  # fmt: skip
    if sum(costs, Fraction(0)) > plan.budget.rho or certificate.rho != decimal_rho(plan.budget.units):
        raise CertificateError("The noise of the tables costs more than the rho that is stated.")
    yield "the noise of all tables, H²/σ² for one of persons and 1/σ² for one of households, costs no more than rho"
    _check_epsilons(certificate)
    yield "epsilon follows from rho and delta; so do those of the ledger's total and budget, and each covers the last"
    noisy_counts(files[TABLES], certificate, schema, tables.persons.queries)
    yield "tables.csv lists every cell of the tables that are stated"


def _of_rounds(
    files: Mapping[str, bytes], certificate: HouseholdCertificate, schema: HouseholdSchema, plan: HouseholdRoundPlan
) -> Iterator[str]:
    """What is checked of PMW^Pub alone. A selection costs epsilon0²/2 by either law: the plan's epsilon follows it."""
    queries = asked_tables(schema, plan.inputs.workload.build(schema.persons.domain))
    rounds, largest = checked_rounds(certificate, plan, queries), certificate.largest_household
    if certificate.tables or certificate.strengths is not None:
        raise CertificateError("The certificate states tables or strengths, which PMW^Pub has none of.")
    measured = max(largest / Fraction(rounds.scale_of_persons), 1 / Fraction(rounds.scale_of_households))
    cost = rounds.rounds * (Fraction(rounds.epsilon0) ** 2 + measured**2) / 2
    charged = plan.schedule(certificate.repeat).rho
    if cost > charged.rho or charged > plan.budget or certificate.rho != decimal_rho(charged.units):
        raise CertificateError("The rounds cost more than the rho that is stated.")
    yield "all rounds, each a selection and a measurement with σ = H/ε₀ persons or 1/ε₀ households, cost at most rho"
    _check_epsilons(certificate)
    yield "epsilon follows from rho and delta; so do those of the ledger's total and budget, and each covers the last"
    if files[MEASUREMENTS] != household_measurements_csv(rounds):
        raise CertificateError(f"{MEASUREMENTS} does not list the rounds that the certificate states.")
    yield "measurements.csv lists the rounds that are stated, one query of the plan's each"


def _check_promise(certificate: HouseholdCertificate) -> None:
    words = (
        certificate.neighbours,
        certificate.sensitivity,
        certificate.statement,
        certificate.outside_the_guarantee,
    )
    known = (MECHANISM, MECHANISM_BEFORE) if certificate.rounds is None else (MECHANISM_OF_ROUNDS,)
    promised = (NEIGHBOURS, SENSITIVITY, STATEMENT, OUTSIDE)
    if words != promised or certificate.mechanism not in known:
        raise CertificateError("The certificate promises something else than a release of households does.")
    if certificate.unit != household_unit(certificate.largest_household):
        raise CertificateError("The unit that is stated is no household of at most the stated persons.")


def _check_epsilons(certificate: HouseholdCertificate) -> None:
    """CertificateError unless release, total and budget rise, each epsilon within 1e-9 of its rho's, relatively."""
    least = stated_rho(certificate.rho)
    total, budget = certificate.ledger_total, certificate.budget
    for what, text, said in (
        ("this release", certificate.rho, certificate.epsilon),
        ("the ledger's total", total.rho, total.epsilon),
        ("the budget", budget.rho, budget.epsilon),
    ):
        rho = stated_rho(text)
        if rho < least:
            raise CertificateError(f"The rho of {what} is less than what was spent.")
        expected, least = epsilon_of(rho, Fraction(certificate.delta)), rho
        if abs(expected - said) > 1e-9 * expected:
            raise CertificateError(f"The epsilon of {what} does not follow from its rho and delta.")


def _check_script(script: bytes, certificate: HouseholdCertificate) -> None:
    known = script_of(certificate)
    if script != known and hashlib.sha256(script).hexdigest() not in SCRIPTS_BEFORE:
        raise CertificateError("rebuild.py is no script that this version of pmwpub writes or knows.")


def check_stated_tables(stated: tuple[object, ...], tables: HouseholdTables) -> None:
    """CertificateError unless a certificate lists the tables that its plan measures."""
    found = []
    for of, workload in (("persons", tables.persons), ("households", tables.own)):
        names = workload.domain.names
        found += [(of, tuple(names[place] for place in one.attributes)) for one in workload.marginals]
    if [(one.of, one.columns) for one in stated] != found:  # type: ignore[attr-defined]
        raise CertificateError("The certificate lists other tables than its plan measures.")
