"""What a sweep of a study ranges over, and the truth and candidates that it is played with. Public throughout."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.evaluation import SIMPLEST, Stage, Sweep, part_places, part_rows
from pmwpub.records import Dataset, Ints, Support
from pmwpub.service.inputs.bundled_sample import sample_truth
from pmwpub.service.inputs.stored_tables import spelt
from pmwpub.service.inputs.study import CandidateFacts
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.truths.played_truths import PlayedTruth, plays, weighed_setting

EPSILONS = (0.1, 0.25, 0.5, 1.0)
SAMPLE_TRUTH = "sample"
PRIVATE_TRUTH = "private"
WHOLE = 100.0
SHARES = (100.0, 10.0, 1.0, 0.1)
"""The shares of a public table's rows that may be used, in percent."""


@dataclass(frozen=True)
class SweepRange:
    """What a sweep ranges over.

    candidates  candidates and pools, each by the hashes of its tables; () stands for every table that is usable
    rounds      numbers of rounds; () stands for the rule's number, after a pilot run
    shares      of each candidate's rows, in percent
    runs        of each kind
    """

    candidates: tuple[tuple[str, ...], ...] = ()
    epsilons: tuple[float, ...] = EPSILONS
    rounds: tuple[int, ...] = ()
    methods: tuple[str, ...] = SIMPLEST
    shares: tuple[float, ...] = (WHOLE,)
    runs: int = 3

    @property
    def sweep(self) -> Sweep:
        """The grid; PlanError where it is empty."""
        if not self.shares or any(not 0 < share <= WHOLE for share in self.shares):
            raise PlanError("Shares of a public table lie above 0 and at most at 100 %.")
        return Sweep(self.epsilons, self.rounds, self.runs, self.methods)

    @classmethod
    def of(cls, body: Mapping[str, object]) -> SweepRange:
        """A range back from what `asdict` made of it."""
        known = {key: _tuples(value) for key, value in body.items()}
        return cls(**known)  # type: ignore[arg-type]


def _tuples(value: object) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def truths(current: Study) -> dict[str, str]:
    """Who can play the truth: content key -> name. In a demo the generated private table itself comes first."""
    names = {facts.sha256: facts.name for facts in current.usable if plays(current, facts)}
    return ({SAMPLE_TRUTH: "state A (made up for the demo)"} if current.demo else {}) | names


def played(current: Study, truth: str, terms: SweepRange) -> dict[str, tuple[tuple[str, ...], float]]:
    """The candidates of a sweep by the name that they have in it: tables and share, or no tables for the other half."""
    pools = [pool for pool in terms.candidates or [(facts.sha256,) for facts in current.usable] if truth not in pool]
    if not pools:
        return {f"other half of {truths(current).get(truth, 'a deleted table')}": ((), WHOLE)}
    return {_named(current.names(pool), share): (pool, share) for pool in pools for share in terms.shares}


def _named(name: str, share: float) -> str:
    return name if share == WHOLE else f"{name}, {share:g} % of its rows"


def rows_of(current: Study, truth: str, terms: SweepRange) -> dict[str, int]:
    """The public rows, with repetition, of each candidate of a sweep, by the name that it has in it."""
    found = {}
    for name, (pool, share) in played(current, truth, terms).items():
        supports = [facts.support for facts in map(current.candidate, pool or (truth,)) if facts.support is not None]
        rows = sum(support.people for support in supports)
        found[name] = part_rows(rows, _part(share)) if pool else rows - rows // 2
    return found


def stage_of(current: Study, truth: str, terms: SweepRange) -> Stage:
    """The truth, resampled to n rows unless it is the sample's own, and the supports that play candidates.

    Raises PlanError where the truth does not fit the schema, or has no weights where rows are weighed.
    """
    names = played(current, truth, terms)
    if truth == SAMPLE_TRUTH and current.demo and current.schema is not None:
        sample = PlayedTruth.encoded(truths(current)[truth], sample_truth(current.schema, current.sample))
        return sample.stage(current, current.workload(), _supports(current, names), as_it_is=True)
    table = PlayedTruth.of(current.candidate(truth))
    if ((), WHOLE) in names.values():
        table, rest = table.halves()
        supports = dict.fromkeys(names, rest)
    else:
        supports = _supports(current, names)
    return table.stage(current, current.workload(), supports)


def supports_of(current: Study, terms: SweepRange) -> dict[str, Support]:
    """The supports that play candidates for the private table: public, like those of any other sweep.

    Raises PlanError where there are none.
    """
    if not current.usable:
        raise PlanError("A sweep needs a public table that fits the schema.")
    return _supports(current, played(current, PRIVATE_TRUTH, terms))


def _supports(current: Study, names: Mapping[str, tuple[tuple[str, ...], float]]) -> dict[str, Support]:
    return {name: _support(current, pool, share) for name, (pool, share) in names.items()}


def _support(current: Study, pool: Sequence[str], share: float) -> Support:
    if share == WHOLE:
        return current.support(pool)
    tables = [facts for facts in map(current.candidate, pool) if facts.dataset is not None]
    rows = np.concatenate([facts.dataset.codes for facts in tables if facts.dataset is not None])
    domain, places = current.workload().domain, part_places(len(rows), _part(share), 0)
    weights = np.concatenate([_weights(facts, facts.dataset) for facts in tables if facts.dataset is not None])
    weighed = any(facts.weighed_by for facts in tables)
    return Support.of(Dataset(domain, rows[places]), weights[places] if weighed else None)


def _weights(facts: CandidateFacts, rows: Dataset) -> Ints:
    return np.ones(len(rows), dtype=np.int64) if facts.weights is None else facts.weights


def _part(share: float) -> Fraction:
    return Fraction(repr(share)) / 100


def candidate_key(current: Study, truth: str, name: str, tables: tuple[tuple[str, ...], float]) -> str:
    """A key of all that the runs of one candidate depend on, the name that it has in the sweep included."""
    return _digest({"setting": _setting(current, truth), "name": name, "tables": _content(current, tables)})[:32]


def sweep_key(current: Study, truth: str, terms: SweepRange) -> str:
    """A key of everything that a sweep depends on."""
    candidates = {name: _content(current, tables) for name, tables in played(current, truth, terms).items()}
    return _digest({"setting": _setting(current, truth), "candidates": candidates, "sweep": asdict(terms.sweep)})


def _content(current: Study, tables: tuple[tuple[str, ...], float]) -> list[object]:
    pool, share = tables
    return [[[sha256, spelt(current.candidate(sha256).options)] for sha256 in pool], share]


def _setting(current: Study, truth: str) -> dict[str, object]:
    people = current.population
    options = "" if truth == SAMPLE_TRUTH else spelt(current.candidate(truth).options)
    return {
        "truth": [truth, options],
        "schema": current.schema.sha256 if current.schema else "",
        "workload": current.workload().sha256,
        "n": people.n,
        "k": people.rows_per_person,
        "delta": str(people.delta),
        **weighed_setting(current),
    }


def _digest(body: object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
