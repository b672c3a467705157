"""A release held against the questions that NIST SP 800-226 asks of a claim of differential privacy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from pmwpub.plans.weighing import weights_in_words
from pmwpub.release.answers.interval_strengths import INTERVALS
from pmwpub.release.certificates.certificate_reading import AnyCertificate, ChargedCertificate
from pmwpub.release.certificates.neighbour_words import public_weights_in_words
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.report_numbers import rows, up
from pmwpub.tabular.schema.table_schema import Schema


class Answer(NamedTuple):
    """One question and what holds for this release."""

    topic: str
    words: str


def checklist(certificate: AnyCertificate, schema: Schema) -> tuple[Answer, ...]:
    """Every question with its answer, from the strength of the promise down to the handling of data."""
    if isinstance(certificate, UnchangedCertificate):
        return tuple(_unchanged(certificate))
    return tuple([*_promise(certificate, schema), *_mechanism(certificate), *_surroundings(certificate, schema)])


def _unchanged(certificate: UnchangedCertificate) -> Iterator[Answer]:
    yield Answer("Parameters", "ε = 0 at δ = 0: these files are a function of public things alone.")
    yield Answer("Composition", "Nothing was charged, and nothing is added to what other releases cost.")
    yield Answer("Algorithm", f"{certificate.mechanism[:1].upper()}{certificate.mechanism[1:]}.")
    yield Answer("Randomness", f"None but that of the synthetic rows. {SEED_OF_ROWS}")
    yield Answer("Side channels", "None: the private table has no part in making these files.")
    yield Answer(
        "Known limits",
        "Not checked by the program: that the public tables owe nothing to the private one, and how far they are from "
        "it.",
    )


WHY_DELTA, ERRORS = "Why this δ", "Error by level"
COLLECTION, STORE, EVIDENCE = "Data collection exposure", "Access to the store", "Evidence"
"""Questions to which whoever publishes a release may have more to say than the program knows."""

SEED_OF_ROWS = "The only seed draws the synthetic rows; it is public and stands in the certificate."

OWNED = {None: "that a person owns no more rows than stated", "keep": "that a person has no second ID"}
"""What is not checked of the rows that somebody owns, by the same rule."""

CHECKED = {
    None: "The column that names the person was checked: nobody has more. It was not used otherwise.",
    "keep": "Of an ID with more rows in the column that names the person, so many count, chosen from that ID's own "
    "rows by a keyed hash; the others, and rows without an ID, satisfy no query. How many rows an ID has is not "
    "protected.",
}
"""What became of the column of IDs, by the schema's rule for an ID with too many rows."""


def _promise(certificate: ChargedCertificate, schema: Schema) -> Iterator[Answer]:
    k = certificate.rows_per_person
    unit = certificate.unit or "one person"
    whose = (
        f"who owns at most {rows(k)} of the private table" if schema.rows_beyond is None else "by all rows of its ID"
    )
    yield Answer("Unit of privacy", f"{unit}, {whose}.")
    yield Answer(
        "Neighbouring tables",
        f"Two tables of {certificate.n:,} rows that differ in {_differing(certificate, schema)}. "
        f"The number of rows, {certificate.n:,}, is public.",
    )
    if certificate.weights is not None:
        yield Answer("Survey weights", " ".join(weights_in_words(certificate.weights)))
    checked = (
        CHECKED[schema.rows_beyond]
        if schema.id_column is not None
        else "The steward attests it; the table names no person, so the program could not check it."
    )
    bound = f"At most {rows(k)} {'a person' if schema.rows_beyond is None else 'of each ID count'}."
    yield Answer("Contribution bound", f"{bound} {checked}")
    yield Answer(
        "Parameters",
        f"This release: ε = {up(certificate.epsilon)} at δ = {up(certificate.delta, 3)} "
        f"(ρ = {up(certificate.rho)} in zero-concentrated differential privacy). Conversions and displayed "
        "digits are rounded up.",
    )
    yield Answer(WHY_DELTA, _why_delta(certificate))
    yield Answer(
        "Composition",
        "One ledger adds up everything that was ever charged for this population, in exact whole units of ρ, and lets "
        "no charge through that would exceed the total granted beforehand: later choices may depend on earlier "
        "results. "
        f"With this release the charges add up to ε = {up(certificate.ledger_total.epsilon)}.",
    )


def _why_delta(certificate: ChargedCertificate) -> str:
    delta, n = Fraction(certificate.delta), certificate.n
    proposed = Fraction(1, n * n)
    # Certificates round δ up at 15 digits.
    size = "below" if delta < proposed else "equal to" if delta <= proposed * (1 + Fraction(1, 10**12)) else "above"
    return (
        "δ was granted before the first charge and is the same for everything released of this population, counted "
        "together. A δ of 1/n would let a program publish one row whole, so it must be far smaller; the program "
        f"proposes 1/n². This one is {size} that: δ × n = {up(delta * n)}. The loss is counted in ρ, which bounds ε "
        "for every δ at once: the noise has no outcome that gives a row away outright."
    )


def _differing(certificate: ChargedCertificate, schema: Schema) -> str:
    if schema.rows_beyond is None:
        return f"one person's at most {rows(certificate.rows_per_person)}, replaced by as many"
    return "all rows of one ID, replaced by as many of an ID that no row has"


