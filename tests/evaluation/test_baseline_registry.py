"""Names of baselines: parameters out of range are refused at every door, and what means the same has one name."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from pmwpub.errors import PlanError
from pmwpub.evaluation import Sweep, label_of
from pmwpub.evaluation.baseline_registry import BASELINES, FAMILIES, PEERS, baseline_of
from pmwpub.evaluation.baselines import DualQuery, Mwem
from pmwpub.evaluation.methods import canonical, respelt
from pmwpub.service.simulations.sweep_range import SweepRange

NO_NUMBER = ("", "x", "nan", "inf", "1/0", "1,5", "1e500", "1" * 41)

OUT_OF_RANGE = {
    ("mwem", "on"): ("", "/", "a0//a1", "a0/"),
    ("dual-query", "samples"): (*NO_NUMBER, "0", "-1", "1.5", "10001", "1e3", "٣", "²"),
    ("dual-query", "eta"): (*NO_NUMBER, "0", "-1", "1e-7", "1000001"),
    ("ji-elkan", "lambda"): (*NO_NUMBER, "0", "-0.01", "1e-7", "1e9"),
    ("hdmm", "even"): ("", "3", "true"),
    ("residual-planner", "even"): ("", "3", "true"),
    ("aim", "megabytes"): (*NO_NUMBER, "0", "-1", "1001", "1e300"),
}
WRONG = [f"{family}+{key}={text}" for (family, key), texts in OUT_OF_RANGE.items() for text in texts]


def test_every_registered_parameter_has_values_that_are_out_of_range() -> None:
    assert set(OUT_OF_RANGE) == {(name, key) for name, family in FAMILIES.items() for key in family.parameters}


@pytest.mark.parametrize("name", WRONG)
def test_a_value_out_of_range_is_refused_before_anything_runs(name: str) -> None:
    with pytest.raises(PlanError):
        baseline_of(name)
    with pytest.raises(PlanError):
        canonical([name])
    with pytest.raises(PlanError):
        Sweep((1.0,), methods=("pmw-pub", name))
    with pytest.raises(PlanError):
        _ = SweepRange(methods=("pmw-pub", name)).sweep


@pytest.mark.parametrize("name", ["dual-query+eta=1e-6+samples=1", "dual-query+eta=1e6+samples=10000",
                                  "ji-elkan+lambda=1e-6", "ji-elkan+lambda=1e6", "aim+megabytes=1000"])  # fmt: skip
def test_the_ends_of_the_ranges_are_taken(name: str) -> None:
    assert canonical([name])


def test_a_flag_takes_no_value_and_another_parameter_needs_one() -> None:
    for name, family in FAMILIES.items():
        for key, parameter in family.parameters.items():
            words = "takes no value" if parameter.flag else "needs a value"
            with pytest.raises(PlanError, match=words):
                baseline_of(f"{name}+{key}=3" if parameter.flag else f"{name}+{key}")


@pytest.mark.parametrize(
    ("spellings", "name"),
    [
        (("ji-elkan", "ji-elkan+lambda=0.01", "ji-elkan+lambda=0.010", "ji-elkan+lambda=1e-2", "ji-elkan+lambda=1/100"),
         "ji-elkan"),
        (("ji-elkan+lambda=.5", "ji-elkan+lambda=1/2", "ji-elkan+lambda=5e-1"), "ji-elkan+lambda=0.5"),
        (("ji-elkan+lambda=1/3", "ji-elkan+lambda=2/6"), "ji-elkan+lambda=1/3"),
        (("dual-query", "dual-query+samples=100+eta=3", "dual-query+eta=3.0", "dual-query+samples=0100"), "dual-query"),
        (("dual-query+eta=2+samples=50", "dual-query+samples=50+eta=2"), "dual-query+samples=50+eta=2"),
        (("dual-query+eta=100", "dual-query+eta=1e2"), "dual-query+eta=100"),
        (("hdmm+even",), "hdmm+even"),
        (("mwem+on=a2/a0", "mwem+on=a0/a2", "mwem+on=a0/a2/a0"), "mwem+on=a0/a2"),
        (("aim", "aim+megabytes=8", "aim+megabytes=8.0"), "aim"),
        (("pmw-pub+average+permute-and-flip", "pmw-pub+permute-and-flip+average"), "pmw-pub+permute-and-flip+average"),
    ],
)  # fmt: skip
def test_what_means_the_same_counts_once_under_one_name(spellings: tuple[str, ...], name: str) -> None:
    assert canonical(spellings) == (name,)
    assert Sweep((1.0,), methods=spellings).methods == (name,)
    assert {respelt(spelling) for spelling in spellings} == {name}


def test_a_canonical_name_leads_back_to_the_same_baseline() -> None:
    names = [
        *BASELINES, *PEERS, "mwem+on=sex/age", "dual-query+samples=7", "aim+megabytes=1/3", "hdmm+even",
        *(f"dual-query+samples={s}+eta={eta}" for s, eta in itertools.product((50, 100), ("2.50", "3", "1e-5"))),
        *(f"ji-elkan+lambda={value}" for value in ("0.005", "0.010", "1e-6", "1e6", "7/9", "123.4560")),
    ]  # fmt: skip
    for name in names:
        (one,) = canonical([name])
        assert baseline_of(one) == baseline_of(name)
        assert canonical([one]) == (one,)
    assert baseline_of("mwem+on=a2/a0") == Mwem(("a0", "a2"))
    assert baseline_of("dual-query+eta=5e-1") == DualQuery(100, Fraction(1, 2))


def test_stored_names_of_older_spellings_are_known_and_others_are_left_as_they_are() -> None:
    assert respelt("hdmm+even=3") == respelt("residual-planner+even=").replace("residual-planner", "hdmm")
    assert respelt("hdmm+even=3") == "hdmm+even"
    for name in ("aim+megabytes=-1", "ji-elkan+lambda=0", "something+else=3", "unchanged", "mst"):
        assert respelt(name) == name


def test_labels() -> None:
    assert label_of("ji-elkan+lambda=0.5", parameters=True) == "Ji–Elkan, lambda=0.5"
    assert label_of("pmw-pub+average") == "PMW^Pub"
