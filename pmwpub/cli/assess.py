"""The command `assess`: what it buys or finds out for free, as the values that are printed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from pmwpub.cli.households.household_questions_commands import household_assess
from pmwpub.cli.inputs import Json, no_result, read, tick_of
from pmwpub.cli.purchasing import current_study, opened_service, private_table, spent, stored_tables
from pmwpub.errors import PlanError
from pmwpub.ledger import Ledger
from pmwpub.mechanisms.noisy_error.precision import epsilon_within
from pmwpub.plans import AssessmentPlan, Part, Scope
from pmwpub.privacy.budget import as_fraction
from pmwpub.rounding import above
from pmwpub.service import PrivateTable, Service, Study, purchases
from pmwpub.service.bought import assessments, best_candidate
from pmwpub.service.bought.assessments import Assessed
from pmwpub.service.choosing.expected_pool import can_be_pooled, pool_terms
from pmwpub.service.choosing.floor_part import part_of
from pmwpub.service.choosing.preselection import Preselection, preselected
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.purchases import AssessmentPurchase, BestPurchase
from pmwpub.service.simulations import public_pairs
from pmwpub.service.simulations.simulated_methods import PMW_PUB, TABLE_FIT, UNCHANGED
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.households.household_schema import is_household_schema

Pool = tuple[str, ...]


MOST_EXPECTED = 1_000_000
"""The largest epsilon that a release is simulated at by `--expect`."""


def assess(parsed: argparse.Namespace) -> Json:
    """`assess`: a noisy floor and start for each candidate, the best of them, or what is free."""
    if is_household_schema(read(parsed.schema)):
        return household_assess(parsed)
    for number in filter(None, (parsed.epsilon, parsed.precision, parsed.expect)):
        as_fraction(number)  # also one that what is asked for does not need
    paths = list(dict.fromkeys(path for files in _offered_files(parsed) for path in files))
    with Ledger.open(parsed.store) as ledger:
        (service, own), name = opened_service(parsed, ledger), parsed.population
        files = Files(parsed.read, [parsed.private, *paths])
        private = private_table(service, name, files, parsed) if parsed.private is not None else None
        keys = stored_tables(parsed, service, files, paths, private)
        current, offered = current_study(parsed, service), _offered_tables(parsed, keys)
        if parsed.expect is not None:
            return _expected(parsed, service, current, offered)
        if parsed.compare or private is None:
            return _compared(parsed, service, current, offered)
        buy = _buy_best if parsed.best else _buy_assessments
        return buy(parsed, service, current, private, offered) | spent(ledger, name, own)


def _offered_files(parsed: argparse.Namespace) -> list[Pool]:
    """Each --public file on its own, then each --pool, as paths."""
    pools = [_pool(text) for text in parsed.pool]
    offered = [(path,) for path in parsed.public] + pools
    if not offered:
        raise PlanError("Name at least one candidate: --public A.csv, or a pool of several: --pool A.csv+B.csv.")
    if parsed.private is None and not parsed.compare and parsed.expect is None:
        raise PlanError("Give the private table (--private P.csv), or --compare or --expect for what is free.")
    return offered


def _offered_tables(parsed: argparse.Namespace, keys: Mapping[str, str]) -> list[Pool]:
    """What is offered by content, each once; `keys` has the hash of each path."""
    return list(dict.fromkeys(tuple(sorted({keys[path] for path in files})) for files in _offered_files(parsed)))


def _buy_assessments(
    parsed: argparse.Namespace, service: Service, current: Study, private: PrivateTable, offered: Sequence[Pool]
) -> Json:
    """A noisy floor and start of each candidate and pool; nothing is charged unless all of them can be."""
    plans = _plans(parsed, service, current, offered)
    wanted = [AssessmentPurchase(plan) for plan in plans]
    outcomes = purchases.buy(service, private, wanted, repeat=parsed.repeat, tick=tick_of(parsed), current=current)
    if all(outcome.result is None for outcome in outcomes):
        raise no_result(outcomes[0])
    found = [assessments.assessed(service, current, outcome.booking) for outcome in outcomes]
    lines = [_line(one, group) for one, group in zip(found, _groups(found), strict=True)]
    return {"assessments": lines, "take": _taken(service, current, found, offered)}


def _taken(service: Service, current: Study, found: Sequence[Assessed], offered: Sequence[Pool]) -> Json:
    """The candidate to take for a release at all that is left, by numbers and stored simulations, and why."""
    epsilon = service.ledger.balance(current.population.name).epsilon_remaining
    return _take(current, preselected(service, current, found, offered, epsilon=epsilon))


def _take(current: Study, chosen: Preselection) -> Json:
    """The candidate to take and why; `pool`: of a pool with learnt weights, where that is expected to be best, its
    expected error and what each table is expected to contribute."""
    name = None if chosen.pool is None else current.names(chosen.pool)
    said: Json = {"candidate": name, "reason": chosen.reason}
    if chosen.pooled is not None and chosen.together is not None:
        said["pool"] = {"error": chosen.pooled.error, "contributions": dict(chosen.together.contributions)}
    return said


def _buy_best(
    parsed: argparse.Namespace, service: Service, current: Study, private: PrivateTable, offered: Sequence[Pool]
) -> Json:
    """One choice among the candidates and pools."""
    if parsed.no_floor or parsed.no_start or parsed.precision is not None or parsed.epsilon is None:
        raise PlanError("--best needs --epsilon; it releases no numbers, so it takes no --precision or --no-... .")
    setting, part = _setting(parsed), _part(parsed, service, current)
    plan = best_candidate.best_plan(current, offered, epsilon=parsed.epsilon, setting=setting, part=part)
    wanted = [BestPurchase(plan)]
    (outcome,) = purchases.buy(service, private, wanted, repeat=parsed.repeat, tick=tick_of(parsed), current=current)
    found = best_candidate.chosen(service, current, outcome.booking)
    if found.winner is None:
        raise no_result(outcome)
    best = {
        "candidate": found.name,
        "epsilon": above(plan.exact_epsilon),
        "candidates": list(found.names),
        "setting": plan.setting,
    }
    return {"best": best, "stored_earlier": not outcome.fresh}


def _compared(parsed: argparse.Namespace, service: Service, current: Study, offered: Sequence[Pool]) -> Json:
    """What is known for free: facts, candidate against candidate, and what a purchase would be worth."""
    setting = _setting(parsed)
    pools = [pool for pool in offered if len(pool) > 1]
    pairs = public_pairs.compare(service, current, setting, pools=pools).pairs
    if not pairs:
        raise PlanError("A comparison needs at least two candidates that fit the schema.")
    names = {current.names([sha256]) for pool in offered for sha256 in pool}
    names |= {current.names(pool) for pool in pools}
    lines = [asdict(pair) for pair in pairs if {pair.truth, pair.candidate} <= names]
    found: Json = {"candidates": _facts(current, offered), "comparison": lines, "setting": setting}
    if parsed.epsilon is not None or parsed.precision is not None:
        plan = _plans(parsed, service, current, offered[:1])[0]
        found["forecast"] = {"epsilon": above(plan.exact_epsilon)}
        found["forecast"] |= asdict(public_pairs.forecast(service, current, plan, pools=pools))
    return found


def _expected(parsed: argparse.Namespace, service: Service, current: Study, offered: Sequence[Pool]) -> Json:
    """What error to expect of a release with each candidate, and which one to take: simulated for free."""
    wanted = as_fraction(parsed.expect)
    if not 0 < wanted <= MOST_EXPECTED:
        raise PlanError(f"An error is expected of a release at an epsilon above 0 and of at most {MOST_EXPECTED:,}.")
    epsilon = float(wanted)
    simulate_pairs(service, current, SweepRange(tuple(offered), (epsilon,), methods=(PMW_PUB, TABLE_FIT, UNCHANGED)))
    if can_be_pooled(current, offered):
        simulate_pairs(service, current, pool_terms(offered, epsilon))
    bought = assessments.assessments(service, current)
    found = preselected(service, current, bought, offered, epsilon=epsilon)
    lines = [asdict(one) | {"candidate": current.names(pool)} for pool, one in found.expected]
    take = _take(current, found)
    return {"epsilon": epsilon, "engine": found.engine, "expected": lines, "take": take}


def _pool(text: str) -> Pool:
    paths = tuple(text.split("+"))
    if len(paths) < 2 or not all(paths) or Path(text).exists():
        raise PlanError(f"A pool names two or more files, joined by +: --pool A.csv+B.csv; {text!r} came.")
    return paths


def _setting(parsed: argparse.Namespace) -> Scope:
    return "full" if parsed.full else "part" if parsed.part else "fast"


def _part(parsed: argparse.Namespace, service: Service, current: Study) -> Part:
    return part_of(service, current) if parsed.part else ()


def _plans(
    parsed: argparse.Namespace, service: Service, current: Study, offered: Sequence[Pool]
) -> list[AssessmentPlan]:
    epsilon, floor, start = _epsilon(parsed, current), not parsed.no_floor, not parsed.no_start
    setting, part = _setting(parsed), _part(parsed, service, current)
    return [
        assessments.assessment_plan(
            current, pool, epsilon=epsilon, floor=floor, start=start, setting=setting, part=part
        )
        for pool in offered
    ]


def _epsilon(parsed: argparse.Namespace, current: Study) -> str:
    if parsed.epsilon is not None:
        return str(parsed.epsilon)
    if parsed.precision is None:
        raise PlanError("Give --epsilon for each candidate, or the error bar that you want: --precision 0.005.")
    terms = current.population
    return str(
        epsilon_within(
            as_fraction(parsed.precision),
            terms.n,
            terms.rows_per_person,
            with_floor=not parsed.no_floor,
            with_start=not parsed.no_start,
        )
    )


def _groups(found: Sequence[Assessed]) -> list[int | None]:
    """The too-close-to-call group of each floor, None where it has none or was not bought."""
    floors = [one.floor for one in found if one.floor is not None]
    groups = iter(best_candidate.too_close(floors))
    return [None if one.floor is None else next(groups) for one in found]


def _line(found: Assessed, group: int | None) -> Json:
    line: Json = {"candidate": found.name, "status": found.outcome.status}
    for part, number in (("floor", found.floor), ("start", found.start)):
        bounds = (None, None, None) if number is None else (number.value, number.low, number.high)
        line |= dict(zip((part, f"{part}_low", f"{part}_high"), bounds, strict=True))
    numbers = [number for number in (found.floor, found.start) if number is not None]
    confidence = numbers[0].confidence if numbers else None
    line |= {"confidence": confidence, "epsilon": above(found.plan.exact_epsilon), "setting": found.plan.setting}
    return line | {"too_close_to_call": group}


def _facts(current: Study, offered: Sequence[Pool]) -> list[Json]:
    lines = []
    for pool in offered:
        tables = [current.candidate(sha256) for sha256 in pool]
        line: Json = {"candidate": current.names(pool), "rows": sum(table.rows for table in tables)}
        problems = [table.problem for table in tables if table.problem]
        line |= {"dropped": sum(table.dropped for table in tables), "problem": "; ".join(problems)}
        if current.schema is not None and current.schema.rules:
            line |= {"left_out_by_rules": sum(table.broken for table in tables)}
        if current.weighs_public:
            line |= {"weighed": [table.name for table in tables if table.weighed_by]}
            line |= {"without_weight": sum(table.weightless for table in tables)}
        lines.append(line | {"atoms": None if problems else len(current.support(pool))})
    return lines