def _mechanism(certificate: ChargedCertificate) -> Iterator[Answer]:
    yield Answer("Algorithm", f"{certificate.mechanism}. {_steps(certificate)}")
    yield Answer(
        "Domain and preprocessing",
        "Columns, levels, bins, queries and rounds come from public facts. A private value that the schema does not "
        "know follows the schema's public rule; no row is dropped.",
    )
    if weighed := public_weights_in_words(certificate.candidate):
        yield Answer("Weights of public rows", f"{weighed} They are public, and cost nothing.")
    yield Answer(
        "Randomness",
        f"The operating system's secure source, without a seed. {_seeds(certificate)}",
    )
    yield Answer(
        "Floating point",
        "Counts, scores and noise are whole numbers, and selection weights are enclosed exactly: no rounded number "
        "decides anything about a private count. Weights are floating-point numbers made from released values only.",
    )
    yield Answer("Side channels", certificate.outside_the_guarantee)
    yield Answer(
        "Utility and bias",
        f"Only combinations that occur in the public table{_added(certificate)} can occur in the release. Small groups "
        "are blurred most: the noise is as large for them as for large ones.",
    )
    yield Answer(ERRORS, _errors(certificate))


def _errors(certificate: ChargedCertificate) -> str:
    if isinstance(certificate, TableCertificate) and INTERVALS in certificate.files:
        known = "Every level of every column, and every cell of up to three columns, has a 95 % interval from noisy "
        known += "values alone."
    elif isinstance(certificate, TableCertificate):
        known = "Each noisy cell is listed with the deviation of its noise; no interval is stated."
    else:
        known = "A cell that was measured has a 95 % interval by its noise; of all others nothing is known."
    return (
        f"Exact errors, by level too, are private and stand nowhere. {known} `pmwpub answer` shows them, and the "
        "largest error of the release can be bought as a noisy number. An interval as wide as its share says that the "
        "level is too small to be read."
    )


def _surroundings(certificate: ChargedCertificate, schema: Schema) -> Iterator[Answer]:
    yield Answer(
        "Trust model",
        "Central: the steward and the server see the private table and are trusted with it. Recipients, other "
        "sessions and the contents of every uploaded file are not.",
    )
    yield Answer(
        COLLECTION,
        "Nothing here protects the private table before it is loaded: whoever collected it, kept it or sent it on "
        "could see every row. The program neither knows nor changes that; it is the steward's to state.",
    )
    yield Answer(
        "Data handling",
        "Private rows stay in the memory of the steward's session and of the process that ran this; none is stored. "
        "The store keeps a keyed fingerprint of the table that no export contains.",
    )
    yield Answer(
        STORE,
        "The store has the ledger, results, public tables and those fingerprints, and no private row. Who may read or "
        "write it is decided by the operator and the system. Whoever may write it could undo what was counted; a "
        "witness file that is kept elsewhere shows charges that a store lacks.",
    )
    yield Answer(
        "Order of events",
        "The charge was committed before any noise was drawn, the result before it was shown. The same plan sent "
        "again returns the stored bytes; nothing is drawn a second time unless it is charged again.",
    )
    yield Answer(EVIDENCE, _evidence(certificate))
    yield Answer(
        "Known limits",
        "Not checked by the program: that the public tables owe nothing to the private one, "
        f"{OWNED[schema.rows_beyond]}, and that the same people are in no other population or system. A group of g "
        "people is protected at a weaker level, about g times ε.",
    )


def _evidence(certificate: ChargedCertificate) -> str:
    version = certificate.versions.get("pmwpub", "")
    return (
        "The source comes with tests that anyone can run: noise against its exact law, sensitivities on neighbouring "
        "tables, whole runs against exact probabilities, crashes between charge and result, and planted faults that "
        f"must each be caught. docs/privacy.md names the test of each claim. This was made by pmwpub {version}; "
        "whether its copy was unchanged, and whether others have reviewed it, is not stated here. These files can be "
        "held against each other (`pmwpub certificate check`), and made again from the public parts (rebuild.py)."
    )


def _steps(certificate: ChargedCertificate) -> str:
    if isinstance(certificate, TableCertificate):
        columns = "one, two or three columns" if certificate.three_way else "one or two columns"
        if certificate.with_coarse:
            columns += ", some of one column with adjacent levels merged,"
        return (
            f"{len(certificate.tables):,} tables of {columns} are measured at once: which, and with how much "
            "noise, is decided by public facts. All the rest is post-processing of these noisy tables and of public "
            "data."
        )
    return (
        f"{certificate.rounds} rounds: each picks a badly answered query by the {_selection(certificate.selection)} "
        "and measures it with discrete Gaussian noise. All the rest is post-processing of these measurements and of "
        "public data."
    )


def _added(certificate: ChargedCertificate) -> str:
    grown = isinstance(certificate, TableCertificate) and certificate.adds_rows
    return ", or among the rows that were added to it," if grown else ""


def _seeds(certificate: ChargedCertificate) -> str:
    if isinstance(certificate, TableCertificate):
        return SEED_OF_ROWS
    return (
        "The only seeds order the replayed steps and draw the synthetic rows; both are public and stand in the "
        "certificate."
    )


def _selection(name: str) -> str:
    return {"exponential": "exponential mechanism", "permute-and-flip": "permute-and-flip mechanism"}.get(name, name)
