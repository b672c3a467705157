"""What is checked of a PMW^Pub release: its transcript, its schedule, its measurements."""

from __future__ import annotations

from pmwpub.plans.weighing import mass_of
from pmwpub.release.bundle import MEASUREMENTS
from pmwpub.release.certificate import MECHANISM, Certificate
from pmwpub.release.certificates.stated_plans import plan_of
from pmwpub.release.checks.engine_checks import EngineChecks, Files, given, stated_rho, stated_workload
from pmwpub.release.measured.measurements import measurements_csv


def round_checks(certificate: Certificate, files: Files) -> EngineChecks:
    """The checks of a PMW^Pub release."""
    return EngineChecks(
        mechanism=MECHANISM,
        agreement="the schema, the workload and each query's name agree",
        agrees=lambda: _agrees(certificate, files),
        same_terms=lambda: _same_terms(certificate),
        price=lambda: _price(certificate),
        measured=(
            ("each noisy answer is its noisy count over n", lambda: _answers(certificate)),
            (f"{MEASUREMENTS} lists the certificate's measurements", lambda: _measurements(certificate, files)),
        ),
    )


def _agrees(certificate: Certificate, files: Files) -> str:
    workload = stated_workload(certificate, files)
    named = all(line.query == workload.labels(line.number) for line in certificate.transcript)
    return "" if named and workload.queries == certificate.queries else "a query's number and labels differ."


def _same_terms(certificate: Certificate) -> bool:
    plan = plan_of(certificate)
    stated = (certificate.rounds, certificate.selection, certificate.output, certificate.start, certificate.replay)
    planned = (plan.rounds, plan.selection, plan.output.value, plan.start.value, plan.replay.value)
    return (*stated, len(certificate.transcript)) == (*planned, plan.rounds)


def _price(certificate: Certificate) -> str:
    schedule = plan_of(certificate).schedule(certificate.repeat)
    if str(schedule.share.measurement.scale) != certificate.measurement_scale:
        return "the plan's noise has another scale."
    if str(schedule.share.epsilon0) != certificate.epsilon0:
        return "the plan's rounds have another epsilon0."
    return "" if schedule.rho == stated_rho(certificate.rho) else "the plan costs another rho."


def _measurements(certificate: Certificate, files: Files) -> str:
    return "" if given(files, MEASUREMENTS) == measurements_csv(certificate) else "it lists others."


def _answers(certificate: Certificate) -> str:
    n = mass_of(certificate)
    right = all(line.noisy_answer == min(1.0, max(0.0, line.noisy_count / n)) for line in certificate.transcript)
    return "" if right else "an answer is another one."
