"""Making a release of households again from its certificate, its schema, its noisy tables and the public table."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pmwpub.errors import CertificateError, PmwPubError, SchemaError
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.mechanisms.households.household_fit import HouseholdStrengths, after_household_noise
from pmwpub.mechanisms.households.household_pmw_pub import replayed_weights
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.plans import HouseholdPlan, HouseholdRoundPlan
from pmwpub.plans.household_plans import asked_tables
from pmwpub.records import Floats, Ints
from pmwpub.release.households.household_certificate import HouseholdCertificate, stated_tables
from pmwpub.release.households.household_files import (
    SCHEMA,
    TABLES,
    WEIGHTS,
    household_tables_csv,
    synthetic_files,
    weight_files,
)
from pmwpub.release.households.household_rounds_stated import RoundsStated, lines_of
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import public_households

TOLERANCE = 1e-6
"""The total variation distance within which weights are made again on machines that round otherwise."""


def rebuilt_households(files: Mapping[str, bytes], public: Path | bytes) -> dict[str, bytes]:
    """weights.csv, weighted_persons.csv, persons.csv and households.csv again, of a folder's other files.

    files   certificate.json, schema.json, of table fit tables.csv, and, where it is at hand, weights.csv: households
            are drawn from it where the weights that were made again are it but for rounding
    public  the public table

    Raises CertificateError where schema, plan, public table, tables or noise are not those that the certificate names.
    """
    certificate, schema = stated_release(files)
    plan = planned_of(certificate, schema)
    said = plan.inputs.reading_of(certificate.candidate.sha256)
    table = read_table(public, options=None if said is None else ReadOptions.parse(said))
    if table.sha256 != certificate.candidate.sha256:
        raise CertificateError("That is not the public table that the certificate names.")
    whole = public_households(table, schema).households
    atoms = HouseholdAtoms.of(whole)
    if isinstance(plan, HouseholdPlan):
        weights = _fitted(plan, certificate, schema, whole, files.get(TABLES, b""))
    else:
        weights = _replayed(plan, certificate, schema, atoms)
    made = weight_files(schema, atoms.households, weights)
    released = _released_weights(files.get(WEIGHTS, b""), len(atoms))
    if released is not None and float(np.abs(released - weights).sum()) / 2 <= TOLERANCE:
        made, weights = weight_files(schema, atoms.households, released), released
    if certificate.households is not None and certificate.row_seed is not None:
        made |= synthetic_files(schema, atoms.households, weights, certificate.households, certificate.row_seed)
    return made


def _fitted(
    plan: HouseholdPlan, certificate: HouseholdCertificate, schema: HouseholdSchema, whole: Households, content: bytes
) -> Floats:
    """The weights of table fit again, from tables.csv."""
    schedule = plan.schedule(schema, whole)
    if stated_tables(schedule) != certificate.tables:
        raise CertificateError("The noise that the certificate states is not that of its plan on this public table.")
    if certificate.strengths is None:
        raise CertificateError("The certificate says no strengths of the public table.")
    persons, own = noisy_counts(content, certificate, schema, schedule.persons.tables.queries)
    strengths = HouseholdStrengths(certificate.strengths.one_way, certificate.strengths.all)
    return after_household_noise(HouseholdAtoms.of(whole), schedule, persons, own, strengths=strengths).weights


def _replayed(
    plan: HouseholdRoundPlan, certificate: HouseholdCertificate, schema: HouseholdSchema, atoms: HouseholdAtoms
) -> Floats:
    """The weights of PMW^Pub again, from the transcript in the certificate."""
    queries = asked_tables(schema, plan.inputs.workload.build(schema.persons.domain))
    rounds = checked_rounds(certificate, plan, queries)
    return replayed_weights(HouseholdProblem(queries, atoms), plan.schedule(certificate.repeat), rounds.measured)


def checked_rounds(
    certificate: HouseholdCertificate, plan: HouseholdRoundPlan, queries: HouseholdTables
) -> RoundsStated:
    """The rounds that are stated; CertificateError unless they are the plan's, and their queries what is asked."""
    rounds = certificate.rounds
    if rounds is None or rounds != RoundsStated.of(plan, certificate.repeat, rounds.transcript):
        raise CertificateError("The rounds or the noise that the certificate states are not those of its plan.")
    known = all(line.number < queries.cells for line in rounds.transcript)
    if len(rounds.transcript) != plan.rounds or not known or lines_of(queries, rounds.measured) != rounds.transcript:
        raise CertificateError("The transcript is not one query of the plan's a round, with its own number.")
    return rounds


