"""A pool with learnt weights through the one way to buy: its plan, charge, certificate, check, rebuild and words."""

from __future__ import annotations

import json
import re
from statistics import median
from typing import TYPE_CHECKING

import buying
import numpy as np
import pytest
from pydantic import ValidationError

from pmwpub.errors import CertificateError, OverlapUndecided, PlanError
from pmwpub.mechanisms.table_fit.pool_weights import PARTS
from pmwpub.plans import WeightedPoolPlan, release_plan_of
from pmwpub.release.bundle import CERTIFICATE, INTERVALS, REPORT, SYNTHETIC, TABLES, WEIGHTS, Bundle
from pmwpub.release.certificates.certificate_reading import read_certificate
from pmwpub.release.certificates.table_certificate import PoolCertificate
from pmwpub.release.checking import check, require
from pmwpub.release.rebuilding import rebuilt
from pmwpub.service import Released, quality_report
from pmwpub.service import purchases as spending
from pmwpub.service.bought import releases
from pmwpub.service.choosing.outlook import outlook
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.purchases import purchase_of
from pmwpub.ui.wording.pool_words import contribution_words

if TYPE_CHECKING:
    from conftest import Bench


def planned(bench: Bench, *, candidates: list[str] | None = None, epsilon: str = "1") -> WeightedPoolPlan:
    current = study_store.study(bench.service, bench.name)
    return releases.weighted_pool_plan(
        bench.service, current, bench.candidates if candidates is None else candidates, epsilon=epsilon
    )


def run(bench: Bench, *, epsilon: str = "1") -> Released:
    """A pool of all public tables of the bench, released and read back."""
    outcome = buying.buy(bench.service, bench.private, planned(bench, epsilon=epsilon))
    return releases.released(bench.service, study_store.study(bench.service, bench.name), outcome.booking)


def bundle_of(found: Released) -> Bundle:
    assert found.bundle is not None
    return found.bundle


def publics(bench: Bench) -> list[bytes]:
    return [stored_tables.content(bench.service, bench.name, sha256) for sha256 in bench.candidates]


def test_the_order_of_the_public_tables_changes_no_plan_and_its_text_reads_back(bench: Bench) -> None:
    plan, turned = planned(bench), planned(bench, candidates=bench.candidates[::-1])
    assert plan.sha256 == turned.sha256
    assert release_plan_of(plan.canonical) == plan
    assert plan.kind == "table-fit-pool"
    other = releases.table_fit_plan(
        bench.service, study_store.study(bench.service, bench.name), bench.candidates, epsilon="1"
    )
    assert other.sha256 != plan.sha256
    assert other.rho_units == plan.rho_units


def test_one_public_table_is_no_pool(bench: Bench) -> None:
    with pytest.raises((PlanError, ValidationError), match="two to 8 public tables"):
        planned(bench, candidates=bench.candidates[:1])


def test_it_costs_its_budget_once_however_many_tables_take_part(bench: Bench) -> None:
    plan = planned(bench, epsilon="0.7")
    (charge,) = purchase_of(plan).charges(study_store.study(bench.service, bench.name))
    assert charge.rho == plan.budget
    assert purchase_of(plan).task == "table-fit-pool"
    assert purchase_of(plan).public_tables == set(bench.candidates)
    before = bench.service.ledger.balance(bench.name).spent
    buying.buy(bench.service, bench.private, plan)
    assert bench.service.ledger.balance(bench.name).spent == before + plan.budget


def test_its_certificate_states_every_part_passes_its_check_and_is_rebuilt_byte_for_byte(bench: Bench) -> None:
    bundle = bundle_of(run(bench))
    files = bundle.files(rows=40)
    require(check(files))
    certificate = read_certificate(files[CERTIFICATE])
    assert isinstance(certificate, PoolCertificate)
    assert certificate.pool_parts is not None
    assert sum(certificate.pool_parts) == PARTS
    assert [one.sha256 for one in certificate.candidate] == sorted(bench.candidates)
    made = rebuilt(certificate, files["schema.json"], publics(bench)[::-1], files[TABLES])
    assert set(made) == {WEIGHTS, INTERVALS, SYNTHETIC}
    assert all(files[name] == body for name, body in made.items())


def test_numbers_of_public_rows_can_be_drawn_from_a_pool_too_and_are_rebuilt(bench: Bench) -> None:
    bundle = bundle_of(run(bench))
    files = bundle.files(rows=40, cells="public-values")
    require(check(files))
    made = rebuilt(read_certificate(files[CERTIFICATE]), files["schema.json"], publics(bench), files[TABLES])
    assert all(files[name] == body for name, body in made.items())


