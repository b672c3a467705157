"""Which candidate to take, in one sentence: what is ruled out, and what error to expect. No streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmwpub.plans.weighing import shares_of_what
from pmwpub.rounding import in_percent, near
from pmwpub.service import Assessed, Study
from pmwpub.service.choosing.expected_error import ExpectedError
from pmwpub.service.choosing.free_table import FreeTable
from pmwpub.service.choosing.preselection import Preselection
from pmwpub.service.simulations.sweep_range import truths
from pmwpub.ui.wording.written import plain

MADE_UP = (
    "In the demo the private table, state A, is made up and known, so it plays itself here; with your own data other "
    "public tables play it."
)


def verdict(study: Study, at: Mapping[str, Preselection], bought: Sequence[Assessed]) -> str:
    """ "Use C: with 95 % confidence no reweighting of D gets below 9 %; expect about 1.6 % at ε = 1, 2.1 % at ε = 0.5."

    at      by ε as it is written, the one that was asked for first; an error at another one is said where it was
            simulated
    bought  floors of today's workload; one over a part of it holds for the whole, whose floor is no lower
    """
    first = next(iter(at.values()))
    if first.pool is None:
        return plain(first.reason)
    expected = {epsilon: one.of(first.pool) if first.pooled is None else one.pooled for epsilon, one in at.items()}
    wanted = next(iter(at))
    asked = wanted if guessed_by(study, first, bought) else None
    errors = [
        _error(one, epsilon, epsilon == asked, reached=at[epsilon].reached)
        for epsilon, one in expected.items()
        if one is not None and (at[epsilon].reached or epsilon == wanted)
    ]
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
    name = f"**{plain(study.names(first.pool))}**"
    if first.tied:
        others = ", ".join(plain(study.names(pool)) for pool in first.tied)
        return f"{name} is preselected; it and {others} cannot be told apart until a start is bought: {said}."
    return f"Use {name}: {said}."


def _error(one: ExpectedError, epsilon: str, between: bool, *, reached: bool) -> str:
    """An expected error, and between what it may lie where that is said; it never stands at an ε that no simulation
    reached."""
    ends = f" ({near(100 * one.low, 2)} to {in_percent(one.high)})" if between else ""
    where = f"ε = {epsilon}" if reached else f"the simulated ε nearest to {epsilon}"
    return f"{in_percent(one.error)} at {where}{ends}"


def guessed_by(study: Study, found: Preselection, bought: Sequence[Assessed]) -> tuple[str, ...]:
    """Who played the private table, by name, where nothing else is behind what is expected of the chosen candidate:
    nothing was bought of it, and those who played are other tables. () where that is not so."""
    if found.pool is None or study.demo or any(one.candidates == found.pool for one in bought):
        return ()
    if found.pooled is not None and found.together is not None:
        return found.together.truths
    own = found.of(found.pool)
    return played_by(study, () if own is None else own.truths)


def played_by(study: Study, keys: Sequence[str]) -> tuple[str, ...]:
    """The names of those who played the private table, by their keys in simulations."""
    known = truths(study)
    return tuple(known.get(key, "a deleted table") for key in keys)


def basis_words(study: Study, guessed: Sequence[str]) -> str:
    """What the expected errors are about: other tables, or a table that is made up; "" where nothing is expected."""
    if study.demo:
        return MADE_UP
    if not guessed:
        return ""
    names = " and ".join(map(plain, guessed))
    about = "that table" if len(guessed) == 1 else "those tables"
    return (
        f"**{names}** played the private table, so this is about {about}, **not about yours**. Floors and starts, "
        "bought below, are about yours."
    )


def free_words(study: Study, free: FreeTable, wanted: float) -> str:
    """That a public table is good enough unchanged, and what that rests on."""
    return (
        f"**Good enough for free: {plain(study.names(free.pool))} unchanged.** {unchanged_words(study, free)}, within "
        f"the {in_percent(wanted, 3)} that you want. It takes no ε."
    )


def unchanged_words(study: Study, free: FreeTable) -> str:
    """The error of a public table unchanged, and what that rests on; without a full stop."""
    whole = shares_of_what(weighed=study.weighs_rows)
    rests = "by its bought start" if free.bought else "by simulation"
    if not free.bought and not study.demo and free.truths:
        rests = f"if the private table is to it as {' and '.join(map(plain, played_by(study, free.truths)))}"
    return f"Its largest error is about {in_percent(free.error)} of {whole} ({rests})"


def never(one: Assessed) -> str:
    """What is sure of a candidate whose floor was bought; "" where it was not."""
    if one.floor is None:
        return ""
    sure = f"{100 * one.floor.confidence:.0f} % confidence"
    return f"with {sure} no reweighting of {plain(one.name)} gets below {in_percent(one.floor.low)} on this workload"


def _is_ruled_out(one: Assessed, chosen: tuple[str, ...], reach: float | None) -> bool:
    """Whether a candidate that was not chosen cannot reach what the chosen one is expected to, or its floor at most."""
    return one.floor is not None and reach is not None and one.candidates != chosen and one.floor.low > reach
