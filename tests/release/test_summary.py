"""The summary of a release: each number from its source, and sentences that hold without any."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from release.bundles import FORMULA, SCRIPT, Made, N

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.release.certificates.certificate_parts import LedgerTotal
from pmwpub.release.certificates.stated_rules import StatedRule
from pmwpub.release.report_numbers import up
from pmwpub.release.summary import BoughtError, Expectation, odds, summary_of

CRITERIA = (
    f"Named before it was bought, as what it has to meet: the share of {SCRIPT} = {FORMULA}, sex = F within 10 points; "
    "the mean of =age, clipped to 0 to 120, within 10 %. Whether it does is bought by itself, after these "
    "files are made: Hand over has the verdicts. The ledger held 3 releases with criteria by then, this one included: "
    "of many tries some pass by chance."
)


def test_the_promise_is_the_grants_and_its_odds_are_rounded_up(made: Made) -> None:
    certificate = made.bundle.certificate.model_copy(update={"budget": LedgerTotal(rho="0.5", epsilon=2.5)})
    promise = " ".join(summary_of(certificate, by_id=False).promise)
    assert f"private table of {N:,} rows" in promise
    assert (
        f"it is at most {up(math.exp(2.5), 3)} times as likely as with other data in the place of the protected ones "
        "(ε = 2.5)" in promise
    )
    assert "δ = 2.5e-5" in promise
    assert odds(14) == "more than a million"


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (0.5, "it would have been nearly as likely with other data in the place of the protected ones: at most 1.65"),
        (0.7, "it is at most 2.02 times as likely as with other data"),  # e^0.7 = 2.0138
        (3.0, "it is at most 20.1 times as likely as with other data"),
        (14.0, "it may be more than a million times as likely as with other data"),
    ],
)
def test_nearly_as_likely_is_said_only_of_odds_below_two(made: Made, epsilon: float, said: str) -> None:
    certificate = made.bundle.certificate.model_copy(update={"budget": LedgerTotal(rho="0.5", epsilon=epsilon)})
    promise = " ".join(summary_of(certificate, by_id=False).promise)
    assert said in promise
    assert ("nearly" in promise) == (epsilon == 0.5)


def test_what_was_spent_is_percent_of_the_grant_and_is_called_accounting(made: Made) -> None:
    grant, total = LedgerTotal(rho="0.5", epsilon=2.5), LedgerTotal(rho="0.1", epsilon=0.9)
    certificate = made.bundle.certificate.model_copy(update={"budget": grant, "ledger_total": total, "rho": "0.0333"})
    spent = summary_of(certificate, by_id=False).spent
    # 0.0333 / 0.5 = 6.66 %; 0.1 / 0.5 = 20 %.
    assert spent.startswith("This release took 6.66 % of the grant; 20 % were taken with it.")
    assert "accounting, not the promise" in spent


def test_a_release_that_costs_little_is_not_said_to_have_cost_nothing(made: Made) -> None:
    """Of a grant of 1, 0.0002 with it are 0.02 %, and 0.00015 before it are 0.015 %, which is also shown as 0.02 %."""
    grant, total = LedgerTotal(rho="1", epsilon=2.5), LedgerTotal(rho="0.0002", epsilon=0.9)
    certificate = made.bundle.certificate.model_copy(update={"budget": grant, "ledger_total": total, "rho": "0.00005"})
    spent = summary_of(certificate, by_id=False).spent
    assert spent.startswith("This release took 0.01 % of the grant; 0.02 % were taken with it.")


def test_nothing_known_is_said_so_and_the_noise_stands_in_its_place(made: Made) -> None:
    found = summary_of(made.bundle.certificate, by_id=False)
    assert found.errors == (
        "Largest error: not known, for it was neither simulated nor bought.",
        CRITERIA,
    )
    assert "before its error is known" in found.cautions[0]
    assert found.figure == ""


def test_bought_numbers_go_before_expected_ones(made: Made) -> None:
    expected = Expectation(0.04, 0.02, 0.06, 0.1, "b.csv")
    error, floor = (NoisyInterval(value, value - 0.01, value + 0.01, 0.95, "1/20") for value in (0.03, 0.012))
    found = summary_of(
        made.bundle.certificate, by_id=False, expectation=expected, bought=[BoughtError("floor", floor)], error=error
    )
    queries = made.bundle.certificate.queries
    assert found.errors == (
        "Largest error: about 3 % of the rows (2 % to 4 %, 95 % sure). It was bought: measured on the private table, "
        "with noise.",
        f"That is the error of the worst of all {queries:,} questions of the workload; most are answered better.",
        "Before it was bought, about 4 % was expected of it, by simulations.",
        "The public table unchanged, which is free: about 10 %, by the same simulations.",
        "Bought of the public table: floor 1.2 % (0.2 % to 2.2 %, 95 % sure): what would remain of its largest error "
        "if it were reweighted perfectly, at any ε.",
        CRITERIA,
    )
    accepted = summary_of(made.bundle.certificate, by_id=False, accepted=["Passed: the share."])
    assert accepted.errors[-2:] == (CRITERIA, "Passed: the share.")
    assert "below 4 % of the rows, about 8 rows" in found.cautions[0]
    without = summary_of(made.bundle.certificate, by_id=False, expectation=expected)
    assert without.errors[0] == (
        "Expected largest error: about 4 % of the rows (2 % to 6 %), by simulations in which b.csv played the private "
        "table. It was not bought."
    )
    assert "Before it was bought" not in " ".join(without.errors), "nothing was"
    sold = "A noisy largest error of 2.01 points, ± 2.5 (95 %) was bought for the acceptance."
    words = summary_of(made.bundle.certificate, by_id=False, expectation=expected, accepted_largest=sold).errors
    assert words[0].endswith(f"by simulations in which b.csv played the private table. {sold}")
    assert summary_of(made.bundle.certificate, by_id=False, accepted_largest=sold).errors[0] == sold
    other = replace(expected, remark="That is said of another release.")
    assert other.remark in summary_of(made.bundle.certificate, by_id=False, expectation=other).errors


def test_rows_that_rules_exclude_are_no_counts(made: Made) -> None:
    assert not any("exclude" in words for words in summary_of(made.bundle.certificate, by_id=False).cautions)
    rule = StatedRule(rule="a = b", reason="", public_rows_left_out=0)
    for rules, words in (
        ((rule,), "the 1 rule of the schema excludes"),
        ((rule,) * 3, "the 3 rules of the schema excl"),
    ):
        ruled = made.bundle.certificate.model_copy(update={"rules": rules})
        (said,) = [one for one in summary_of(ruled, by_id=False).cautions if "exclude" in one]
        assert words in said
        assert said.endswith("have 0 rows here, whatever the private table has.")


def test_delta_has_three_digits_rounded_up(made: Made) -> None:
    certificate = made.bundle.certificate.model_copy(update={"delta": 1.112e-7})
    assert "δ = 1.12e-7." in " ".join(summary_of(certificate, by_id=False).promise)


def test_it_says_who_may_not_be_looked_for_and_how_many_columns_may_be_asked_about(made: Made) -> None:
    cautions = " ".join(summary_of(made.bundle.certificate, by_id=False).cautions)
    k = made.bundle.certificate.workload.k
    assert f"Do not ask about more than {k} column" in cautions
    assert "Do not look for single people" in cautions
    assert "as if these rows were a sample" in cautions
