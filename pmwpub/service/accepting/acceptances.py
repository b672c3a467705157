"""Planning an acceptance of a stored release, and reading back what was bought."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger import Booking, PlanKey
from pmwpub.mechanisms.acceptance.acceptance_noise import CONFIDENCE, Verdict, least_budget
from pmwpub.numerals import as_fraction
from pmwpub.plans import AcceptancePlan
from pmwpub.plans.acceptance_plans import sold_numbers
from pmwpub.plans.criteria import Criterion, LargestWithin, MeanOfRelease, Measured
from pmwpub.privacy.budget import ZCDP
from pmwpub.release.bundle import CERTIFICATE
from pmwpub.rounding import near, up
from pmwpub.service.accepting.criteria_attempts import Attempts
from pmwpub.service.accepting.criteria_of_release import checked_criteria, measured_criteria
from pmwpub.service.accepting.stored_acceptance import StoredAcceptance
from pmwpub.service.bought.stored_releases import bought_of, measured_release, stored_release
from pmwpub.service.core import Outcome, Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.reading_back.stored_results import plan_and_result

PART = Fraction(1, 2)
"""Of its bar, a number's half-width where nobody asks for another."""

OF_WEIGHTS = "Verdicts are about the released weights: rows that are drawn from them have an error of drawing as well."

SAID: dict[Verdict, str] = {
    "passed": "Passed",
    "open": "Undecided, for the noise is too wide to tell",
    "missed": "Missed",
}
"""What a verdict is called, where a criterion is named behind it."""
COUNTED: dict[Verdict, str] = {
    "missed": "missed",
    "open": "undecided, for the noise is too wide to tell",
    "passed": "passed",
}

INSIDE: dict[Verdict, str] = {
    "passed": "inside both ends by more than the noise",
    "open": "not clear whether it is inside both ends",
    "missed": "beyond an end by more than the noise",
}
"""What a verdict of a mean says of the two ends that it may lie between."""

UNREACHED = (
    "No noise is narrow enough for {part} of the bars: a bar is near the rounding of its number. Take a wider bar "
    "before the next release, or a wider part. Nothing was charged."
)


@dataclass(frozen=True)
class CriterionResult:
    """What was bought of one criterion; all as fractions of one: of the rows, or of the released mean.

    values      the noisy numbers: one, or of a mean how far the private one is below and above the released one
    half_width  of the 95 % interval around each, the widest
    """

    criterion: Measured
    values: tuple[Fraction, ...]
    half_width: Fraction
    verdict: Verdict

    @property
    def sentence(self) -> str:
        """The verdict, what it is about, and the number, plain text; half-widths are rounded up.

        Of a mean it is how far inside both ends of what is allowed the private one lies, by its two sums over the rows
        with a number that the release has: true only where as many private rows have one. The verdict needs no such
        thing.
        """
        said = SAID[self.verdict]
        if not isinstance(self.criterion, MeanOfRelease):
            return f"{said}: {self.criterion.words}. Noisy: {self.points}."
        lower, upper = (_inside(self.criterion.bar - value) for value in self.values)
        return (
            f"{said}: {self.criterion.words}. Noisy: the private mean lies {lower} the lower end of what "
            f"is allowed and {upper} the upper end, each ± {up(100 * self.half_width, 3)} %, so it is "
            f"{INSIDE[self.verdict]}. Both numbers hold if as many private rows have a number as released ones, "
            f"{self.criterion.rows:,}."
        )

    @property
    def points(self) -> str:
        """The noisy number of a share, with its half-width: "2.01 points, ± 2.5"."""
        return f"{near(100 * self.values[0])} points, ± {up(100 * self.half_width, 3)}"


def _inside(margin: Fraction) -> str:
    """How far within an end of what is allowed, in percent without a sign."""
    return f"{near(100 * abs(margin))} % {'inside' if margin >= 0 else 'beyond'}"


@dataclass(frozen=True)
class Acceptance:
    """An acceptance that was bought; no result is there while it is at work or where it has none.

    attempts  how many the ledger held when it was charged, itself included
    remarks   what had been seen before the plan was sent, which epsilon does not cover
    """

    plan: AcceptancePlan
    outcome: Outcome
    results: tuple[CriterionResult, ...] = ()
    attempts: Attempts | None = None
    confidence: float = float(CONFIDENCE)
    remarks: tuple[str, ...] = ()

    @property
    def release(self) -> PlanKey:
        """The release that was held against its criteria."""
        return measured_release(self)

    @property
    def passed(self) -> bool:
        """Whether every criterion is; one that cannot be measured is not."""
        return (
            bool(self.results) and not self.plan.not_measurable and all(one.verdict == "passed" for one in self.results)
        )

    @property
    def missed(self) -> bool:
        """Whether any criterion evidently is."""
        return any(one.verdict == "missed" for one in self.results)

    @property
    def headline(self) -> str:
        """All verdicts in a sentence of plain text; "" without a result."""
        if not self.results:
            return ""
        if self.passed:
            return "All criteria are passed"
        counts = [
            *((sum(one.verdict == verdict for one in self.results), said) for verdict, said in COUNTED.items()),
            (len(self.plan.not_measurable), "not measurable"),
        ]
        named = ", ".join(f"{number:,} {said}" for number, said in counts if number)
        return f"Of {sum(number for number, _ in counts):,} criteria: {named}"

    @property
    def verdicts(self) -> tuple[str, ...]:
        """One sentence a criterion; none without a result."""
        if self.attempts is None:
            return ()
        return (*(one.sentence for one in self.results), *(one.words for one in self.plan.not_measurable))

    @property
    def words(self) -> tuple[str, ...]:
        """The verdicts, then what they are about, and how often it was tried; none without a result."""
        return () if self.attempts is None else (*self.verdicts, OF_WEIGHTS, attempts_in_words(self.attempts))


