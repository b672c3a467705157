"""What is stored of an acceptance: its noisy numbers, with all that their verdicts follow from.

Steps, half-widths and bars follow from the plan when it is bought. They are stored beside the numbers and never worked
out again: what was bought then says the same under any later constant.
"""

from __future__ import annotations

from fractions import Fraction

from pydantic import BaseModel, ConfigDict, model_validator

from pmwpub.errors import PlanError
from pmwpub.mechanisms.acceptance.acceptance_noise import CONFIDENCE, Verdict, verdict
from pmwpub.numerals import as_fraction
from pmwpub.plans import AcceptancePlan
from pmwpub.service.accepting.criteria_attempts import Attempts


class HeldNumbers(BaseModel):
    """The numbers of one criterion: one, or two of a mean.

    noisy, half_widths, bars  of each number, in steps
    whole                     how many steps are one: of the rows, or of the released mean; exact
    step                      in words
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    noisy: tuple[int, ...]
    half_widths: tuple[int, ...]
    bars: tuple[int, ...]
    whole: str
    step: str

    @model_validator(mode="after")
    def _one_of_each(self) -> HeldNumbers:
        if not len(self.noisy) == len(self.half_widths) == len(self.bars) > 0:
            raise PlanError("A stored criterion has a half-width and a bar for each of its numbers.")
        return self

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The noisy numbers as fractions of one."""
        return tuple(number / as_fraction(self.whole) for number in self.noisy)

    @property
    def half_width(self) -> Fraction:
        """The widest, as a fraction of one."""
        return max(self.half_widths) / as_fraction(self.whole)

    @property
    def verdict(self) -> Verdict:
        """The worst of the numbers': of a mean both have to pass."""
        found = {verdict(*one) for one in zip(self.noisy, self.half_widths, self.bars, strict=True)}
        return "missed" if "missed" in found else "open" if "open" in found else "passed"


class StoredAcceptance(BaseModel):
    """The stored bytes of an acceptance, as JSON.

    confidence             of each interval, taken alone
    criteria               in the plan's order
    releases, acceptances  see `Attempts`
    remarks                what had been seen before the plan was sent
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    confidence: str
    criteria: tuple[HeldNumbers, ...]
    releases: int
    acceptances: int
    remarks: tuple[str, ...]

    @classmethod
    def of(
        cls, plan: AcceptancePlan, noisy: tuple[int, ...], attempts: Attempts, remarks: tuple[str, ...]
    ) -> StoredAcceptance:
        """What a plan's noisy numbers are held against, by today's constants."""
        law = plan.law
        bars = tuple(number.bar for number in law.numbers)
        held = tuple(
            HeldNumbers(
                noisy=noisy[place],
                half_widths=law.half_widths[place],
                bars=bars[place],
                whole=str(Fraction(one.steps(plan.n))),
                step=one.step,
            )
            for one, place in zip(plan.criteria, plan.places, strict=True)
        )
        return cls(
            confidence=str(CONFIDENCE),
            criteria=held,
            releases=attempts.releases,
            acceptances=attempts.acceptances,
            remarks=remarks,
        )

    @property
    def attempts(self) -> Attempts:
        """How many the ledger held when it was charged, itself included."""
        return Attempts(self.releases, self.acceptances)
