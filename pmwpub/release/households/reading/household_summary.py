"""What a stakeholder reads first of a release of households, in sentences: released things alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from statistics import median

from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_cells import HouseholdNumber
from pmwpub.release.households.reading.measured_households import Counted
from pmwpub.release.report_numbers import up
from pmwpub.release.summary import as_likely

ONE_HOUSEHOLD = (
    "A person is protected as a member of one household; whoever stands in several households is not covered by this."
)


@dataclass(frozen=True)
class HouseholdSummary:
    """What a stakeholder reads first; each sentence is plain text.

    households  what a household is here
    promise     what is promised, and to whom
    spent       what it took of the grant
    errors      how far numbers may be off
    cautions    what not to use it for
    """

    households: tuple[str, ...]
    promise: tuple[str, ...]
    spent: str
    errors: tuple[str, ...]
    cautions: tuple[str, ...]


def household_summary(bundle: HouseholdBundle) -> HouseholdSummary:
    """The summary of a release of households; a function of what is released."""
    answers = HouseholdAnswers(bundle)
    return HouseholdSummary(
        households=tuple(_what_it_is(bundle)),
        promise=tuple(_promise(bundle)),
        spent=_spent(bundle),
        errors=tuple(_errors(answers)),
        cautions=tuple(_cautions(bundle, answers)),
    )


def _what_it_is(bundle: HouseholdBundle) -> Iterator[str]:
    rule, largest = bundle.schema.rule, bundle.schema.largest
    yield f'A household is all rows of the private table with the same "{rule.id}"; each row is a person.'
    yield (
        f"A household counts with at most {largest} persons. Of a larger one, {largest} count, chosen by a rule that "
        "looks at that household alone; the others count nowhere. Rows without an id count nowhere either."
    )
    if rule.columns:
        yield f"All persons of a household share these columns: {', '.join(rule.columns)}."
    for one in rule.any:
        yield f'"{one.name}" says whether any person of it has {one.column} = {" or ".join(one.levels)}.'


def _promise(bundle: HouseholdBundle) -> Iterator[str]:
    certificate, granted = bundle.certificate, bundle.certificate.budget.epsilon
    yield (
        f"Protected is {certificate.unit}, with all its rows of the private table of {certificate.n:,} households: it "
        "may be there as it is, or another of any of these sizes in its place."
    )
    yield (
        f"Whatever anybody concludes from all that is ever released about this population, {as_likely(granted)} "
        f"(ε = {up(granted)}), but for a chance of about δ = {up(certificate.delta, 3)}."
    )
    yield "How many households there are is public. How many persons live in them is not: it was measured, with noise."
    yield ONE_HOUSEHOLD
    yield "Copying, joining or analysing the files costs nothing more."


def _spent(bundle: HouseholdBundle) -> str:
    certificate, granted = bundle.certificate, Decimal(str(bundle.certificate.budget.rho))
    shares = (Decimal(str(one)) / granted * 100 for one in (certificate.rho, certificate.ledger_total.rho))
    alone, so_far = (f"{share.quantize(Decimal('0.01'), ROUND_CEILING).normalize():f} %" for share in shares)
    return (
        f"This release took {alone} of the grant; {so_far} were taken with it. By itself it is "
        f"ε = {up(certificate.epsilon)}: accounting, not the promise."
    )


def _errors(answers: HouseholdAnswers) -> Iterator[str]:
    for of in ("households", "persons"):
        reaches = share_reaches(answers, of)
        yield (
            f"Each share of {of} in one column is known to ± {up(100 * median(reaches), 2)} percentage points "
            f"typically, ± {up(100 * max(reaches), 2)} at worst, in 95 of 100 draws of the noise."
            if reaches
            else "Shares of persons are not known: the noise hides how many persons there are."
        )
    number, mean = answers.persons(), answers.mean_size()
    yield (
        f"There are about {number.value:,.0f} persons ({_ends(number, 0)}), so {mean.value:.2f} a household "
        f"({_ends(mean, 2)})."
    )
    yield (
        "These are numbers of the noisy tables alone. What the synthetic households say beside them follows public "
        "households too: it may be nearer or further off, and of three columns together nothing is known."
    )


def share_reaches(answers: HouseholdAnswers, of: Counted) -> list[float]:
    """Of every share in a single column, how far it lies from the farther end of its interval, which need not have it
    in its middle: then the share ± this holds all of it. None where noise hides what they are shares of."""
    if of == "persons" and answers.measured.hides_persons:
        return []
    single = [names for one, names in answers.measured.measured if one == of and len(names) == 1]
    return [cell.share.reach for names in single for cell in answers.marginal(names, of)]


def _ends(number: HouseholdNumber, digits: int) -> str:
    return f"{number.low:,.{digits}f} to {number.high:,.{digits}f}"


def _cautions(bundle: HouseholdBundle, answers: HouseholdAnswers) -> Iterator[str]:
    widest = answers.measured.difference_reach
    below = "" if widest is None or widest >= 1 else f" below {up(100 * widest, 2)} percentage points"
    yield (
        f"Do not read anything into a difference between two shares of persons in a column{below}; pmwpub answer "
        "--difference gives each difference its interval."
    )
    yield (
        "Do not look for single households: the synthetic ones are copies of public households, and a household that "
        "the public table lacks cannot occur, although some may live like that."
    )
    yield (
        "Do not take for the private households' what no noisy table has: who lives with whom (the ages of couples, "
        "who is whose child) is the public households', at other weights."
    )
    yield (f"Do not divide by {bundle.certificate.n:,} for a share of persons: that is the number of households.")
    yield (
        "Do not test or give standard errors as if these households were a sample: the noise of the release is not in "
        "such numbers."
    )
