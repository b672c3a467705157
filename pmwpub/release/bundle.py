"""A finished release as stored bytes: written once, then only read."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import Self

from pmwpub.mechanisms.pmw_pub import Release
from pmwpub.queries.workload import Workload
from pmwpub.plans import ReleasePlan
from pmwpub.records import Distribution
from pmwpub.release.certificate import Certificate, Provenance
from pmwpub.release.synthesis import synthesise
from pmwpub.tabular.decode import csv_bytes, decode, read_weights, weights_csv
from pmwpub.tabular.schema import Schema

WEIGHTS = "weights.csv"
SYNTHETIC = "synthetic.csv"
CERTIFICATE = "certificate.json"
SCHEMA = "schema.json"
ROW_SEED = 0
_TIMELESS = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Bundle:
    """The weights, the schema and the certificate of one release."""

    weights: bytes
    schema: Schema
    certificate: Certificate

    @classmethod
    def of(cls, plan: ReleasePlan, release: Release, workload: Workload, schema: Schema, provenance: Provenance) -> Self:
        """Put a release into files: support with weights, schema, and a certificate that names both by hash."""
        weights = weights_csv(release.distribution, schema)
        certificate = Certificate.of(plan, release, workload, provenance)
        return cls(weights, schema, certificate.with_files({WEIGHTS: weights, SCHEMA: schema.to_json().encode()}))

    def to_bytes(self) -> bytes:
        """A zip archive without times: the same release gives the same bytes."""
        return pack(self._stored())

    @classmethod
    def from_bytes(cls, stored: bytes) -> Self:
        """The bundle back from its stored bytes."""
        with zipfile.ZipFile(io.BytesIO(stored)) as archive:
            schema = Schema.from_json(archive.read(SCHEMA))
            certificate = Certificate.model_validate_json(archive.read(CERTIFICATE))
            return cls(archive.read(WEIGHTS), schema, certificate)

    def distribution(self) -> Distribution:
        """The released weights."""
        return read_weights(self.weights, self.schema)

    def synthetic(self, rows: int | None = None, seed: int = ROW_SEED) -> bytes:
        """A synthetic CSV with labels; by default as many rows as the private table has. Free post-processing."""
        return csv_bytes(decode(synthesise(self.distribution(), rows or self.certificate.n, seed=seed), self.schema))

    def files(self, rows: int | None = None, seed: int = ROW_SEED) -> dict[str, bytes]:
        """Everything that is handed out: name -> bytes; the certificate lists the others' hashes."""
        synthetic = {SYNTHETIC: self.synthetic(rows, seed)}
        return synthetic | self._stored() | {CERTIFICATE: self.stated(synthetic, rows, seed).to_bytes()}

    def stated(self, files: dict[str, bytes], rows: int | None = None, seed: int = ROW_SEED) -> Certificate:
        """The certificate that travels with a synthetic table of so many rows."""
        synthetic = {SYNTHETIC: files[SYNTHETIC]}
        return self.certificate.with_files(synthetic, rows=rows or self.certificate.n, row_seed=seed)

    def _stored(self) -> dict[str, bytes]:
        return {
            WEIGHTS: self.weights,
            SCHEMA: self.schema.to_json().encode(),
            CERTIFICATE: self.certificate.to_bytes(),
        }


def pack(files: dict[str, bytes]) -> bytes:
    """A zip archive of files in order, without times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name, _TIMELESS), body, compress_type=zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