def compared(folder: Path, read: Sequence[str], given: Sequence[str]) -> int:
    """What a folder's script says: whether each file that is made again agrees; the exit status.

    read   the files of the folder that are read
    given  what stands behind the script: the one public table
    """
    if len(given) != 1:
        print("rebuild.py: name the one public table: python rebuild.py PUBLIC.csv", file=sys.stderr)
        return 2
    try:
        made = rebuilt_households({name: (folder / name).read_bytes() for name in read}, Path(given[0]))
        differing = [name for name, body in made.items() if (folder / name).read_bytes() != body]
    except (PmwPubError, OSError) as refusal:
        print("rebuild.py: " + "".join(one if one.isprintable() else "?" for one in str(refusal)), file=sys.stderr)
        return 2
    for name in made:
        print(f"{name}: {'DIFFERS from the file here' if name in differing else 'agrees'}")
    return 1 if differing else 0


def stated_release(files: Mapping[str, bytes]) -> tuple[HouseholdCertificate, HouseholdSchema]:
    """Certificate and schema of a folder; CertificateError where they do not belong together."""
    certificate = HouseholdCertificate.from_bytes(files["certificate.json"])
    try:
        schema = HouseholdSchema.from_json(files.get(SCHEMA, b""))
    except SchemaError as refusal:
        raise CertificateError(f"{SCHEMA} is no schema of households: {refusal}") from refusal
    if schema.sha256 != certificate.schema_sha256 or schema.largest != certificate.largest_household:
        raise CertificateError("The schema is not the one that the certificate names.")
    return certificate, schema


def planned_of(certificate: HouseholdCertificate, schema: HouseholdSchema) -> HouseholdPlan | HouseholdRoundPlan:
    """The plan, once its hash, its rule and its numbers are the certificate's; CertificateError where they are not."""
    try:
        kind = HouseholdPlan if certificate.rounds is None else HouseholdRoundPlan
        plan = kind.model_validate(certificate.plan)
    except (ValueError, PmwPubError) as failure:
        raise CertificateError("The certificate's plan is none of a release of households.") from failure
    own = (plan.sha256, plan.n, plan.largest, plan.household, plan.inputs.schema_sha256, plan.inputs.candidates)
    said = (
        *(certificate.plan_sha256, certificate.n, certificate.largest_household),
        *(schema.rule, schema.persons.sha256, (certificate.candidate.sha256,)),
    )
    if own != said:
        raise CertificateError("The certificate's plan is not the one that it states.")
    planned, stated = plan.inputs.reading_of(certificate.candidate.sha256), certificate.candidate.read_as
    if stated != planned and (planned is not None or stated not in (None, ReadOptions().spelt)):
        raise CertificateError("The certificate has its public table read in another way than its plan.")
    return plan


def noisy_counts(
    content: bytes, certificate: HouseholdCertificate, schema: HouseholdSchema, persons: int
) -> tuple[Ints, Ints]:
    """The noisy counts of tables.csv, of persons and of households.

    persons  how many cells are of persons

    Raises CertificateError unless it is, byte for byte, what is written of these counts.
    """
    try:
        lines = list(csv.reader(io.StringIO(content.decode())))[1:]
        counts = np.array([int(line[3]) for line in lines], dtype=np.int64)
        written = household_tables_csv(schema, certificate.tables, counts[:persons], counts[persons:])
    except (ValueError, LookupError, OverflowError, StopIteration, RuntimeError, csv.Error) as failure:
        raise CertificateError("tables.csv is not the list of noisy counts that it should be.") from failure
    if written != content or not certificate.states(TABLES, content):
        raise CertificateError("tables.csv does not list the tables that the certificate names.")
    return counts[:persons], counts[persons:]


def _released_weights(content: bytes, atoms: int) -> Floats | None:
    """The last column of weights.csv; None where it is not there or has another length."""
    try:
        found = np.array([float(line[-1]) for line in list(csv.reader(io.StringIO(content.decode())))[1:]])
    except (ValueError, IndexError, csv.Error):
        return None
    return found if len(found) == atoms else None
