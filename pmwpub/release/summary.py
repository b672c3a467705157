"""The one page that goes with a release: promise, price, error, and what not to use it for, in sentences.

Every sentence is plain text made from the certificate, from what was bought beside it, and from what simulations on
public tables say: released and public things alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from pmwpub.mechanisms.table_fit.intervals.cell_errors import LARGEST_ORDER
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans.criteria import criteria_of
from pmwpub.plans.weighing import counted_in, shares_of_what, weights_in_words
from pmwpub.release.answers.main_intervals import LevelShare, MainIntervals
from pmwpub.release.certificates.certificate_reading import ChargedCertificate
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.measured.measurements import sigma_rows
from pmwpub.release.report_numbers import rows, up
from pmwpub.rounding import in_percent, near

NORMAL_95 = 1.96
MILLION = math.log(10**6)

WITHOUT_INTERVAL = (
    "Do not rely on a single number without its interval; the page Hand over and the command pmwpub answer give it."
)


ONE_AT_A_TIME = "A single share is mostly closer than that."
UNKNOWN = "The largest error over all questions of the workload was neither simulated nor bought."
WHAT = {
    "floor": "what would remain of its largest error if it were reweighted perfectly, at any ε",
    "start": "its largest error unchanged",
}
"""What the two numbers about a public table are."""


@dataclass(frozen=True)
class Expectation:
    """What was to be expected of a release, as shares of the rows.

    error, low, high  the largest error over the workload, and how far it may be from that
    start             of the public table unchanged, as far as it is known
    source            who played the private table in the simulations: plain text
    figure            error against epsilon as an SVG that stands by itself; "" for none
    remark            what it is of, where that is not the very release; a sentence, or ""
    """

    error: float
    low: float
    high: float
    start: float
    source: str
    figure: str = ""
    remark: str = ""


@dataclass(frozen=True)
class BoughtError:
    """A number that was bought: what it is of, and its noisy interval."""

    what: str
    number: NoisyInterval


@dataclass(frozen=True)
class ReleaseSummary:
    """What a stakeholder reads first; each sentence is plain text.

    promise    what is promised, and to whom
    spent      what it took of the grant
    errors     how far answers may be off: the largest error first, then how other numbers belong to it
    cautions   what not to use it for
    remarks    what the certificate says beyond its numbers
    figure     an SVG, or ""
    levels     shares of single columns with their intervals, the first of them; none where nothing is covered
    left_out   which levels are not among these, or ""
    """

    promise: tuple[str, ...]
    spent: str
    errors: tuple[str, ...]
    cautions: tuple[str, ...]
    remarks: tuple[str, ...]
    figure: str = ""
    levels: tuple[LevelShare, ...] = ()
    left_out: str = ""


def summary_of(
    certificate: ChargedCertificate,
    *,
    by_id: bool,
    expectation: Expectation | None = None,
    bought: Sequence[BoughtError] = (),
    error: NoisyInterval | None = None,
    accepted: Sequence[str] = (),
    accepted_largest: str = "",
    intervals: MainIntervals | None = None,
) -> ReleaseSummary:
    """The summary of a release.

    by_id   whether neighbours differ in all rows of one ID
    bought  the floors and starts that were bought of its public table before; no floor is said where rows may be added
    error   the release's own noisy error, where it was bought
    accepted  the sentences of all its acceptances, oldest first
    accepted_largest  that a noisy largest error was bought for one of them, a sentence; "" where none was
    intervals  how far off its cells may be, where that is known
    """
    if isinstance(certificate, TableCertificate) and certificate.may_add_rows:
        bought = [one for one in bought if one.what != "floor"]
    return ReleaseSummary(
        promise=_promise(certificate, by_id=by_id),
        spent=_spent(certificate),
        errors=(
            *_errors(certificate, expectation, bought, error, intervals, accepted_largest),
            *_criteria(certificate),
            *accepted,
        ),
        cautions=tuple(_cautions(certificate, expectation, error, intervals)),
        remarks=tuple(certificate.remarks),
        figure="" if expectation is None else expectation.figure,
        levels=intervals.levels if intervals else (),
        left_out=intervals.left_out if intervals else "",
    )


def odds(epsilon: float) -> str:
    """e^epsilon in words, rounded up."""
    return "more than a million" if epsilon > MILLION else up(math.exp(epsilon), 3)


def _promise(certificate: ChargedCertificate, *, by_id: bool) -> tuple[str, ...]:
    k, unit = certificate.rows_per_person, certificate.unit or "one person"
    whose = f"all rows of one ID, of which at most {rows(k)} count" if by_id else f"at most {rows(k)}"
    granted = certificate.budget.epsilon if certificate.budget else certificate.ledger_total.epsilon
    return (
        f"Protected is {unit}, with {whose} of the private table of {certificate.n:,} rows.",
        *(() if certificate.weights is None else weights_in_words(certificate.weights)),
        f"Whatever anybody concludes from all that is ever released about this population, {as_likely(granted)} "
        f"(ε = {up(granted)}), but for a chance of about δ = {up(certificate.delta, 3)}.",
        "Copying, joining or analysing the files costs nothing more.",
    )


def as_likely(epsilon: float) -> str:
    """How likely a conclusion is beside other data; "nearly as likely" only where the odds change by less than 2."""
    factor, other = f"{odds(epsilon)} times as likely", "with other data in the place of the protected ones"
    if epsilon <= math.log(2):
        return f"it would have been nearly as likely {other}: at most {factor}"
    return f"it {'may be' if epsilon > MILLION else 'is at most'} {factor} as {other}"


def _spent(certificate: ChargedCertificate) -> str:
    own = f"By itself this release is ε = {up(certificate.epsilon)}"
    if certificate.budget is None:
        return f"{own}; what was taken so far adds up to ρ = {up(certificate.ledger_total.rho)}."
    granted, with_it = certificate.budget.rho, Decimal(str(certificate.ledger_total.rho))
    alone, so_far = _of(Decimal(str(certificate.rho)), granted), _of(with_it, granted)
    return (
        f"This release took {_percent(alone)} of the grant; {_percent(so_far)} were taken with it. {own}: accounting, "
        "not the promise."
    )


def _of(rho: Decimal, total: str) -> Decimal:
    """A part of the grant in percent, rounded up to a hundredth."""
    return (100 * rho / Decimal(str(total))).quantize(Decimal("0.01"), ROUND_CEILING)


def _percent(share: Decimal) -> str:
    return f"{share.normalize():f} %"


def _errors(
    certificate: ChargedCertificate,
    expectation: Expectation | None,
    bought: Sequence[BoughtError],
    error: NoisyInterval | None,
    intervals: MainIntervals | None,
    accepted_largest: str,
) -> list[str]:
    known = error is not None or expectation is not None
    if not known and intervals is not None:
        return [*intervals.sentences, *_of_public_table(bought), accepted_largest or UNKNOWN]
    said = [_largest(certificate, expectation, error, accepted_largest)]
    if known:
        said.append(
            f"That is the error of the worst of all {certificate.queries:,} questions of the workload; most are "
            "answered better."
        )
    if expectation is not None and error is not None:
        said.append(f"Before it was bought, about {in_percent(expectation.error)} was expected of it, by simulations.")
    if expectation is not None and not any(one.what == "start" for one in bought):
        free = in_percent(expectation.start)
        said.append(f"The public table unchanged, which is free: about {free}, by the same simulations.")
    if expectation is not None and expectation.remark:
        said.append(expectation.remark)
    if intervals is not None:
        said += [f"{ONE_AT_A_TIME} {intervals.sentences[0]}", *intervals.sentences[1:]]
    return [*said, *_of_public_table(bought)]


def _of_public_table(bought: Sequence[BoughtError]) -> list[str]:
    return [f"Bought of the public table: {one.what} {_with_interval(one.number)}: {WHAT[one.what]}." for one in bought]


def _with_interval(known: NoisyInterval, what: str = "") -> str:
    estimate, low, high = (in_percent(value, 3) for value in (known.estimate, known.low, known.high))
    return f"{estimate}{what} ({low} to {high}, {100 * known.confidence:.0f} % sure)"


def _largest(
    certificate: ChargedCertificate, expectation: Expectation | None, error: NoisyInterval | None, accepted: str
) -> str:
    """The one number that comes first, and where it is from."""
    whole = shares_of_what(weighed=certificate.weights is not None)
    if error is not None:
        own = _with_interval(error, f" of {whole}")
        return f"Largest error: about {own}. It was bought: measured on the private table, with noise."
    if expectation is not None:
        own, low, high = (in_percent(value) for value in (expectation.error, expectation.low, expectation.high))
        return (
            f"Expected largest error: about {own} of {whole} ({low} to {high}), by simulations in which "
            f"{expectation.source} played the private table. {accepted or 'It was not bought.'}"
        )
    return accepted or "Largest error: not known, for it was neither simulated nor bought."


def _criteria(certificate: ChargedCertificate) -> list[str]:
    """What it has to meet, where that stood in its plan, and how often it was tried."""
    criteria, times = criteria_of((certificate.plan or {}).get("criteria", [])), certificate.attempts_with_criteria
    if not criteria or times is None:
        return []
    return [
        f"Named before it was bought, as what it has to meet: {'; '.join(one.words for one in criteria)}. Whether it "
        "does is bought by itself, after these files are made: Hand over has the verdicts. The ledger held "
        f"{times:,} release{'' if times == 1 else 's'} with criteria by then, this one included: of many tries some "
        "pass by chance."
    ]


def _cautions(
    certificate: ChargedCertificate,
    expectation: Expectation | None,
    error: NoisyInterval | None,
    intervals: MainIntervals | None,
) -> list[str]:
    k = certificate.workload.k if intervals is None else max(certificate.workload.k, LARGEST_ORDER)
    reach = error.high if error is not None else expectation.high if expectation is not None else None
    said = [WITHOUT_INTERVAL if reach is None and intervals is not None else _smallest(certificate, reach)]
    grown = isinstance(certificate, TableCertificate) and certificate.adds_rows
    if certificate.rules:
        said.append(_excluded(len(certificate.rules)))
    said += [
        "Do not look for single people, or count rare combinations: the rows are copies of public people's, and "
        f"combinations that the public table{' and the rows added to it lack' if grown else ' lacks'} cannot occur, "
        "although people may have them.",
        f"Do not ask about more than {k} {'column' if k == 1 else 'columns'} at once, or about columns that were left "
        f"out: nothing is said of the error there.",
        "Do not test or give standard errors as if these rows were a sample of people: the noise of the release is not "
        "in such numbers.",
        "Do not take a change between two releases for a change among people unless it exceeds the errors of both.",
    ]
    return said


def _excluded(rules: int) -> str:
    """That zeros may be of rules, and say nothing of people."""
    of = "the 1 rule of the schema excludes" if rules == 1 else f"the {rules:,} rules of the schema exclude"
    return f"Do not count what rules exclude: combinations that {of} have 0 rows here, whatever the private table has."


def _smallest(certificate: ChargedCertificate, reach: float | None) -> str:
    """Which differences mean nothing."""
    if reach is not None:
        shown = up(near(100 * reach, 6), 2)
        whole = shares_of_what(weighed=certificate.weights is not None)
        number = rows(math.ceil(Fraction(shown) * certificate.n / 100))
        said = f"{shown} % of {whole}" if certificate.weights else f"{shown} % of {whole}, about {number}"
        return (
            f"Do not read anything into differences below {said}: an answer may be off by that much, and a difference "
            "of two by twice as much."
        )
    sigmas = certificate.sigmas if isinstance(certificate, TableCertificate) else (sigma_rows(certificate),)
    noise = NORMAL_95 * sorted(sigmas)[len(sigmas) // 2]
    return (
        f"Do not rely on any single number before its error is known; the noise of a typical measurement alone is ± "
        f"{near(noise)} {counted_in(certificate)}."
    )
