"""Baselines by name: what each needs, refuses and answers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from support import tables
from support.fakes import FixedNoise, SeededNoise

from pmwpub.errors import MethodRefused, PlanError, PmwPubError
from pmwpub.evaluation.answering import Marginals, errors_of_answers
from pmwpub.evaluation.baseline_registry import BASELINES, PEERS, TABLE_FIT, baseline_of, is_baseline
from pmwpub.evaluation.baselines import Baseline, DualQuery, JiElkan, Mwem
from pmwpub.evaluation.measures import Errors, errors
from pmwpub.evaluation.truths.run_terms import Case, RunTerms
from pmwpub.mechanisms.baselines.graphical.fitted_model import MISSING
from pmwpub.mechanisms.baselines.matrix.residuals import Emphasis
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import NoiseSource
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)
ROWS = tables.table(SHAPE, 2_000, 1)
CANDIDATE = PublicProblem(WORKLOAD, tables.support(SHAPE, 60, 2))


def case(noise: NoiseSource, rho: Fraction = Fraction(1, 5), rounds: int = 10) -> Case:
    terms = RunTerms(WORKLOAD, len(ROWS), ZCDP.at_most(rho))
    return Case(terms, count(WORKLOAD, ROWS), ROWS, CANDIDATE, rounds, 0, noise)


def test_names_are_read_with_their_parameters_and_defaults() -> None:
    assert baseline_of("mwem") == Mwem()
    assert baseline_of("mwem+on=a0/a2") == Mwem(("a0", "a2"))
    assert baseline_of("dual-query+eta=5") == DualQuery(100, Fraction(5))
    assert baseline_of("dual-query+samples=50+eta=2") == DualQuery(50, Fraction(2))
    assert baseline_of("ji-elkan+lambda=0.025") == JiElkan(Fraction(1, 40))
    assert baseline_of("residual-planner+even") == Marginals(True, Emphasis.MARGINALS)
    assert [is_baseline(name) for name in (*BASELINES, "pmw-pub", "unchanged")] == [True] * 5 + [False] * 2


@pytest.mark.parametrize(
    "name", ["pmw-pub", "mwem+T=3", "dual-query+samples=none", "dual-query+eta=x", "hdmm+even+even", "ji-elkan+lambda"]
)
def test_another_name_or_parameter_is_refused(name: str) -> None:
    with pytest.raises(PmwPubError):
        baseline_of(name)


@pytest.mark.parametrize("name", [TABLE_FIT, *BASELINES, "mwem+on=a0/a1", "hdmm+even", "residual-planner+even"])
def test_each_runs_and_ends_near_the_truth_with_a_large_budget(name: str) -> None:
    baseline = baseline_of(name)
    assert baseline.refusal(case(FixedNoise()).terms) == ""
    found = baseline.errors(case(SeededNoise(1), Fraction(20), rounds=60))
    # Importance weights do not see pairs of attributes, and DualQuery has few rows.
    assert found.max_error < (0.1 if name in ("ji-elkan", "dual-query") else 0.02)
    assert 0 <= found.mean_error <= found.rms_error <= found.max_error


@pytest.mark.parametrize("name", [TABLE_FIT, *BASELINES])
def test_a_run_is_a_function_of_its_noise(name: str) -> None:
    runs = [baseline_of(name).errors(case(SeededNoise(seed))) for seed in (3, 3, 4)]
    assert runs[0] == runs[1] != runs[2]


def test_without_noise_marginals_have_no_error() -> None:
    for name in ("hdmm", "residual-planner"):
        assert baseline_of(name).errors(case(FixedNoise())).max_error < 1e-12


def test_answers_are_cut_off_at_nothing_and_everybody() -> None:
    counts = PrivateCounts(np.array([0, 10, 5]), 10)
    assert errors_of_answers(counts, np.array([-3.0, 1.5, 0.6])) == Errors(
        pytest.approx(0.1), pytest.approx(0.1 / 3), pytest.approx(0.1 / 3**0.5)
    )


def test_a_small_budget_does_no_better_than_a_large_one_on_average() -> None:
    for name in BASELINES:
        means = [
            np.mean([baseline_of(name).errors(case(SeededNoise(seed), rho)).rms_error for seed in range(5)])
            for rho in (Fraction(1, 200), Fraction(10))
        ]
        assert means[0] > means[1], name


def test_importance_weights_of_a_small_budget_are_still_weights_on_the_candidate() -> None:
    found = baseline_of("ji-elkan").errors(case(FixedNoise()))
    start = errors(count(WORKLOAD, ROWS), CANDIDATE.start_sums, 60)
    assert found.rms_error < start.rms_error


LARGE = Workload.all_kway(tables.domain(*[10] * 12), 1)


@pytest.mark.parametrize(
    ("baseline", "workload", "words"),
    [
        (Mwem(), LARGE, "88 TB"),
        (Mwem(("a0", "a1")), LARGE, ""),
        (Mwem(("a0", "nothing")), LARGE, "no attribute"),
        (Mwem(("a0",)), WORKLOAD, "None of the workload's 3 marginals"),
        (DualQuery(), Workload.all_kway(tables.domain(*[400] * 3), 3), "64,000,000 queries"),
        (JiElkan(), Workload.all_kway(tables.domain(2_000, 2_000), 1), "4,000 levels"),
        (Marginals(False), Workload.all_kway(tables.domain(*[400] * 3), 3), "minutes of noise"),
        (Marginals(True), Workload.all_kway(tables.domain(1, 1), 1), "two levels"),
    ],
)
def test_what_cannot_run_says_why_before_it_runs(baseline: Baseline, workload: Workload, words: str) -> None:
    why = baseline.refusal(RunTerms(workload, 1000, ZCDP.at_most(1)))
    assert words in why
    assert bool(why) == bool(words)


@pytest.mark.parametrize("name", PEERS)
def test_peers_say_what_is_missing_without_their_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    peer = baseline_of(name)
    monkeypatch.setattr("pmwpub.evaluation.peers.available", lambda: False)
    assert peer.refusal(RunTerms(WORKLOAD, 1000, ZCDP.at_most(1))) == MISSING
    with pytest.raises(MethodRefused, match="peers"):
        peer.errors(case(FixedNoise()))
    assert peer.remark == "answers come from a graphical model, from which rows can be drawn"


def test_peers_refuse_what_would_run_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pmwpub.evaluation.peers.available", lambda: True)
    large = RunTerms(Workload.all_kway(tables.domain(*[300] * 3), 3), 1000, ZCDP.at_most(1))
    assert "27,270,900 cells in every round" in baseline_of("aim").refusal(large)
    wide = RunTerms(Workload.all_kway(tables.domain(*[300] * 10), 1), 1000, ZCDP.at_most(1))
    assert "MST scores 4,050,000 cells" in baseline_of("mst").refusal(wide)
    assert baseline_of("mst").refusal(RunTerms(WORKLOAD, 1000, ZCDP.at_most(1))) == ""


def test_a_budget_that_pays_for_nothing_is_a_reason_too() -> None:
    assert "pays for no sample" in DualQuery().refusal(RunTerms(WORKLOAD, 1000, ZCDP(5)))


@pytest.mark.parametrize(
    ("name", "terms", "words"),
    [
        ("mwem", RunTerms(WORKLOAD, 1000, ZCDP(50)), "50 units of 1e-15 are too few for 60 rounds"),
        ("ji-elkan+lambda=1e-6", RunTerms(WORKLOAD, 1, ZCDP(1)), "noise scale"),
        ("hdmm", RunTerms(WORKLOAD, 10**11, ZCDP(1), 10**9), "noise scale"),
        ("residual-planner", RunTerms(WORKLOAD, 10**11, ZCDP(1), 10**9), "noise scale"),
        ("aim", RunTerms(WORKLOAD, 1000, ZCDP(48)), "share of zero"),
        ("mst", RunTerms(WORKLOAD, 1000, ZCDP(8)), "share of zero"),
    ],
)
def test_noise_that_cannot_be_paid_for_or_drawn_is_a_reason(
    name: str, terms: RunTerms, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmwpub.evaluation.peers.available", lambda: True)
    assert words in baseline_of(name).refusal(terms, 60)
    assert baseline_of(name).refusal(replace(terms, budget=ZCDP.at_most(1), n=10**11, rows_per_person=1), 60) == ""


def test_a_run_that_was_refused_raises_the_same_words() -> None:
    workload = Workload.all_kway(tables.domain(2_000, 2_000), 1)
    rows = tables.table(workload.domain, 10, 0)
    terms = RunTerms(workload, 10, ZCDP.at_most(1))
    refused = Case(terms, count(workload, rows), rows, None, 1, 0, FixedNoise())
    with pytest.raises(MethodRefused, match="4,000 levels"):
        JiElkan().errors(refused)
    with pytest.raises(PlanError, match="need a public table"):
        JiElkan().errors(replace(case(FixedNoise()), problem=None))


def test_what_a_plot_has_to_say_beside_a_line() -> None:
    assert baseline_of("hdmm").remark == "answers the workload without synthetic rows"
    assert baseline_of("mwem+on=a0/a1").remark == "only the marginals inside a0, a1, a smaller workload"
    assert [baseline_of(name).uses_candidate for name in BASELINES] == [False, False, True, False, False]
    assert [baseline_of(name).has_rounds for name in BASELINES] == [True, False, False, False, False]