def words_of_all(held: Sequence[Acceptance]) -> tuple[str, ...]:
    """What all acceptances of one release said, for whoever is handed it.

    held  oldest first; none is left out because a later one passed, or because it has no result

    Of several each sentence says to which it belongs. How often it was tried is what the last result says.
    """
    said: list[str] = []
    for place, one in enumerate(held, 1):
        lost = "It is at work." if one.outcome.status == "running" else "It was charged, and has no result."
        own = one.verdicts or (lost,)
        said += own if len(held) == 1 and one.verdicts else (f"Acceptance {place} of {len(held)}. {it}" for it in own)
    last = next((one for one in reversed(held) if one.words), None)
    return tuple(said) if last is None else (*said, *last.words[len(last.verdicts) :])


def noisy_largest(held: Sequence[Acceptance]) -> CriterionResult | None:
    """The last noisy largest error that was bought for an acceptance of a release; None where none was."""
    found = [one for each in held for one in each.results if isinstance(one.criterion, LargestWithin)]
    return found[-1] if found else None


def noisy_largest_words(held: Sequence[Acceptance]) -> str:
    """That such a number was bought, a sentence of plain text; "" where none was."""
    found = noisy_largest(held)
    return "" if found is None else f"A noisy largest error of {found.points} (95 %) was bought for the acceptance."


def attempts_in_words(attempts: Attempts) -> str:
    """How many tries there were, for whoever reads a verdict."""
    releases, acceptances = attempts.releases, attempts.acceptances
    drawn = f"{releases:,} release{'' if releases == 1 else 's'} with criteria"
    held = f"{acceptances:,} acceptance{'' if acceptances == 1 else 's'}"
    return f"The ledger held {drawn} and {held} by then, this one included: of many tries some pass by chance."


def acceptance_plan(service: Service, population: str, release: PlanKey, *, part: Fraction = PART) -> AcceptancePlan:
    """Plan the acceptance of a stored release by the criteria of its own plan, as cheaply as half-widths allow.

    part  of its bar, the most that a number's half-width may be

    Raises PlanError where there is no such release, none of its criteria, or no such noise; NoResult where nothing is
    stored of it.
    """
    if not 0 < part <= 1:
        raise PlanError("A half-width is a part of its bar above 0 and at most 1. Nothing was charged.")
    bundle = stored_release(service, population, release)
    key = f"criteria:{hashlib.sha256(bundle.parts[CERTIFICATE]).hexdigest()}"
    terms, found = service.ledger.population(population), service.cache(key, lambda: measured_criteria(bundle))
    if not found.measured:
        raise PlanError(" ".join([*(one.words for one in found.not_measurable), "Nothing was charged."]))
    rho = least_budget(sold_numbers(found.measured, terms.n, terms.rows_per_person), part)
    if rho is None:
        raise PlanError(UNREACHED.format(part=near(part)))
    return AcceptancePlan(
        n=terms.n,
        rows_per_person=terms.rows_per_person,
        kept_ids=bundle.schema.kept_ids,
        release=release.plan_sha256,
        release_repeat=release.repeat,
        criteria=found.measured,
        not_measurable=found.not_measurable,
        rho_units=rho.units,
    )


def price_before(criteria: tuple[Criterion, ...], current: Study) -> ZCDP | None:
    """What the acceptance of a release will cost by these criteria, at half-widths of `PART` of the bars, but for those
    of means: what they cost is known once the released mean is. None where no noise is narrow enough.

    Raises SchemaError or PlanError for criteria that no purchase could measure.
    """
    n, k = current.population.n, current.population.rows_per_person
    if current.schema is None:
        raise SchemaError("Criteria need a schema; draft or load one on the Prepare page.")
    known = checked_criteria(criteria, current.schema, n, k)
    return least_budget(sold_numbers(known, n, k), PART) if known else ZCDP(0)


def acceptances(service: Service, population: str, release: PlanKey | None = None) -> list[Acceptance]:
    """Every acceptance that was bought, oldest first; those of one release alone, if it is named."""
    return bought_of(service, population, "acceptance", read_acceptance, release)


def accepted(service: Service, booking: Booking) -> Acceptance:
    """One acceptance, read back by its booking."""
    return read_acceptance(service.outcome(booking))


def read_acceptance(outcome: Outcome) -> Acceptance:
    """One acceptance as it is stored; ValueError for what is none."""
    plan, stored = plan_and_result(outcome, AcceptancePlan, StoredAcceptance)
    if stored is None:
        return Acceptance(plan, outcome)
    results = tuple(
        CriterionResult(one, held.values, held.half_width, held.verdict)
        for one, held in zip(plan.criteria, stored.criteria, strict=True)
    )
    confidence = float(as_fraction(stored.confidence))
    return Acceptance(plan, outcome, results, stored.attempts, confidence=confidence, remarks=stored.remarks)
