"""A release's folder checked against its certificate: what can be recomputed without public or private tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from pmwpub.errors import CertificateError, FileRefused
from pmwpub.privacy.budget import epsilon_of
from pmwpub.release.bundle import (
    CERTIFICATE,
    INTERVALS,
    REBUILD,
    REPORT,
    SCHEMA,
    SYNTHETIC,
    VALUES,
    WEIGHTS,
    Bundle,
    files_of,
)
from pmwpub.release.certificates.certificate_parts import (
    ATTESTED,
    OUTSIDE,
    OUTSIDE_BEFORE,
    STATEMENT,
    LedgerTotal,
)
from pmwpub.release.certificates.certificate_reading import AnyCertificate, ChargedCertificate, read_certificate
from pmwpub.release.certificates.neighbour_words import neighbours_of
from pmwpub.release.certificates.stated_plans import any_plan_of, check_public_tables, weighs_as
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.checks.engine_checks import EngineChecks, Finding, finding, given, stated_rho
from pmwpub.release.checks.round_checks import round_checks
from pmwpub.release.checks.rule_checks import rule_findings
from pmwpub.release.checks.table_checks import table_checks
from pmwpub.release.checks.unchanged_checks import unchanged_checks
from pmwpub.release.rebuilding import differing, redrawn, schema_of
from pmwpub.release.reporting.pending_report import NO_REPORT
from pmwpub.strict_json import MOST_BYTES
from pmwpub.tabular.coding.decode import read_weights

LATER = {"attempts_with_criteria", "rules", "settings_from", "statement", "weights"}
"""Fields that certificates with a plan did not always have; they state all the others."""

REBUILT = "rebuild.py does, given the public tables"

NOT_CHECKED = (
    "that the weights follow from the measurements: rebuild.py does, given the public tables",
    "that the noise was drawn as stated, and that the ledger was not tampered with",
    "what only the ledger knows: the population's name, unit, total budget and what was spent of it, the charge's "
    "number and time, the remarks, where settings came from; nor the names of the public files, how they are read "
    "where the plan does not say it, and the versions of programs",
    f"what {REPORT} says, and what {REBUILD} does: of both, the hash alone",
    "that the public tables owe nothing to the private one, and that nobody owns more rows than stated",
)


def read_folder(folder: Path) -> dict[str, bytes]:
    """Read certificate.json and the files that it names, as far as they lie in a folder: name -> bytes.

    Raises FileRefused where there is no certificate, CertificateError where it names a file outside the folder.
    """
    try:
        with (folder / CERTIFICATE).open("rb") as stream:
            files = {CERTIFICATE: stream.read(MOST_BYTES + 1)}
        for name in read_certificate(files[CERTIFICATE]).files:
            if Path(name).name != name:
                raise CertificateError("The certificate names a file outside its folder.")
            if (folder / name).is_file():
                files[name] = (folder / name).read_bytes()
    except OSError as failure:
        raise FileRefused(f"{folder} holds no readable {CERTIFICATE}; give the folder of a release.") from failure
    return files


def bundle_in(folder: Path) -> Bundle:
    """The release whose files lie in a folder, to be asked something: what its certificate states must be its plan's.

    Each file that is asked is held against its hash by whoever reads it; `check` looks at all that can be looked at. A
    certificate of before plans were stated has none to be held against.
    Raises FileRefused or CertificateError as `read_folder` does, CertificateError where the folder contradicts itself.
    """
    files = read_folder(folder)
    bundle = Bundle(files)
    if bundle.certificate.plan is not None:
        require(_terms(bundle.certificate, _engine(bundle.certificate, files)))
    return bundle


def unlisted(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """The names of what lies in a release's folder and is no file that its certificate names: no statement is about it.

    files  as `read_folder` read them
    """
    named = {CERTIFICATE, *read_certificate(files[CERTIFICATE]).files}
    try:
        names = [path.name for path in folder.iterdir() if path.name not in named]
    except OSError as failure:
        raise FileRefused(f"{folder} cannot be listed: {failure.strerror}.") from failure
    return sorted(name.encode("utf-8", "backslashreplace").decode() for name in names)


def check(files: Mapping[str, bytes]) -> list[Finding]:
    """Every statement that could be looked at, true or not.

    files  name -> bytes, certificate.json among them
    Raises CertificateError if that is no certificate.
    """
    certificate = read_certificate(files[CERTIFICATE])
    engine = _engine(certificate, files)
    agreed, *terms = _terms(certificate, engine)
    return [
        *_hashes(certificate, files),
        finding("it has the fields that a release states, and names its files alone", lambda: _fields(certificate)),
        agreed,
        finding(
            "what is promised, and by which mechanism, is worded as it should be",
            lambda: _promise(certificate, engine.mechanism, files),
        ),
        *terms,
        *(finding(statement, problem) for statement, problem in engine.measured),
        *_left_to_rebuild(certificate),
        finding(f"{WEIGHTS} sums to one over the schema's labels", lambda: _weights(certificate, files)),
        *rule_findings(certificate, files),
        finding(f"{SYNTHETIC} is drawn from the weights by its seed", lambda: _synthetic(certificate, files)),
    ]


def _terms(certificate: AnyCertificate, engine: EngineChecks) -> list[Finding]:
    """The statements about the certificate's terms: that they are the plan's, and what they cost."""
    return [
        finding(engine.agreement, lambda: _workload(certificate) or engine.agrees()),
        finding("the plan has its hash and fits the certificate", lambda: _plan(certificate, engine)),
        finding("rho is the plan's price", engine.price),
        *_charge(certificate),
    ]


def _engine(certificate: AnyCertificate, files: Mapping[str, bytes]) -> EngineChecks:
    if isinstance(certificate, UnchangedCertificate):
        return unchanged_checks(certificate, files)
    if isinstance(certificate, TableCertificate):
        return table_checks(certificate, files)
    return round_checks(certificate, files)


def _left_to_rebuild(certificate: AnyCertificate) -> list[Finding]:
    """What follows from public tables too, which are not here."""
    if isinstance(certificate, UnchangedCertificate):
        own = "the weights are the public table's own shares, for which nothing was charged"
        return [Finding(own, unchecked=REBUILT)]
    if INTERVALS not in certificate.files:
        return []
    return [Finding(f"{INTERVALS} follows from the noisy tables", unchecked=REBUILT)]


def _charge(certificate: AnyCertificate) -> list[Finding]:
    """The statements about the charge; none of a release without one."""
    if isinstance(certificate, UnchangedCertificate):
        return []
    return [
        finding("epsilon of this release follows from rho and delta", lambda: _own_epsilon(certificate)),
        finding("epsilon of the ledger's total follows from its rho", lambda: _total(certificate)),
        _budget_finding(certificate),
        *_attempts(certificate),
    ]


def _attempts(certificate: ChargedCertificate) -> list[Finding]:
    """Nothing of a release without criteria, which says nothing of attempts either."""
    stated, planned = certificate.attempts_with_criteria, bool((certificate.plan or {}).get("criteria"))
    if stated is None and not planned:
        return []
    if stated is None or not planned:
        return [Finding("attempts are stated of a plan with criteria", "one stands there without the other.")]
    words = f"the ledger held {stated:,} release{'' if stated == 1 else 's'} with criteria by then, this one included"
    return [Finding(words, unchecked="only the ledger knows")]


def require(findings: list[Finding]) -> list[str]:
    """The statements, once all hold; CertificateError naming those that do not."""
    wrong = [f"{one.statement}: {one.problem}" for one in findings if one.problem]
    if wrong:
        raise CertificateError("The certificate does not hold. " + " ".join(f"Not so: {words}" for words in wrong))
    return [one.statement for one in findings if not one.unchecked]


def not_checked(findings: list[Finding]) -> list[str]:
    """What the findings say nothing about: statements that could not be looked at, then what no files can show."""
    return [f"{one.statement}: {one.unchecked}" for one in findings if one.unchecked] + list(NOT_CHECKED)


def _hashes(certificate: AnyCertificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    wrong = differing(certificate, files)
    for name in files_of(certificate):
        if name == REPORT not in certificate.files and name not in files:
            yield Finding(f"{REPORT} is there", unchecked=NO_REPORT)
        elif name not in certificate.files:
            yield Finding(f"the certificate states the hash of {name}", "it does not.")
        else:
            problem = "another hash." if name in wrong else "" if name in files else "the file is missing."
            yield Finding(f"{name} has the hash that the certificate states", problem)


def _fields(certificate: AnyCertificate) -> str:
    lacking = sorted(set(type(certificate).model_fields) - certificate.model_fields_set - LATER)
    if lacking:
        return f"it lacks {', '.join(lacking)}."
    others = len(set(certificate.files) - set(files_of(certificate)))
    return f"it names {others} more." if others else ""


def _workload(certificate: AnyCertificate) -> str:
    planned = any_plan_of(certificate).inputs.workload.model_dump(mode="json")
    stated = certificate.workload.model_dump(mode="json", exclude_unset=True)
    return "" if stated == planned else "the plan has another workload."


def _promise(certificate: AnyCertificate, mechanism: str, files: Mapping[str, bytes]) -> str:
    schema = schema_of(certificate, given(files, SCHEMA))
    if any_plan_of(certificate).kept_ids != schema.kept_ids:
        return "plan and schema differ in what becomes of further rows of one ID."
    if not weighs_as(certificate, schema):
        return "plan and schema differ in how rows are weighed."
    neighbours = neighbours_of(any_plan_of(certificate))
    stated = (certificate.neighbours, certificate.mechanism) == (neighbours, mechanism)
    before = certificate.outside_the_guarantee in OUTSIDE_BEFORE
    outside = before or certificate.outside_the_guarantee == OUTSIDE
    words = certificate.statement in (STATEMENT, ATTESTED)
    steward = words and (before or "statement" in certificate.model_fields_set)
    return "" if stated and outside and steward else "other words stand there."


def _plan(certificate: AnyCertificate, engine: EngineChecks) -> str:
    plan = any_plan_of(certificate)
    check_public_tables(certificate)
    inputs, tables = plan.inputs, tuple(candidate.sha256 for candidate in certificate.candidate)
    stated = (
        certificate.n,
        certificate.rows_per_person,
        certificate.schema_sha256,
        certificate.workload_sha256,
        tables,
    )
    planned = (plan.n, plan.rows_per_person, inputs.schema_sha256, inputs.workload_sha256, inputs.candidates)
    same = stated == planned and certificate.weights == plan.weights and engine.same_terms()
    return "" if same else "the certificate states other terms than the plan."


def _own_epsilon(certificate: ChargedCertificate) -> str:
    return _conversion(certificate, certificate.rho, certificate.epsilon)


def _total(certificate: ChargedCertificate) -> str:
    total: LedgerTotal = certificate.ledger_total
    if stated_rho(total.rho) < stated_rho(certificate.rho):
        return "the total is less than this release."
    return _conversion(certificate, total.rho, total.epsilon)


def _budget_finding(certificate: ChargedCertificate) -> Finding:
    budget = certificate.budget
    statement = "the ledger's total lies within the budget, whose epsilon follows from its rho"
    if budget is None:
        return Finding(statement, unchecked="no budget is stated.")
    return finding(statement, lambda: _budget(certificate, budget))


def _budget(certificate: ChargedCertificate, budget: LedgerTotal) -> str:
    if stated_rho(budget.rho) < stated_rho(certificate.ledger_total.rho):
        return "more is spent than was granted."
    return _conversion(certificate, budget.rho, budget.epsilon)


def _conversion(certificate: ChargedCertificate, rho: str, epsilon: float) -> str:
    """Within 1e-9, relatively: delta is stated to 15 digits."""
    expected = epsilon_of(stated_rho(rho), Fraction(certificate.delta))
    return "" if abs(expected - epsilon) <= 1e-9 * expected else f"rho = {float(Fraction(rho)):g} gives {expected:.9g}."


def _weights(certificate: AnyCertificate, files: Mapping[str, bytes]) -> str:
    read_weights(given(files, WEIGHTS), schema_of(certificate, given(files, SCHEMA)))
    return ""


def _synthetic(certificate: AnyCertificate, files: Mapping[str, bytes]) -> str:
    if certificate.rows is None or certificate.row_seed is None:
        return "rows and seed are not stated."
    there = given(files, SYNTHETIC)
    if certificate.rows > len(there):  # a row has a line end at least
        return "it is another table."
    used = {name: given(files, name) for name in files_of(certificate) if name in (WEIGHTS, VALUES)}
    drawn = redrawn(certificate, used, schema_of(certificate, given(files, SCHEMA)))
    return "" if drawn == {SYNTHETIC: there} else "it is another table."
