"""What is to be expected of a planned or a finished release, as its report and Hand over show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pmwpub import figures
from pmwpub.errors import NoResult
from pmwpub.evaluation import ENGINES, PMW_PUB, TABLE_FIT
from pmwpub.plans import AnyReleasePlan, ReleasePlan
from pmwpub.plans.weighing import shares_of_what
from pmwpub.privacy.budget import epsilon_of
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.summary import BoughtError, Expectation, ReleaseSummary, summary_of
from pmwpub.service.accepting.acceptances import acceptances, noisy_largest_words, words_of_all
from pmwpub.service.bought.answers_of_releases import answers_of
from pmwpub.service.bought.assessments import assessments
from pmwpub.service.bought.latest_numbers import latest_of_all
from pmwpub.service.bought.release_errors import measured_errors
from pmwpub.service.bought.releases import Released
from pmwpub.service.choosing.expected_error import BoughtNumbers, ExpectedError, expected_errors
from pmwpub.service.choosing.outlook import outlook
from pmwpub.service.choosing.simulated_pairs import key_of, pairs_of, simulated_epsilons
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.engine_advice import NAMES
from pmwpub.service.simulations.explorations import Exploration, explorations


def expectation_of(service: Service, current: Study, plan: AnyReleasePlan) -> Expectation | None:
    """The error to expect of a plan, with its figure; None where no simulation over the whole workload is stored.
    Reads only."""
    with service.ledger.view():
        found = outlook(service, current, plan)
    expected = found.expected
    if expected is None or not found.simulated.truths or found.simulated.part:
        return None
    figure = error_picture(service, current, plan, expected)
    source, remark = found.simulated.source, found.remark
    return Expectation(expected.error, expected.low, expected.high, expected.start, source, figure, remark)


def error_picture(service: Service, current: Study, plan: AnyReleasePlan, expected: ExpectedError) -> str:
    """Error against epsilon of the plan's candidate as an SVG: expected at each simulated epsilon, over its own floor.

    Both engines have a line where both were simulated, the plan's own the prominent one. The lines are estimates for
    the private table itself, so a floor that was bought belongs on their axis.
    """
    pool = plan.inputs.candidates
    own = PMW_PUB if isinstance(plan, ReleasePlan) else TABLE_FIT
    bought = latest_of_all(assessments(service, current), current).get(pool)
    numbers = {} if bought is None else {key_of(pool): BoughtNumbers(bought.floor, bought.start)}
    stored, name = explorations(service, current), current.known_names(pool)
    engines = sorted(ENGINES, key=lambda engine: engine != own)
    lines = [_expected_line(current, stored, numbers, pool, engine) for engine in engines]
    curves = [replace(line, aside=line.engine != NAMES[own]) for line in lines if line.epsilons]
    floors = []
    if bought is not None and bought.floor is not None:
        one = bought.floor
        floors = [figures.ShadedFloor(name, one.low, one.high, noisy=True, confidence=one.confidence)]
    whole = shares_of_what(weighed=plan.weights is not None)
    marked = figures.MarkedRelease(epsilon_of(plan.budget, current.population.delta), expected.error)
    return figures.error_svg(curves, floors, [figures.Unchanged(name, expected.start)], marked=marked, whole=whole)


def _expected_line(
    current: Study,
    stored: Sequence[Exploration],
    bought: Mapping[str, BoughtNumbers],
    pool: Sequence[str],
    engine: str,
) -> figures.ErrorCurve:
    """What is expected of one engine at each epsilon that it was simulated at; T where it has one."""
    points: list[tuple[float, float, int]] = []
    for epsilon in simulated_epsilons(stored, engine):
        pairs = pairs_of(current, stored, epsilon, engine).pairs
        rounds = max((pair.rounds for pair in pairs if pair.candidate == key_of(pool)), default=0)
        points += [
            (epsilon, one.error, rounds) for one in expected_errors(pairs, bought, [key_of(pool)], engine=engine)
        ]
    epsilons, errors = tuple(at for at, _, _ in points), tuple(error for _, error, _ in points)
    known = tuple(rounds for _, _, rounds in points)
    return figures.ErrorCurve(
        current.known_names(pool),
        epsilons,
        errors,
        (0.0,) * len(points),
        engine=NAMES[engine],
        rounds=known if all(known) else (),
    )


def handed_over(service: Service, current: Study, found: Released) -> ReleaseSummary:
    """The one page for the stakeholder of a finished release, by all that is stored now.

    Raises NoResult for a release without a result.
    """
    if found.bundle is None or isinstance(found.bundle.certificate, UnchangedCertificate):
        raise NoResult("What is handed over is a finished release; this one has no result.")
    plan, bundle = found.plan, found.bundle
    errors = measured_errors(service, current.population.name, found.outcome.booking.key)
    held = acceptances(service, current.population.name, found.outcome.booking.key) if plan.criteria else []
    bought = latest_of_all(assessments(service, current), current).get(plan.inputs.candidates)
    numbers = () if bought is None else (("floor", bought.floor), ("start", bought.start))
    return summary_of(
        found.bundle.certificate,
        by_id=bundle.schema.rows_beyond is not None,
        expectation=expectation_of(service, current, plan) if _as_planned(current, plan) else None,
        bought=[BoughtError(what, number) for what, number in numbers if number is not None],
        error=next((one.error for one in reversed(errors) if one.error is not None), None),
        accepted=words_of_all(held),
        accepted_largest=noisy_largest_words(held),
        intervals=answers_of(service, bundle).main,
    )


def _as_planned(current: Study, plan: AnyReleasePlan) -> bool:
    """Whether schema, workload and public tables are still those of a plan: only then does a simulation speak of it."""
    inputs, usable = plan.inputs, {facts.sha256 for facts in current.usable}
    if current.schema is None or current.schema.sha256 != inputs.schema_sha256 or current.choice != inputs.workload:
        return False
    return set(inputs.candidates) <= usable