@pytest.mark.parametrize(
    "edit",
    [
        lambda body: body.update(pool_parts=[PARTS]),
        lambda body: body.update(pool_parts=[PARTS, 1]),
        lambda body: body.update(pool_parts=None),
        lambda body: body.pop("pool_parts"),
        lambda body: body.update(mechanism=body["mechanism"].partition(";")[0]),
        lambda body: body["plan"]["learning"].update(least_gain=0.0),
        lambda body: body["candidate"].reverse(),
    ],
)
def test_an_edited_certificate_of_a_pool_does_not_hold(bench: Bench, edit: object) -> None:
    files = bundle_of(run(bench, epsilon="0.3")).files(rows=20)
    body = json.loads(files[CERTIFICATE])
    edit(body)  # type: ignore[operator]
    with pytest.raises(CertificateError):
        require(check(files | {CERTIFICATE: json.dumps(body).encode()}))


def test_other_parts_are_not_rebuilt_to_the_same_weights(bench: Bench) -> None:
    """The parts stand in the certificate, and its weights follow from them: a mixture in place of what was chosen."""
    files = bundle_of(run(bench, epsilon="0.3")).files(rows=20)
    body = json.loads(files[CERTIFICATE])
    others = [PARTS // 2, PARTS - PARTS // 2] + [0] * (len(bench.candidates) - 2)
    assert body["pool_parts"] != others
    body["pool_parts"] = others
    made = rebuilt(read_certificate(json.dumps(body).encode()), files["schema.json"], publics(bench), files[TABLES])
    assert made[WEIGHTS] != files[WEIGHTS]
    del body["pool_parts"]
    with pytest.raises(CertificateError):
        rebuilt(read_certificate(json.dumps(body).encode()), files["schema.json"], publics(bench), files[TABLES])


def test_the_report_says_in_words_what_each_table_contributed(bench: Bench) -> None:
    bundle = bundle_of(run(bench))
    page = bundle.parts[REPORT].decode()
    certificate = bundle.certificate
    assert isinstance(certificate, PoolCertificate)
    said = {name: float(share) for name, share in re.findall(r"<bdi>([^<]*)</bdi> contributed ([0-9.]+) %", page)}
    assert said == {name: part / 10 for name, part in certificate.contributions}
    assert "which of them is best was not asked beforehand" in page


def test_the_same_pool_again_gives_the_stored_bytes(bench: Bench) -> None:
    first = run(bench, epsilon="0.3")
    spent = bench.service.ledger.balance(bench.name).spent
    assert run(bench, epsilon="0.3").outcome.result == first.outcome.result
    assert bench.service.ledger.balance(bench.name).spent == spent
    current = study_store.study(bench.service, bench.name)
    assert [one.plan.kind for one in releases.releases(bench.service, current)] == ["table-fit-pool"]


def test_every_table_of_a_pool_needs_the_steward_s_tick(bench: Bench) -> None:
    spent = bench.service.ledger.balance(bench.name).spent
    with pytest.raises(OverlapUndecided):
        spending.buy(bench.service, bench.private, [purchase_of(planned(bench))], tick=False)
    assert bench.service.ledger.balance(bench.name).spent == spent


def test_its_quality_stands_beside_the_mixture_that_was_chosen(bench: Bench) -> None:
    """The public shares of a column, by hand from the parts."""
    found = run(bench)
    current = study_store.study(bench.service, bench.name)
    quality = quality_report.quality_of(bench.service, current, found)
    certificate = bundle_of(found).certificate
    assert isinstance(certificate, PoolCertificate)
    tables = [current.support([one.sha256]) for one in certificate.candidate]
    sizes = current.workload().domain.shape
    alone = [np.bincount(one.columns[0], one.multiplicity, sizes[0]) / one.rows for one in tables]
    expected = sum(part / PARTS * shares for part, shares in zip(certificate.pool_parts or (), alone, strict=True))
    public = np.bincount(quality.released.support.columns[0], quality.public, sizes[0]) / quality.public.sum()
    assert public == pytest.approx(expected, abs=1e-6)
    distances = quality_report.compared(bench.service, quality, 2).distance
    assert ((distances >= 0) & (distances <= 1)).all()


def test_before_it_is_bought_its_noise_is_said_and_no_expectation_of_one_table_alone(bench: Bench) -> None:
    current, plan = study_store.study(bench.service, bench.name), planned(bench)
    seen = outlook(bench.service, current, plan)
    certificate = bundle_of(run(bench)).certificate
    assert isinstance(certificate, PoolCertificate)
    assert seen.noise_rows == pytest.approx(1.959964 * median(certificate.sigmas), rel=1e-6)
    assert (seen.expected, seen.gains) == (None, None)


def test_what_each_table_contributed_is_said_in_words() -> None:
    assert (
        contribution_words([("b.csv", 0.711), ("c.csv", 0.289)])
        == "**b\\.csv** contributed 71.1 %, **c\\.csv** 28.9 %."
    )
    alone = contribution_words([("b.csv", 1.0), ("c.csv", 0.0)])
    assert alone.startswith("**b\\.csv** contributed 100 %")
    assert "c\\.csv" in alone
