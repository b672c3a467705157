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
from pmwpub.release.bundle import ALL_FILES, CERTIFICATE, MEASUREMENTS, REBUILD, REPORT, SCHEMA, SYNTHETIC, WEIGHTS
from pmwpub.release.certificate import MECHANISM, Certificate
from pmwpub.release.certificate_parts import NEIGHBOURS, OUTSIDE, OUTSIDE_BEFORE, STATEMENT, LedgerTotal, decimal_rho
from pmwpub.release.measurements import measurements_csv
from pmwpub.release.rebuilding import differing, plan_of, readings_of, redrawn, schema_of, workload_of
from pmwpub.release.strict_json import MOST_BYTES
from pmwpub.tabular.coding.decode import read_weights

FILES = tuple(name for name in ALL_FILES if name != CERTIFICATE)
"""What the certificate of a release that can be checked gives the hash of."""

LATER = {"settings_from", "statement"}
"""Fields that certificates with a plan did not always have; all the others they state."""

NOT_CHECKED = (
    "that the weights follow from the measurements: rebuild.py does, given the public tables",
    "that the noise was drawn as stated, and that the ledger was not tampered with",
    "what only the ledger knows: the population's name, unit, total budget and what was spent of it, the charge's "
    "number and time, the remarks, where settings came from; nor the names of the public files, how they are read "
    "where the plan does not say it, and the versions of programs",
    f"what {REPORT} says, and what {REBUILD} does: of both, the hash alone",
    "that the public tables owe nothing to the private one, and that nobody owns more rows than stated",
)


@dataclass(frozen=True)
class Finding:
    """One statement about the files; why it does not hold, "" where it does; why it could not be looked at, or ""."""

    statement: str
    problem: str = ""
    unchecked: str = ""


def read_folder(folder: Path) -> dict[str, bytes]:
    """certificate.json and the files that it names, as far as they lie in a folder.

    Raises FileRefused where there is no certificate, CertificateError where it names a file outside the folder.
    """
    try:
        with (folder / CERTIFICATE).open("rb") as stream:
            files = {CERTIFICATE: stream.read(MOST_BYTES + 1)}
        for name in Certificate.from_bytes(files[CERTIFICATE]).files:
            if Path(name).name != name:
                raise CertificateError("The certificate names a file outside its folder.")
            if (folder / name).is_file():
                files[name] = (folder / name).read_bytes()
    except OSError as failure:
        raise FileRefused(f"{folder} holds no readable {CERTIFICATE}; give the folder of a release.") from failure
    return files


def unlisted(folder: Path) -> list[str]:
    """The names of what lies in a release's folder and is no file of a release: no statement is about it."""
    try:
        names = [path.name for path in folder.iterdir() if path.name not in ALL_FILES]
    except OSError as failure:
        raise FileRefused(f"{folder} cannot be listed: {failure.strerror}.") from failure
    return sorted(name.encode("utf-8", "backslashreplace").decode() for name in names)


