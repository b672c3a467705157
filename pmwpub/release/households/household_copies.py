"""Whether the four files of households belong together: whole households with weights, and copies drawn from them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import CertificateError, PmwPubError
from pmwpub.records import Codes, Floats, Ints, code_type
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.households.household_files import (
    HOUSEHOLDS,
    PERSONS,
    WEIGHTED,
    WEIGHTS,
    synthetic_files,
    weight_files,
)
from pmwpub.release.synthesis import check_drawn
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.households.grouped_persons import Households, grouped, merged
from pmwpub.tabular.households.household_schema import HouseholdSchema

SUM_WITHIN = 1e-9
"""How far from one the weights may sum, by rounding."""


def check_copies(files: Mapping[str, bytes], certificate: HouseholdCertificate, schema: HouseholdSchema) -> None:
    """CertificateError unless the files are, byte for byte, what is written of some weighted households.

    Those are read from weights.csv and weighted_persons.csv: different whole households, no more than the public table
    is said to have, with weights that sum to one within SUM_WITHIN. persons.csv and households.csv are to be as many
    copies of them as the certificate states, drawn by its seed. So ids, sizes and the household's own levels agree in
    all four.
    """
    atoms, weights = weighted_households(files, schema)
    persons, again = certificate.public.persons - len(atoms.persons), certificate.public.households - len(atoms)
    if not 0 <= again <= persons <= again * schema.largest:
        raise CertificateError(f"{WEIGHTS} lists households that the public table cannot have, by its stated numbers.")
    number, seed = certificate.households, certificate.row_seed
    if number is None or seed is None or (certificate.strengths, certificate.rounds) == (None, None):
        raise CertificateError("The certificate says no strengths, no number of synthetic households or no seed.")
    try:
        check_drawn(number, seed)
    except PmwPubError as refusal:
        raise CertificateError(f"The certificate states what cannot be: {refusal}") from refusal
    short = number > len(files[HOUSEHOLDS])  # a row has a line end at least
    if short or any(
        files[name] != body for name, body in synthetic_files(schema, atoms, weights, number, seed).items()
    ):
        raise CertificateError(f"{PERSONS} and {HOUSEHOLDS} are not drawn from the weights by the seed that is stated.")


def weighted_households(files: Mapping[str, bytes], schema: HouseholdSchema) -> tuple[Households, Floats]:
    """The households and weights of weights.csv and weighted_persons.csv; CertificateError where these are none."""
    try:
        owners, codes = _persons(files[WEIGHTED], schema.persons.domain)
        weights = np.array([float(line[-1]) for line in _lines(files[WEIGHTS])])
        if not np.array_equal(np.unique(owners), np.arange(len(weights))):
            raise CertificateError(f"{WEIGHTED} and {WEIGHTS} are of different households.")
        atoms = grouped(schema, codes, owners)
        same = {name: files[name] for name in (WEIGHTS, WEIGHTED)} == weight_files(schema, atoms, weights)
        once = merged(atoms)[0]
        ordered = np.array_equal(once.starts, atoms.starts) and np.array_equal(once.persons.codes, atoms.persons.codes)
    except (PmwPubError, ValueError, LookupError, OverflowError, csv.Error) as failure:
        raise CertificateError(f"{WEIGHTS} and {WEIGHTED} are no whole households with their weights.") from failure
    if not same or not ordered:
        raise CertificateError(f"{WEIGHTS} and {WEIGHTED} are not written as different whole households are.")
    if not np.all(np.isfinite(weights)) or weights.min() < 0 or abs(float(weights.sum()) - 1) > SUM_WITHIN:
        raise CertificateError(f"The weights of {WEIGHTS} do not sum to one.")
    return atoms, weights


def _persons(content: bytes, domain: Domain) -> tuple[Ints, Codes]:
    """The household of each person, from 0 on, and the codes; ValueError or LookupError for another table."""
    known = [{inert(level): code for code, level in enumerate(one.levels)} for one in domain.attributes]
    lines = _lines(content)
    codes = [[levels[cell] for levels, cell in zip(known, line[1:], strict=True)] for line in lines]
    return np.array([int(line[0]) - 1 for line in lines], dtype=np.int64), np.array(codes, dtype=code_type(domain))


def _lines(content: bytes) -> list[list[str]]:
    """All lines but the header; ValueError where there are none."""
    found = list(csv.reader(io.StringIO(content.decode(), newline="")))[1:]
    if not found:
        raise ValueError("no lines")
    return found
