"""What is to be expected of a planned or a finished release, as its report and Hand over show it."""

from __future__ import annotations

from pmwpub import figures
from pmwpub.errors import NoResult
from pmwpub.plans import AnyReleasePlan, ReleasePlan
from pmwpub.privacy.budget import epsilon_of
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.summary import BoughtError, Expectation, ReleaseSummary, summary_of
from pmwpub.service.accepting.acceptances import acceptances
from pmwpub.service.bought.assessments import assessments
from pmwpub.service.bought.latest_numbers import latest_of_all
from pmwpub.service.bought.release_errors import measured_errors
from pmwpub.service.bought.releases import Released
from pmwpub.service.choosing.expected_error import BoughtNumbers, ExpectedError, expected_errors
from pmwpub.service.choosing.outlook import outlook
from pmwpub.service.choosing.simulated_pairs import key_of, pairs_of, simulated_epsilons
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.explorations import explorations


def expectation_of(service: Service, current: Study, plan: AnyReleasePlan) -> Expectation | None:
    """The error to expect of a plan, with its figure; None where no simulation is stored. Reads only."""
    found = outlook(service, current, plan)
    expected = found.expected
    if expected is None or not found.simulated.truths:
        return None
    figure = error_picture(service, current, plan, expected)
    return Expectation(expected.error, expected.low, expected.high, expected.start, found.simulated.source, figure)


def error_picture(service: Service, current: Study, plan: AnyReleasePlan, expected: ExpectedError) -> str:
    """Error against epsilon of the plan's candidate as an SVG: expected at each simulated epsilon, over its own floor.

    The line is the estimate for the private table itself, so a floor that was bought belongs on its axis.
    """
    pool = plan.inputs.candidates
    engine = "pmw-pub" if isinstance(plan, ReleasePlan) else "table-fit"
    bought = latest_of_all(assessments(service, current), current).get(pool)
    numbers = {} if bought is None else {key_of(pool): BoughtNumbers(bought.floor, bought.start)}
    points, stored = [], explorations(service, current)
    for epsilon in simulated_epsilons(stored, engine):
        pairs = pairs_of(current, stored, epsilon, engine).pairs
        points += [(epsilon, one.error) for one in expected_errors(pairs, numbers, [key_of(pool)])]
    name = current.known_names(pool)
    epsilons, errors = tuple(at for at, _ in points), tuple(error for _, error in points)
    curve = figures.ErrorCurve(name, epsilons, errors, (0.0,) * len(points))
    floors = []
    if bought is not None and bought.floor is not None:
        one = bought.floor
        floors = [figures.ShadedFloor(name, one.low, one.high, noisy=True, confidence=one.confidence)]
    marked = figures.MarkedRelease(epsilon_of(plan.budget, current.population.delta), expected.error)
    return figures.error_svg([curve], floors, [figures.Unchanged(name, expected.start)], marked=marked)


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
        accepted=next((one.words for one in reversed(held) if one.words), ()),
    )


def _as_planned(current: Study, plan: AnyReleasePlan) -> bool:
    """Whether schema, workload and public tables are still those of a plan: only then does a simulation speak of it."""
    inputs, usable = plan.inputs, {facts.sha256 for facts in current.usable}
    if current.schema is None or current.schema.sha256 != inputs.schema_sha256 or current.choice != inputs.workload:
        return False
    return set(inputs.candidates) <= usable
