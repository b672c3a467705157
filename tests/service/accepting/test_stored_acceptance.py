"""What is stored of an acceptance says by itself what was bought; its bytes and its plan's stay what they are."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import pytest

from pmwpub.errors import PlanError
from pmwpub.plans import AcceptancePlan
from pmwpub.plans.criteria import CellWithin, LargestWithin, MarginalOfRelease, MeanOfRelease
from pmwpub.service.accepting.criteria_attempts import Attempts
from pmwpub.service.accepting.stored_acceptance import HeldNumbers, StoredAcceptance

PLAN = AcceptancePlan(
    n=1_000,
    rows_per_person=2,
    release="a" * 64,
    release_repeat=1,
    criteria=(
        CellWithin(within="1/50", levels=(("sex", "F"),)),
        LargestWithin(within="1/20"),
        MarginalOfRelease(within="1/25", columns=("age", "sex"), cells=4),
        MeanOfRelease(within="3/100", column="income", low="0", high="5000", unit="10", mean="1234.5", rows=900),
    ),
    rho_units=10**15,
)
TEXT = (
    '{"kind":"acceptance","n":1000,"rows_per_person":2,"release":"' + "a" * 64 + '","release_repeat":1,"criteria":['
    '{"within":"1/50","kind":"cell","levels":[["sex","F"]]},'
    '{"within":"1/20","kind":"largest"},'
    '{"within":"1/25","kind":"marginal","columns":["age","sex"],"cells":4},'
    '{"within":"3/100","kind":"mean","column":"income","low":"0","high":"5000","unit":"10","mean":"2469/2","rows":900}'
    '],"rho_units":1000000000000000}'
)
SHA256 = "30e2e495f97ca2beaa9ad96090421d5cb212fd04d480651368764e891691999f"
STORED = (
    '{"confidence":"19/20","criteria":['
    '{"noisy":[100],"half_widths":[783],"bars":[1280],"whole":"64000","step":"1/64 row"},'
    '{"noisy":[3000],"half_widths":[1956],"bars":[3200],"whole":"64000","step":"1/64 row"},'
    '{"noisy":[-50],"half_widths":[1568],"bars":[2560],"whole":"64000","step":"1/64 row"},'
    '{"noisy":[7,10000000],"half_widths":[2035292,2035292],"bars":[3332700,3332700],"whole":"111105000",'
    '"step":"0.01 of income"}],"releases":1,"acceptances":2,"remarks":["seen"]}'
)


def test_a_plan_keeps_its_text_and_its_hash() -> None:
    """A plan that was bought is found by its hash: another text would be drawn, and charged, anew."""
    assert (PLAN.canonical, PLAN.sha256) == (TEXT, SHA256)
    assert hashlib.sha256(TEXT.encode()).hexdigest() == SHA256
    assert AcceptancePlan.model_validate_json(TEXT, strict=True) == PLAN


def test_a_plan_s_numbers_keep_their_scales_bars_and_half_widths() -> None:
    """Of the cell: its share of rho = 1 is w/sum(w) with w = (sensitivity/bar)^2 = 1/100, beside 1/625, 1/400 and twice
    0.0900: 0.0515, so sigma = 128/sqrt(0.103) = 398.8."""
    made = StoredAcceptance.of(PLAN, (100, 3_000, -50, 7, 10**7), Attempts(1, 2), ("seen",))
    assert made.model_dump_json() == STORED
    assert float(PLAN.law.noises[0].scale) == pytest.approx(398.8, abs=0.1)


def test_what_is_stored_tells_its_verdicts_without_the_plan() -> None:
    found = StoredAcceptance.model_validate_json(STORED)
    assert [one.verdict for one in found.criteria] == ["passed", "open", "passed", "missed"]
    assert found.criteria[1].values == (Fraction(3, 64),)
    assert found.criteria[1].half_width == Fraction(1_956, 64_000)
    assert found.criteria[3].values[1] == Fraction(10**7, 111_105_000)
    assert found.attempts == Attempts(1, 2)


def test_a_number_without_its_bar_is_refused() -> None:
    for noisy, bars in (((1, 2), (3,)), ((), ())):
        with pytest.raises(PlanError, match="a bar for each"):
            HeldNumbers(noisy=noisy, half_widths=(1,), bars=bars, whole="64", step="1/64 row")
