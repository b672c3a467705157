"""A finished release of households as it is stored, and the files that are made of it. Nothing in it is private."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pmwpub.errors import CertificateError
from pmwpub.mechanisms.households.household_fit import HouseholdRelease
from pmwpub.mechanisms.households.household_pmw_pub import HouseholdRoundRelease
from pmwpub.records import Dataset, Floats, Ints
from pmwpub.release.households import rebuild_household_rounds, rebuild_households
from pmwpub.release.households.household_certificate import HouseholdCertificate, StrengthsStated
from pmwpub.release.households.household_files import (
    CERTIFICATE,
    MEASUREMENTS,
    REBUILD,
    REPORT,
    SCHEMA,
    TABLES,
    household_tables_csv,
    synthetic_files,
    weight_files,
)
from pmwpub.release.households.household_rounds_stated import household_measurements_csv
from pmwpub.release.synthesis import check_drawn
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema


@dataclass(frozen=True, eq=False)
class HouseholdBundle:
    """What a purchase stores: the certificate, public households with their weights, the noisy tables.

    atoms    the different public households
    weights  float64 (m,)
    persons, own  int64: noisy counts, not clamped; of PMW^Pub none, for its certificate has the transcript
    report   report.html as it was made when this was bought; None of releases from before there were reports, of
             those by PMW^Pub, and where it could not be made
    """

    certificate: HouseholdCertificate
    schema: HouseholdSchema
    atoms: Households
    weights: Floats
    persons: Ints
    own: Ints
    report: str | None = None

    @classmethod
    def of(
        cls, certificate: HouseholdCertificate, schema: HouseholdSchema, atoms: Households, release: HouseholdRelease
    ) -> HouseholdBundle:
        """The bundle of a finished run, whose strengths go into the certificate."""
        stated = certificate.model_copy(update={"strengths": StrengthsStated.of(release.strengths)})
        return cls(stated, schema, atoms, release.weights, release.persons, release.own)

    @classmethod
    def of_rounds(
        cls,
        certificate: HouseholdCertificate,
        schema: HouseholdSchema,
        atoms: Households,
        release: HouseholdRoundRelease,
    ) -> HouseholdBundle:
        """The bundle of a finished run of PMW^Pub, whose transcript stands in the certificate."""
        none = np.zeros(0, dtype=np.int64)
        return cls(certificate, schema, atoms, release.weights, none, none)

    def to_bytes(self) -> bytes:
        """One text for one release."""
        body: dict[str, object] = {
            "certificate": json.loads(self.certificate.to_bytes()),
            "schema": json.loads(self.schema.to_json()),
            "persons": self.atoms.persons.codes.tolist(),
            "starts": self.atoms.starts.tolist(),
            "own": self.atoms.own.codes.tolist(),
            "weights": self.weights.tolist(),
            "noisy_persons": self.persons.tolist(),
            "noisy_households": self.own.tolist(),
        }
        if self.report is not None:
            body["report"] = self.report
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> HouseholdBundle:
        """What was stored; CertificateError for anything else."""
        try:
            body = json.loads(content)
            schema = HouseholdSchema.from_json(json.dumps(body["schema"]))
            certificate = HouseholdCertificate.from_bytes(json.dumps(body["certificate"]).encode())
            persons = Dataset(schema.persons.domain, np.array(body["persons"], dtype=np.int64))
            own = Dataset(schema.own_domain, np.array(body["own"], dtype=np.int64))
            atoms = Households(persons, np.array(body["starts"], dtype=np.int64), own, schema.largest)
            noisy = [np.array(body[key], dtype=np.int64) for key in ("noisy_persons", "noisy_households")]
            weights, report = np.array(body["weights"], dtype=np.float64), body.get("report")
            if not isinstance(report, str | None):
                raise ValueError("no text")
            return cls(certificate, schema, atoms, weights, noisy[0], noisy[1], report)
        except (KeyError, ValueError) as failure:
            raise CertificateError("What is stored is no release of households.") from failure

    def files(self, households: int | None = None, seed: int = 0) -> dict[str, bytes]:
        """Every file by name; the synthetic households are as many as asked for, n where nothing is said.

        Raises PlanError for a number or a seed out of range.
        """
        number = self.certificate.n if households is None else households
        check_drawn(number, seed)
        files = synthetic_files(self.schema, self.atoms, self.weights, number, seed)
        files |= weight_files(self.schema, self.atoms, self.weights)
        if (rounds := self.certificate.rounds) is None:
            files[TABLES] = household_tables_csv(self.schema, self.certificate.tables, self.persons, self.own)
        else:
            files[MEASUREMENTS] = household_measurements_csv(rounds)
        files[REBUILD] = script_of(self.certificate)
        files[SCHEMA] = self.schema.to_json().encode()
        if self.report is not None:
            files[REPORT] = self.report.encode()
        files[CERTIFICATE] = self.certificate.with_files(files, number, seed).to_bytes()
        return files


def script_of(certificate: HouseholdCertificate) -> bytes:
    """The rebuild.py that this version writes for a release of that engine."""
    if certificate.rounds is None:
        return Path(rebuild_households.__file__).read_bytes()
    return Path(rebuild_household_rounds.__file__).read_bytes()
