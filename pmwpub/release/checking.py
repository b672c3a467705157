"""A release's folder checked against its certificate: what can be recomputed without public or private tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pmwpub.errors import CertificateError, FileRefused, PmwPubError
from pmwpub.plans import ReleasePlan
from pmwpub.privacy.budget import UNIT, ZCDP, epsilon_of
from pmwpub.queries.workload import Workload
from pmwpub.release.bundle import CERTIFICATE, MEASUREMENTS, SCHEMA, SYNTHETIC, WEIGHTS
from pmwpub.release.certificate import MECHANISM, NEIGHBOURS, OUTSIDE, Certificate, LedgerTotal
from pmwpub.release.measurements import measurements_csv
from pmwpub.release.rebuilding import differing, plan_of, redrawn, schema_of, workload_of
from pmwpub.tabular.decode import read_weights

NOT_CHECKED = (
    "that the weights follow from the measurements: rebuild.py does, given the public tables",
    "that the noise was drawn as stated, and that the ledger was not tampered with",
    "what only the ledger knows: the population's name, unit and total budget, the charge's number and time, the "
    "remarks, where settings came from; nor the names of the public files and the versions of programs",
    "that the public tables owe nothing to the private one, and that nobody owns more rows than stated",
)


@dataclass(frozen=True)
class Finding:
    """One statement about the files, and why it does not hold: "" where it does."""

    statement: str
    problem: str = ""


def read_folder(folder: Path) -> dict[str, bytes]:
    """certificate.json and the files that it names, as far as they lie in a folder.

    Raises FileRefused where there is no certificate, CertificateError where it names a file outside the folder.
    """
    try:
        files = {CERTIFICATE: (folder / CERTIFICATE).read_bytes()}
        for name in Certificate.from_bytes(files[CERTIFICATE]).files:
            if Path(name).name != name:
                raise CertificateError("The certificate names a file outside its folder.")
            if (folder / name).is_file():
                files[name] = (folder / name).read_bytes()
    except OSError as failure:
        raise FileRefused(f"{folder} holds no readable {CERTIFICATE}; give the folder of a release.") from failure
    return files


def check(files: Mapping[str, bytes]) -> list[Finding]:
    """Every statement that could be looked at, true or not.

    files  name -> bytes, certificate.json among them
    Raises CertificateError if that is no certificate.
    """
    certificate = Certificate.from_bytes(files[CERTIFICATE])
    return [
        *_hashes(certificate, files),
        _finding("the schema, the workload and each query's name agree", lambda: _queries(certificate, files)),
        _finding("what is promised, and by which mechanism, is worded as it should be", lambda: _promise(certificate)),
        _finding("the plan has its hash and fits the certificate", lambda: _plan(certificate)),
        _finding("rho is the plan's price", lambda: _price(certificate)),
        _finding("epsilon of this release follows from rho and delta", lambda: _own_epsilon(certificate)),
        _finding("epsilon of the ledger's total follows from its rho", lambda: _total(certificate)),
        _finding("the ledger's total lies within the budget", lambda: _budget(certificate)),
        _finding("each noisy answer is its noisy count over n", lambda: _answers(certificate)),
        _finding(f"{MEASUREMENTS} lists the certificate's measurements", lambda: _measurements(certificate, files)),
        _finding(f"{WEIGHTS} sums to one over the schema's labels", lambda: _weights(certificate, files)),
        _finding(f"{SYNTHETIC} is drawn from the weights by its seed", lambda: _synthetic(certificate, files)),
    ]


def require(findings: list[Finding]) -> list[str]:
    """The statements, once all hold; CertificateError naming those that do not."""
    wrong = [f"{finding.statement}: {finding.problem}" for finding in findings if finding.problem]
    if wrong:
        raise CertificateError("The certificate does not hold. " + " ".join(f"Not so: {words}" for words in wrong))
    return [finding.statement for finding in findings]


def _finding(statement: str, problem: Callable[[], str]) -> Finding:
    try:
        return Finding(statement, problem())
    except PmwPubError as refusal:
        return Finding(statement, str(refusal))


def _hashes(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    wrong = differing(certificate, files)
    for name in certificate.files:
        problem = "another hash." if name in wrong else "" if name in files else "the file is missing."
        yield Finding(f"{name} has the hash that the certificate states", problem)
    if WEIGHTS not in certificate.files:
        yield Finding(f"the certificate states the hash of {WEIGHTS}", "it does not.")


def _schema_and_workload(certificate: Certificate, files: Mapping[str, bytes]) -> Workload:
    return workload_of(certificate, schema_of(certificate, _given(files, SCHEMA)))


def _queries(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    workload = _schema_and_workload(certificate, files)
    named = all(line.query == workload.labels(line.number) for line in certificate.transcript)
    return "" if named and workload.queries == certificate.queries else "a query's number and labels differ."


def _promise(certificate: Certificate) -> str:
    stated = certificate.neighbours, certificate.mechanism, certificate.outside_the_guarantee
    return "" if stated == (NEIGHBOURS, MECHANISM, OUTSIDE) else "other words stand there."


def _plan(certificate: Certificate) -> str:
    plan = plan_of(certificate)
    stated = (
        certificate.n,
        certificate.rows_per_person,
        certificate.rounds,
        len(certificate.transcript),
        certificate.selection,
        certificate.output,
        certificate.start,
        certificate.replay,
        certificate.schema_sha256,
        certificate.workload_sha256,
        tuple(candidate.sha256 for candidate in certificate.candidate),
    )
    return "" if stated == _of(plan) else "the certificate states other terms than the plan."


def _of(plan: ReleasePlan) -> tuple[object, ...]:
    inputs = plan.inputs
    return (
        plan.n,
        plan.rows_per_person,
        plan.rounds,
        plan.rounds,
        plan.selection,
        plan.output.value,
        plan.start.value,
        plan.replay.value,
        inputs.schema_sha256,
        inputs.workload_sha256,
        inputs.candidates,
    )


def _price(certificate: Certificate) -> str:
    schedule = plan_of(certificate).schedule(certificate.repeat)
    if str(schedule.share.measurement.scale) != certificate.measurement_scale:
        return "the plan's noise has another scale."
    if str(schedule.share.epsilon0) != certificate.epsilon0:
        return "the plan's rounds have another epsilon0."
    return "" if schedule.rho == _rho(certificate.rho) else "the plan costs another rho."


def _own_epsilon(certificate: Certificate) -> str:
    return _conversion(certificate, certificate.rho, certificate.epsilon)


def _total(certificate: Certificate) -> str:
    total: LedgerTotal = certificate.ledger_total
    if _rho(total.rho) < _rho(certificate.rho):
        return "the total is less than this release."
    return _conversion(certificate, total.rho, total.epsilon)


def _budget(certificate: Certificate) -> str:
    budget = certificate.budget
    if budget is None:
        return ""
    if _rho(budget.rho) < _rho(certificate.ledger_total.rho):
        return "more is spent than was granted."
    return (
        ""
        if epsilon_of(_rho(budget.rho), Fraction(certificate.delta)) <= budget.epsilon
        else "its rho exceeds epsilon."
    )


def _conversion(certificate: Certificate, rho: str, epsilon: float) -> str:
    """Within 1e-9, relatively: delta is printed to 15 digits."""
    expected = epsilon_of(_rho(rho), Fraction(certificate.delta))
    return "" if abs(expected - epsilon) <= 1e-9 * expected else f"rho = {float(Fraction(rho)):g} gives {expected:.9g}."


def _rho(text: str) -> ZCDP:
    units = Fraction(text) * UNIT
    if units.denominator != 1:
        raise CertificateError("A rho has more than 15 decimals.")
    return ZCDP(int(units))


def _answers(certificate: Certificate) -> str:
    n = certificate.n
    right = all(line.noisy_answer == min(1.0, max(0.0, line.noisy_count / n)) for line in certificate.transcript)
    return "" if right else "an answer is another one."


def _measurements(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    if MEASUREMENTS not in certificate.files:
        return ""
    return "" if _given(files, MEASUREMENTS) == measurements_csv(certificate) else "it lists others."


def _weights(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    read_weights(_given(files, WEIGHTS), schema_of(certificate, _given(files, SCHEMA)))
    return ""


def _synthetic(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    schema = schema_of(certificate, _given(files, SCHEMA))
    drawn = redrawn(certificate, _given(files, WEIGHTS), schema)
    return "" if all(_given(files, name) == body for name, body in drawn.items()) else "it is another table."


def _given(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise CertificateError(f"{name} is missing.")
    return files[name]
