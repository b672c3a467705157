"""Statements about the files of a release, each looked at by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import CertificateError, PmwPubError
from pmwpub.privacy.budget import UNIT, ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.release.bundle import SCHEMA
from pmwpub.release.certificates.certificate_parts import Stated, decimal_rho
from pmwpub.release.rebuilding import schema_of, workload_of

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Finding:
    """One statement about the files; why it does not hold, "" where it does; why it could not be looked at, or ""."""

    statement: str
    problem: str = ""
    unchecked: str = ""


@dataclass(frozen=True)
class EngineChecks:
    """What is checked of one engine's certificate; a text says why something does not hold, and "" that it does.

    mechanism    the words that the certificate must have for it
    agreement    the statement about schema, workload and what was measured
    agrees       whether they belong together
    same_terms   whether the certificate states the settings of its plan
    price        whether the plan's noise is the one that is stated, at the rho that is stated
    measured     statements about the noisy answers
    """

    mechanism: str
    agreement: str
    agrees: Callable[[], str]
    same_terms: Callable[[], bool]
    price: Callable[[], str]
    measured: tuple[tuple[str, Callable[[], str]], ...]


def finding(statement: str, problem: Callable[[], str]) -> Finding:
    """A statement with what `problem` returns, or with the refusal that it raises."""
    try:
        return Finding(statement, problem())
    except PmwPubError as refusal:
        return Finding(statement, str(refusal))
    except (ValueError, ArithmeticError, LookupError):
        return Finding(statement, "it cannot be worked out.")


def given(files: Files, name: str) -> bytes:
    """The bytes of a file; CertificateError if it is missing."""
    if name not in files:
        raise CertificateError(f"{name} is missing.")
    return files[name]


def stated_workload(certificate: Stated, files: Files) -> Workload:
    """The certificate's workload on the schema beside it; CertificateError where either is another one."""
    return workload_of(certificate, schema_of(certificate, given(files, SCHEMA)))


def stated_rho(text: str) -> ZCDP:
    """A rho as a certificate writes it; CertificateError unless it has 15 decimals."""
    units = Fraction(text) * UNIT
    if units.denominator != 1:
        raise CertificateError("A rho has more than 15 decimals.")
    if decimal_rho(int(units)) != text:
        raise CertificateError("A rho is not written with 15 decimals.")
    return ZCDP(int(units))
