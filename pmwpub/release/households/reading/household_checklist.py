"""A release of households held against the questions that NIST SP 800-226 asks of a claim of differential privacy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pmwpub.release.checklist import COLLECTION, ERRORS, EVIDENCE, SEED_OF_ROWS, STORE, WHY_DELTA, Answer
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.households.reading.household_summary import ONE_HOUSEHOLD
from pmwpub.release.report_numbers import up


def household_checklist(certificate: HouseholdCertificate) -> tuple[Answer, ...]:
    """Every question with its answer, from the strength of the promise down to the handling of data."""
    return tuple([*_promise(certificate), *_mechanism(certificate), *_surroundings(certificate)])


def _promise(certificate: HouseholdCertificate) -> Iterator[Answer]:
    n, largest = certificate.n, certificate.largest_household
    yield Answer("Unit of privacy", f"{certificate.unit}: all rows of one household id. {ONE_HOUSEHOLD}")
    yield Answer(
        "Neighbouring tables",
        f"Two tables of {n:,} households that differ in one household, replaced by another of 1 to {largest} persons, "
        f"of the same or another size. The number of households, {n:,}, is public; the number of persons is not.",
    )
    yield Answer(
        "Contribution bound",
        f"At most {largest} persons of a household count. The program chose them from that household's own rows, so a "
        "larger household is no exception to the promise.",
    )
    yield Answer("Sensitivity", f"{certificate.sensitivity[:1].upper()}{certificate.sensitivity[1:]}.")
    yield Answer(
        "Parameters",
        f"This release: ε = {up(certificate.epsilon)} at δ = {up(certificate.delta, 3)} "
        f"(ρ = {up(certificate.rho)} in zero-concentrated differential privacy). Conversions and displayed digits are "
        "rounded up.",
    )
    delta = Fraction(certificate.delta)
    yield Answer(
        WHY_DELTA,
        "δ was granted before the first charge and is the same for everything released of this population, counted "
        f"together. A δ of 1/n would let a program publish one household whole. Here δ × n = {up(delta * n)}. The loss "
        "is counted in ρ, which bounds ε for every δ at once.",
    )
    yield Answer(
        "Composition",
        "One ledger adds up everything that was ever charged for this population, in exact whole units of ρ, and "
        "lets no charge through that would exceed the total granted beforehand. A population of households buys "
        "releases of households alone: a price for persons protects a household of H only at H² times the ρ, and is "
        f"never added. With this release the charges add up to ε = {up(certificate.ledger_total.epsilon)}.",
    )


def _mechanism(certificate: HouseholdCertificate) -> Iterator[Answer]:
    yield Answer(
        "Algorithm",
        f"{certificate.mechanism[:1].upper()}{certificate.mechanism[1:]}. {len(certificate.tables):,} tables of one or "
        "two columns are measured at once: which, and with how much noise, is decided by public facts. All the rest is "
        "post-processing of these noisy tables and of public data.",
    )
    yield Answer(
        "Domain and preprocessing",
        "Columns, levels, bins and the largest household come from public facts. A private value that the schema does "
        "not know follows the schema's public rule; no household is dropped. Rows without a household id are nobody's.",
    )
    of_households = SEED_OF_ROWS.replace("rows", "households")
    yield Answer("Randomness", f"The operating system's secure source, without a seed. {of_households}")
    yield Answer(
        "Floating point",
        "Counts and noise are whole numbers: no rounded number decides anything about a private count. Weights are "
        "floating-point numbers made from released values only.",
    )
    yield Answer("Side channels", certificate.outside_the_guarantee)
    yield Answer(
        "Utility and bias",
        "Only whole households that occur in the public table can occur in the release: who lives with whom is "
        "theirs. Small groups are blurred most: the noise is as large for them as for large ones, and on counts of "
        "persons it grows with the largest household.",
    )
    yield Answer(
        ERRORS,
        "Exact errors, by level too, are private and stand nowhere. Every cell of every measured table has a 95 % "
        "interval by the noise alone, shares of persons as ratios of two noisy numbers: `pmwpub answer` shows them. "
        "Of columns that no table has together nothing is known. The largest error of the release can "
        "be bought as a noisy number.",
    )


def _surroundings(certificate: HouseholdCertificate) -> Iterator[Answer]:
    yield Answer(
        "Trust model",
        "Central: the steward and the server see the private table and are trusted with it. Recipients, other sessions "
        "and the contents of every uploaded file are not.",
    )
    yield Answer(
        COLLECTION,
        "Nothing here protects the private table before it is loaded: whoever collected it, kept it or sent it on "
        "could see every household. The program neither knows nor changes that; it is the steward's to state.",
    )
    yield Answer(
        "Data handling",
        "Private rows stay in the memory of the process that ran this; none is stored. The store keeps a keyed "
        "fingerprint of the table that no export contains.",
    )
    yield Answer(
        STORE,
        "The store has the ledger, results, public tables and those fingerprints, and no private row. Who may read or "
        "write it is decided by the operator and the system.",
    )
    yield Answer(
        "Order of events",
        "The charge was committed before any noise was drawn, the result before it was shown. The same plan sent again "
        "returns the stored bytes.",
    )
    version = certificate.versions.get("pmwpub", "")
    yield Answer(
        EVIDENCE,
        "The source comes with tests that anyone can run: noise against its exact law, how far a household of any size "
        "moves each table, whole runs against exact probabilities, and planted faults that must each be caught. "
        f"docs/privacy.md names the test of each claim. This was made by pmwpub {version}; whether its copy was "
        "unchanged is not stated here. These files can be held against each other (`pmwpub certificate check`), and "
        "made again from the public parts (rebuild.py).",
    )
    yield Answer(
        "Known limits",
        "Not checked by the program: that the public table owes nothing to the private one, that a person stands in "
        "one household, and that the same people are in no other population or system. A group of g households is "
        "protected at a weaker level, about g times ε.",
    )
