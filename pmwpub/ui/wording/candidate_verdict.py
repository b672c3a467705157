"""Which candidate to take, in one sentence: what is ruled out, and what error to expect. No streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmwpub.rounding import in_percent
from pmwpub.service import Assessed, Study
from pmwpub.service.choosing.preselection import Preselection
from pmwpub.ui.wording.written import plain


def verdict(study: Study, at: Mapping[str, Preselection], bought: Sequence[Assessed]) -> str:
    """ "Use C: with 95 % confidence no reweighting of D gets below 9 %; expect about 1.6 % at ε = 1, 2.1 % at ε = 0.5."

    at      by ε as it is written, the one that was asked for first
    bought  floors of today's workload; one over a part of it holds for the whole, whose floor is no lower
    """
    first = next(iter(at.values()))
    if first.pool is None:
        return plain(first.reason)
    expected = {epsilon: one.of(first.pool) if first.pooled is None else one.pooled for epsilon, one in at.items()}
    errors = [f"{in_percent(one.error)} at ε = {epsilon}" for epsilon, one in expected.items() if one is not None]
    best = next((one.error for one in expected.values() if one is not None), None)
    floor = next((one.floor for one in bought if one.candidates == first.pool), None)
    reach = floor.high if best is None and floor is not None else best
    parts = [never(one) for one in bought if _is_ruled_out(one, first.pool, reach)]
    parts += [f"expect an error of about {', '.join(errors)}"] if errors else []
    if first.pooled is not None and first.together is not None:
        tables = ", ".join(f"{plain(name)} {100 * part:.0f} %" for name, part in first.together.contributions)
        parts.append(f"its tables are expected to contribute {tables}")
        return f"Use **a pool with learnt weights**: {'; '.join(parts)}."
    said = "; ".join(parts) or plain(first.reason).rstrip(".")
    return f"Use **{plain(study.names(first.pool))}**: {said}."


def never(one: Assessed) -> str:
    """What is sure of a candidate whose floor was bought; "" where it was not."""
    if one.floor is None:
        return ""
    sure = f"{100 * one.floor.confidence:.0f} % confidence"
    return f"with {sure} no reweighting of {plain(one.name)} gets below {in_percent(one.floor.low)} on this workload"


def _is_ruled_out(one: Assessed, chosen: tuple[str, ...], reach: float | None) -> bool:
    """Whether a candidate that was not chosen cannot reach what the chosen one is expected to, or its floor at most."""
    return one.floor is not None and reach is not None and one.candidates != chosen and one.floor.low > reach