def check(files: Mapping[str, bytes]) -> list[Finding]:
    """Every statement that could be looked at, true or not.

    files  name -> bytes, certificate.json among them
    Raises CertificateError if that is no certificate.
    """
    certificate = Certificate.from_bytes(files[CERTIFICATE])
    return [
        *_hashes(certificate, files),
        _finding("it has the fields that a release states, and names its files alone", lambda: _fields(certificate)),
        _finding("the schema, the workload and each query's name agree", lambda: _queries(certificate, files)),
        _finding("what is promised, and by which mechanism, is worded as it should be", lambda: _promise(certificate)),
        _finding("the plan has its hash and fits the certificate", lambda: _plan(certificate)),
        _finding("rho is the plan's price", lambda: _price(certificate)),
        _finding("epsilon of this release follows from rho and delta", lambda: _own_epsilon(certificate)),
        _finding("epsilon of the ledger's total follows from its rho", lambda: _total(certificate)),
        _budget_finding(certificate),
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
    return [finding.statement for finding in findings if not finding.unchecked]


def not_checked(findings: list[Finding]) -> list[str]:
    """What nothing was said about: in these files, and in any."""
    return [f"{one.statement}: {one.unchecked}" for one in findings if one.unchecked] + list(NOT_CHECKED)


def _finding(statement: str, problem: Callable[[], str]) -> Finding:
    try:
        return Finding(statement, problem())
    except PmwPubError as refusal:
        return Finding(statement, str(refusal))
    except (ValueError, ArithmeticError, LookupError):
        return Finding(statement, "it cannot be worked out.")


def _hashes(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    wrong = differing(certificate, files)
    for name in FILES:
        if name not in certificate.files:
            yield Finding(f"the certificate states the hash of {name}", "it does not.")
            continue
        problem = "another hash." if name in wrong else "" if name in files else "the file is missing."
        yield Finding(f"{name} has the hash that the certificate states", problem)


def _fields(certificate: Certificate) -> str:
    lacking = sorted(set(Certificate.model_fields) - certificate.model_fields_set - LATER)
    if lacking:
        return f"it lacks {', '.join(lacking)}."
    others = len(set(certificate.files) - set(FILES))
    return f"it names {others} more." if others else ""


def _schema_and_workload(certificate: Certificate, files: Mapping[str, bytes]) -> Workload:
    return workload_of(certificate, schema_of(certificate, _given(files, SCHEMA)))


def _queries(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    planned = plan_of(certificate).inputs.workload.model_dump(mode="json")
    if certificate.workload.model_dump(mode="json", exclude_unset=True) != planned:
        return "the plan has another workload."
    workload = _schema_and_workload(certificate, files)
    named = all(line.query == workload.labels(line.number) for line in certificate.transcript)
    return "" if named and workload.queries == certificate.queries else "a query's number and labels differ."


def _promise(certificate: Certificate) -> str:
    stated = (certificate.neighbours, certificate.mechanism) == (NEIGHBOURS, MECHANISM)
    before = certificate.outside_the_guarantee in OUTSIDE_BEFORE
    outside = before or certificate.outside_the_guarantee == OUTSIDE
    steward = certificate.statement == STATEMENT and (before or "statement" in certificate.model_fields_set)
    return "" if stated and outside and steward else "other words stand there."


def _plan(certificate: Certificate) -> str:
    plan = plan_of(certificate)
    readings_of(certificate)
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


def _budget_finding(certificate: Certificate) -> Finding:
    budget = certificate.budget
    statement = "the ledger's total lies within the budget, whose epsilon follows from its rho"
    if budget is None:
        return Finding(statement, unchecked="no budget is stated.")
    return _finding(statement, lambda: _budget(certificate, budget))


def _budget(certificate: Certificate, budget: LedgerTotal) -> str:
    if _rho(budget.rho) < _rho(certificate.ledger_total.rho):
        return "more is spent than was granted."
    return _conversion(certificate, budget.rho, budget.epsilon)


def _conversion(certificate: Certificate, rho: str, epsilon: float) -> str:
    """Within 1e-9, relatively: delta is stated to 15 digits."""
    expected = epsilon_of(_rho(rho), Fraction(certificate.delta))
    return "" if abs(expected - epsilon) <= 1e-9 * expected else f"rho = {float(Fraction(rho)):g} gives {expected:.9g}."


def _rho(text: str) -> ZCDP:
    units = Fraction(text) * UNIT
    if units.denominator != 1:
        raise CertificateError("A rho has more than 15 decimals.")
    if decimal_rho(int(units)) != text:
        raise CertificateError("A rho is not written with 15 decimals.")
    return ZCDP(int(units))


def _answers(certificate: Certificate) -> str:
    n = certificate.n
    right = all(line.noisy_answer == min(1.0, max(0.0, line.noisy_count / n)) for line in certificate.transcript)
    return "" if right else "an answer is another one."


def _measurements(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    return "" if _given(files, MEASUREMENTS) == measurements_csv(certificate) else "it lists others."


def _weights(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    read_weights(_given(files, WEIGHTS), schema_of(certificate, _given(files, SCHEMA)))
    return ""


def _synthetic(certificate: Certificate, files: Mapping[str, bytes]) -> str:
    if certificate.rows is None or certificate.row_seed is None:
        return "rows and seed are not stated."
    there = _given(files, SYNTHETIC)
    if certificate.rows > len(there):  # a row has a line end at least
        return "it is another table."
    drawn = redrawn(certificate, _given(files, WEIGHTS), schema_of(certificate, _given(files, SCHEMA)))
    return "" if drawn == {SYNTHETIC: there} else "it is another table."


def _given(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise CertificateError(f"{name} is missing.")
    return files[name]
