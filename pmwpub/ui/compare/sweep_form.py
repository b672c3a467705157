"""What a simulation ranges over, from widgets to a value."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pmwpub.errors import PlanError
from pmwpub.rounding import near
from pmwpub.service import Study
from pmwpub.service.simulations.simulated_methods import (
    MOST_ROUNDS,
    OFFERED_BASELINES,
    PMW_PUB,
    TABLE_FIT,
    UNCHANGED,
    baseline_labels,
    described_baseline,
    label_of,
    variants_beside,
)
from pmwpub.service.simulations.sweep_range import EPSILONS, SHARES, WHOLE, SweepRange, played, truths
from pmwpub.ui.compare.pools import Pool, made, named
from pmwpub.ui.widgets import number_fields

MOST_RUNS = 50
ALLOWED = ("0.000001", "1000")
UNTIL = "Nothing is simulated until it is put right."
WHY_BASELINES = (
    "The other engine of a release, and other published methods, each with its own proof and the same budget. One that "
    "cannot run here says why; it takes no time then."
)
VARIANTS = {
    PMW_PUB: "as a release is made by default",
    f"{PMW_PUB}+permute-and-flip": "queries chosen by permute-and-flip",
    f"{PMW_PUB}+average": "the average over the rounds",
    f"{PMW_PUB}+uniform": "from equal weights",
    f"{PMW_PUB}+no-replay": "without replay",
}


def ask_for_truth(study: Study) -> str:
    """Ask who plays the private table."""
    names = truths(study)
    truth: str = st.selectbox("Who plays the truth", list(names), format_func=names.__getitem__)
    return truth


def ask_for_terms(study: Study, truth: str) -> SweepRange:
    """Ask for the ranges of a sweep, the simplest first; PlanError for text that means none."""
    with st.expander("What it ranges over"):
        pools = [pool for pool in _offered(study) if truth not in pool]
        candidates = _candidates(study, pools)
        left, right = st.columns(2)
        epsilons = left.text_input(
            "ε, separated by commas", ", ".join(f"{e:g}" for e in EPSILONS), key="sweep epsilons"
        )
        rounds = right.text_input(
            "Rounds, separated by commas (empty: advised, after a pilot run)", "", key="sweep rounds"
        )
        runs = left.number_input("Runs of each kind", 1, MOST_RUNS, value=3, key="sweep runs")
        shares = right.multiselect(
            "Share of each public table used",
            SHARES,
            default=[WHOLE],
            format_func=lambda share: f"{share:g} %",
            key="sweep shares",
        )
        variants = st.multiselect(
            "Variants", list(VARIANTS), default=[PMW_PUB], format_func=VARIANTS.__getitem__, key="sweep variants"
        )
        baselines = st.multiselect(
            "Table fit and baselines",
            OFFERED_BASELINES,
            default=[TABLE_FIT],
            format_func=partial(described_baseline, weighed=study.weighs_rows),
            key="sweep baselines",
            help=WHY_BASELINES,
        )
        if study.schema is not None and study.schema.rules:
            st.caption("Baselines that make rows (MWEM, DualQuery, AIM, MST) need not obey the schema's rules.")
    if not variants or not shares:
        raise PlanError("Choose at least one variant and one share of the public tables.")
    return SweepRange(
        candidates, _epsilons(epsilons), _rounds(rounds), (*variants, *baselines, UNCHANGED), tuple(shares), int(runs)
    )


def described(study: Study, truth: str, terms: SweepRange) -> str:
    """A sweep in one line, for a list of them."""
    tables = len(played(study, truth, terms))
    epsilons = sorted(terms.epsilons)
    span = near(epsilons[0], 6) if len(epsilons) == 1 else f"{near(epsilons[0], 6)} to {near(epsilons[-1], 6)}"
    rounds = f"T = {', '.join(map(str, terms.rounds))}" if terms.rounds else "T advised"
    ways = variants_beside(terms.methods)
    parts = [
        f"truth {truths(study).get(truth, truth[:8])}",
        f"{tables} candidate{'s' if tables > 1 else ''}",
        f"ε = {span}",
        rounds,
        f"{terms.runs} run{'s' if terms.runs > 1 else ''}",
        *([f"{ways} variant{'s' if ways > 1 else ''}"] if ways else []),
        *_ways(terms.methods),
    ]
    return " · ".join(parts)


def _ways(methods: Sequence[str]) -> list[str]:
    """Both engines by name, and the other baselines, where there is more than PMW^Pub."""
    beside = baseline_labels(methods)
    return [label_of(PMW_PUB), *beside] if beside and PMW_PUB in methods else beside


def _offered(study: Study) -> list[Pool]:
    return [(facts.sha256,) for facts in study.usable] + list(made(study))


def _candidates(study: Study, pools: Sequence[Pool]) -> tuple[Pool, ...]:
    """Ask who plays the candidates; () where all single tables do, as by default: one sweep has one description."""
    if not pools:
        st.caption("The table is cut in two at random: one half plays the truth, the other the candidate.")
        return ()
    single = [pool for pool in pools if len(pool) == 1]
    chosen = st.multiselect(
        "Candidates", pools, default=single, format_func=lambda pool: named(study, pool), key="sweep candidates"
    )
    if not chosen:
        raise PlanError("Choose at least one candidate.")
    return () if list(chosen) == single else tuple(chosen)


def _epsilons(text: str) -> tuple[float, ...]:
    found = [number_fields.as_number(part, "ε", *ALLOWED, so=UNTIL) for part in text.split(",") if part.strip()]
    if not found:
        raise PlanError("ε are positive numbers separated by commas, such as 0.1, 0.25, 1.")
    return tuple(sorted({float(epsilon) for epsilon in found}))


def _rounds(text: str) -> tuple[int, ...]:
    parts = (part for part in text.split(",") if part.strip())
    return tuple(sorted({number_fields.as_listed_whole(part, "Rounds", 1, MOST_ROUNDS, so=UNTIL) for part in parts}))
