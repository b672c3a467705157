"""From a wanted error bar to the epsilon that buys it. Public arithmetic; nothing is drawn."""

from __future__ import annotations

from fractions import Fraction

from pmwpub.errors import BudgetError
from pmwpub.mechanisms.noisy_error.assessment import assessment_charges, half_width
from pmwpub.privacy.lattice_noise import LatticeLaplace

DIGITS = 3
LEAST, MOST = -12, 6
"""Powers of ten between which an epsilon is looked for."""


def epsilon_within(
    precision: Fraction, n: int, rows_per_person: int = 1, *, with_floor: bool = True, with_start: bool = True
) -> Fraction:
    """The epsilon of an assessment, to three digits and rounded up, whose 95 % half-width is at most `precision`.

    The half-width is that of the floor, or of the start where no floor is bought, as a share of the n rows. It falls
    as epsilon rises, but for the lattice's last digits; the next smaller epsilon of three digits misses `precision`.

    Raises BudgetError unless 0 < precision < 1, or where no epsilon between 10^-12 and 10^6 has it.
    """
    if not 0 < precision < 1:
        raise BudgetError(f"A wanted precision lies strictly between 0 and 1; {float(precision):g} came.")

    def reached(place: int) -> bool:
        shares = assessment_charges(_epsilon(place), n, rows_per_person, with_floor=with_floor, with_start=with_start)
        first = shares[0]
        law = LatticeLaplace(first.epsilon, rows_per_person)
        return half_width(law, n, purpose=first.purpose) <= precision

    below, above = 0, (MOST - LEAST) * 9 * 10 ** (DIGITS - 1)
    if reached(below):
        return _epsilon(below)
    if not reached(above):
        raise BudgetError(f"No epsilon up to 10^{MOST} buys a half-width of {float(precision):g} with {n:,} rows.")
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if reached(middle) else (middle, above)
    return _epsilon(above)


def _epsilon(place: int) -> Fraction:
    """The numbers of three digits in order: 1.00, 1.01, .. 9.99 times 10^LEAST, then the next power of ten."""
    power, digits = divmod(place, 9 * 10 ** (DIGITS - 1))
    scaled: int = (10 ** (DIGITS - 1) + digits) * 10**power
    return Fraction(scaled, 10 ** (DIGITS - 1 - LEAST))
