"""A release by table fit through the one way to buy: its charge, its files, its check, its rebuild."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import buying
import numpy as np
import pytest

from pmwpub.errors import BudgetError, CertificateError, DomainError, Overspent, PlanError
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CellIntervals
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_reweighting import Reweighting
from pmwpub.plans import WorkloadChoice, release_plans
from pmwpub.privacy.budget import ZCDP
from pmwpub.records import Distribution
from pmwpub.release import rebuild, rebuilding
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import (
    CERTIFICATE,
    INTERVALS,
    MEASUREMENTS,
    REBUILD,
    REPORT,
    SYNTHETIC,
    TABLES,
    WEIGHTS,
    Bundle,
)
from pmwpub.release.certificates.certificate_reading import read_certificate
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.release.checking import check, require
from pmwpub.release.measured.tables_csv import read_tables
from pmwpub.release.rebuilding import TOLERANCE, rebuilt
from pmwpub.service import Released, quality_report
from pmwpub.service.bought import release_errors, releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.purchases import purchase_of
from pmwpub.tabular.coding.decode import read_weights

if TYPE_CHECKING:
    from conftest import Bench


def run(
    bench: Bench,
    *,
    candidates: list[str] | None = None,
    epsilon: str = "1",
    repeat: int = 0,
    grow: bool = False,
    three_way: bool = False,
) -> Released:
    """A release by table fit of the bench's population, read back."""
    current = study_store.study(bench.service, bench.name)
    plan = releases.table_fit_plan(
        bench.service, current, candidates or bench.candidates[:1], epsilon=epsilon, grow=grow, three_way=three_way
    )
    outcome = buying.buy(bench.service, bench.private, plan, repeat=repeat)
    return releases.released(bench.service, current, outcome.booking)


def bundle_of(found: Released) -> Bundle:
    assert found.bundle is not None
    return found.bundle


def certificate_of(bundle: Bundle) -> TableCertificate:
    assert isinstance(bundle.certificate, TableCertificate)
    return bundle.certificate


def publics(bench: Bench, candidates: list[str]) -> list[bytes]:
    return [stored_tables.content(bench.service, bench.name, sha256) for sha256 in candidates]


def test_the_whole_budget_of_the_plan_is_charged_and_covers_the_noise_of_every_table(bench: Bench) -> None:
    before = bench.service.ledger.balance(bench.name).spent
    found = run(bench)
    certificate = certificate_of(bundle_of(found))
    spent = bench.service.ledger.balance(bench.name).spent - before
    assert spent == found.plan.budget
    assert Fraction(certificate.rho) == spent.rho
    k = certificate.rows_per_person
    noise = sum(Fraction(k * k) / Fraction(table.scale) ** 2 for table in certificate.tables)
    assert noise <= spent.rho < noise * (1 + Fraction(1, 10**6))


def test_a_charged_release_is_not_lost_where_its_report_lacks_intervals(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise KeyError("a level")

    with monkeypatch.context() as patch:
        patch.setattr(CellIntervals, "__init__", failing)
        found = run(bench)
    assert found.outcome.status == "done"
    require(check(bundle_of(found).files(rows=40)))


@pytest.mark.parametrize("pool", [1, 2])
def test_a_release_passes_its_own_check_and_is_rebuilt_byte_for_byte(bench: Bench, pool: int) -> None:
    chosen = bench.candidates[:pool]
    bundle = bundle_of(run(bench, candidates=chosen))
    files = bundle.files(rows=40)
    assert TABLES in files
    assert MEASUREMENTS not in files
    require(check(files))
    certificate = bundle.stated(files, rows=40)
    made = rebuilt(certificate, files["schema.json"], publics(bench, chosen), files[TABLES])
    assert set(made) == {WEIGHTS, INTERVALS, SYNTHETIC}
    assert all(files[name] == body for name, body in made.items())


def test_the_script_in_the_bundle_rebuilds_it_from_its_folder(bench: Bench, tmp_path: Path) -> None:
    bundle = bundle_of(run(bench))
    for name, body in bundle.files(rows=30).items():
        (tmp_path / name).write_bytes(body)
    (tmp_path / "public.csv").write_bytes(publics(bench, bench.candidates[:1])[0])
    command = [sys.executable, str(tmp_path / REBUILD), str(tmp_path / "public.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["weights.csv: agrees", "intervals.json: agrees", "synthetic.csv: agrees"]


def test_tables_csv_has_every_cell_as_an_unclamped_whole_count(bench: Bench) -> None:
    bundle = bundle_of(run(bench, epsilon="0.02"))
    certificate = certificate_of(bundle)
    workload = certificate.workload.build(bundle.schema.domain)
    tables = measured_tables(workload)
    noisy = read_tables(bundle.parts[TABLES], certificate, tables)
    lines = list(csv.reader(io.StringIO(bundle.parts[TABLES].decode())))
    assert lines[0] == ["table", "columns", "levels", "noisy_count", "sigma"]
    assert [int(line[3]) for line in lines[1:]] == noisy.tolist()
    assert len(noisy) == tables.queries
    twice = certificate.model_copy(update={"tables": (*certificate.tables, certificate.tables[-1])})
    with pytest.raises(CertificateError, match="does not list the tables"):
        read_tables(bundle.parts[TABLES], twice, tables)
    assert noisy.min() < 0, "at so small an epsilon some cell of a small count is below zero, and stays so"
    body = bundle.parts[TABLES].replace(b",%d," % noisy[3], b",%d," % (noisy[3] + 1), 1)
    assert body != bundle.parts[TABLES]
    with pytest.raises(CertificateError):
        rebuilt(certificate, bundle.parts["schema.json"], publics(bench, bench.candidates[:1]), body)


def test_the_same_plan_again_gives_the_stored_bytes_and_another_draw_other_noise_at_its_own_charge(
    bench: Bench,
) -> None:
    first = run(bench, epsilon="0.3")
    spent = bench.service.ledger.balance(bench.name).spent
    again = run(bench, epsilon="0.3")
    assert bench.service.ledger.balance(bench.name).spent == spent
    assert again.outcome.result == first.outcome.result
    second = run(bench, epsilon="0.3", repeat=1)
    assert bench.service.ledger.balance(bench.name).spent == spent + first.plan.budget
    assert bundle_of(second).parts[TABLES] != bundle_of(first).parts[TABLES]


def test_both_engines_stand_in_the_list_of_releases_and_either_sells_its_noisy_error(bench: Bench) -> None:
    found = run(bench, epsilon="0.3")
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="0.3", rounds=2)
    buying.buy(bench.service, bench.private, plan)
    assert [one.plan.kind for one in releases.releases(bench.service, current)] == ["table-fit", "release"]
    key = found.outcome.booking.key
    error = release_errors.error_plan(bench.service, bench.name, key, epsilon="0.2")
    buying.buy(bench.service, bench.private, error)
    (measured,) = release_errors.measured_errors(bench.service, bench.name, key)
    assert measured.error is not None


@pytest.mark.parametrize(
    "edit",
    [
        lambda body: body.update(epsilon=body["epsilon"] / 2),
        lambda body: body["tables"][0].update(scale="1/7"),
        lambda body: body["tables"].pop(),
        lambda body: body.update(complete=not body["complete"]),
        lambda body: body["chosen"].update(moved=["nobody"]),
        lambda body: body.update(chosen=None),
        lambda body: body["chosen"].update(sweeps=[body["chosen"]["sweeps"][0], 9999, 9999]),
        lambda body: body["chosen"].update(moved=[], sweeps=[1, 15, 25]),
        lambda body: body["chosen"].update(lacking=["sex", "sex"]),
        lambda body: body.update(mechanism="PMW^Pub"),
        lambda body: body["plan"].update(rho_units=body["plan"]["rho_units"] * 2),
        lambda body: body.update(rho="0.000000000000001"),
        lambda body: body["files"].pop(TABLES),
    ],
)
def test_an_edited_certificate_does_not_hold(bench: Bench, edit: object) -> None:
    files = bundle_of(run(bench, epsilon="0.3")).files(rows=20)
    body = json.loads(files[CERTIFICATE])
    edit(body)  # type: ignore[operator]
    with pytest.raises(CertificateError):
        require(check(files | {CERTIFICATE: json.dumps(body).encode()}))


def test_a_budget_that_the_tables_cannot_share_or_the_population_lacks_is_refused_uncharged(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    spent = bench.service.ledger.balance(bench.name).spent
    small = releases.table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="1").model_copy(
        update={"rho_units": 3}
    )
    with pytest.raises(BudgetError):
        buying.buy(bench.service, bench.private, small)
    large = releases.table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="900")
    with pytest.raises(Overspent):
        buying.buy(bench.service, bench.private, large)
    assert bench.service.ledger.balance(bench.name).spent == spent


def test_more_cells_than_can_be_measured_are_refused_uncharged(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_plans, "MOST_CELLS", 10)
    spent = bench.service.ledger.balance(bench.name).spent
    with pytest.raises(PlanError, match="at most 10 cells"):
        run(bench)
    assert bench.service.ledger.balance(bench.name).spent == spent


def test_the_charge_depends_on_the_plan_alone(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = releases.table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="0.7")
    (charge,) = purchase_of(plan).charges(current)
    assert charge.rho == ZCDP(plan.rho_units)


def test_the_report_names_the_tables_and_no_round(bench: Bench) -> None:
    page = bundle_of(run(bench)).parts[REPORT].decode()
    assert "Noisy tables" in page
    assert "tables.csv" in page
    assert "rounds it picks" not in page
    assert "measurements.csv" not in page


def test_the_weights_answer_the_private_table_better_than_the_public_one_does(bench: Bench) -> None:
    """At a large epsilon the fit follows the tables as far as the support lets it."""
    far = bench.candidates[1:2]  # three in ten are women here, and half of the people
    bundle = bundle_of(run(bench, candidates=far, epsilon="3.9"))
    certificate, released = certificate_of(bundle), bundle.distribution()
    tables = measured_tables(certificate.workload.build(bundle.schema.domain))
    noisy = read_tables(bundle.parts[TABLES], certificate, tables)[: tables.offsets[1]] / certificate.n
    name = bundle.schema.domain.attributes[tables.marginals[0].attributes[0]].name
    support = study_store.study(bench.service, bench.name).support(far)
    public = np.bincount(support.columns[tables.marginals[0].attributes[0]], support.multiplicity) / support.rows
    after = np.abs(released.one_way(name) - noisy).max()
    assert after < np.abs(public - noisy).max()


def test_the_folder_of_a_release_names_it_for_its_noisy_error(bench: Bench, tmp_path: Path) -> None:
    found = run(bench, epsilon="0.3")
    for name, body in bundle_of(found).files(rows=10).items():
        (tmp_path / name).write_bytes(body)
    assert release_errors.named_release(str(tmp_path)) == found.outcome.booking.key


@pytest.mark.parametrize("failure", [ZeroDivisionError, ValueError, DomainError])
def test_noisy_counts_from_which_no_weights_follow_are_refused_in_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    """Where the fit breaks down on edited counts, the script says so and ends with status 2."""
    files = bundle_of(run(bench, epsilon="0.3")).files(rows=10)

    def broken(*_: object) -> None:
        raise failure("on the way")

    monkeypatch.setattr(rebuilding, "refit", broken)
    certificate = read_certificate(files[CERTIFICATE])
    with pytest.raises(CertificateError, match="No weights follow"):
        rebuilt(certificate, files["schema.json"], publics(bench, bench.candidates[:1]), files[TABLES])


def test_rows_are_added_for_people_of_whom_the_public_table_has_none(bench: Bench) -> None:
    lacking = bench.candidates[2:]  # a third of the people are smiths; here nobody is
    found = run(bench, candidates=lacking, epsilon="3.5", grow=True)
    bundle = bundle_of(found)
    certificate = certificate_of(bundle)
    assert certificate.adds_rows
    assert {one.levels[one.columns.index("job")] for one in certificate.chosen.grown} == {"smith"}  # type: ignore[union-attr]
    released = bundle.distribution()
    smiths = released.one_way("job")[bundle.schema.domain.attributes[2].levels.index("smith")]
    assert 0.2 < smiths < 0.5
    files = bundle.files(rows=300)
    assert b"smith" in files[SYNTHETIC]
    require(check(files))
    made = rebuilt(bundle.stated(files, rows=300), files["schema.json"], publics(bench, lacking), files[TABLES])
    assert all(files[name] == body for name, body in made.items())
    report = files[REPORT].decode()
    assert "Rows were added to the public table" in report
    assert "no floor of this release" in report
    assert "cannot occur" in report
    answers = {tuple(one.levels.values()): one for one in ReleaseAnswers(bundle).marginal(["sex", "job"])}
    assert 0.05 < answers["F", "smith"].share < 0.35
    assert answers["F", "smith"].low < answers["F", "smith"].share < answers["F", "smith"].high
    seen = quality_report.quality_of(bench.service, study_store.study(bench.service, bench.name), found)
    added = seen.public == 0
    assert added.any()
    assert seen.public.sum() == 100
    shares = quality_report.compared(bench.service, seen, 1)
    assert shares.public.sum() == pytest.approx(3.0)
    assert shares.cells(2, shares.public)[bundle.schema.domain.attributes[2].levels.index("smith")] == 0.0


def test_a_plan_that_may_add_rows_but_adds_none_says_so_and_another_plan_has_no_word_of_it(bench: Bench) -> None:
    grows, plain = (run(bench, epsilon="0.5", grow=grow) for grow in (True, False))
    body, other = (json.loads(bundle_of(one).parts[CERTIFICATE]) for one in (grows, plain))
    assert body["chosen"]["grown"] == []
    assert set(body["plan"]) - set(other["plan"]) == {"growth"}
    assert "grown" not in other["chosen"]
    assert "They showed none" in bundle_of(grows).parts[REPORT].decode()
    assert "ould have been added" not in bundle_of(plain).parts[REPORT].decode()
    require(check(bundle_of(grows).files(rows=20)))


def test_tables_of_three_columns_are_bought_checked_answered_and_made_again(bench: Bench) -> None:
    with pytest.raises(PlanError, match="has three columns"):
        run(bench, epsilon="0.5", three_way=True)
    study_store.choose_workload(bench.service, bench.name, WorkloadChoice(k=3))
    bench.private = study_store.load_private(bench.service, bench.name, bench.private_csv)
    three, plain = (run(bench, epsilon="0.5", three_way=three_way) for three_way in (True, False))
    bundle, body = bundle_of(three), json.loads(bundle_of(three).parts[CERTIFICATE])
    assert set(body["plan"]) - set(json.loads(bundle_of(plain).parts[CERTIFICATE])["plan"]) == {"three_way_share"}
    assert three.plan.budget == plain.plan.budget
    assert body["mechanism"].count("3-way") == 1
    assert {len(table["columns"]) for table in body["tables"]} == {1, 2, 3}
    files = bundle.files(rows=300)
    require(check(files))
    public = publics(bench, bench.candidates[:1])
    made = rebuilt(bundle.stated(files, rows=300), files["schema.json"], public, files[TABLES])
    assert all(files[name] == content for name, content in made.items())
    columns = next(table["columns"] for table in body["tables"] if len(table["columns"]) == 3)
    answers = ReleaseAnswers(bundle).marginal(columns)
    assert all(one.low <= one.share <= one.high for one in answers)
    for key, wrong in (("mechanism", body["mechanism"].replace(", 2-way and 3-way", " and 2-way")), ("tables", None)):
        edited = {**body, key: [one for one in body[key] if len(one["columns"]) < 3] if wrong is None else wrong}
        with pytest.raises(CertificateError):
            require(check(files | {CERTIFICATE: json.dumps(edited).encode()}))


@pytest.mark.parametrize(
    "edit",
    [
        lambda chosen: chosen.pop("grown"),
        lambda chosen: chosen["grown"][0].update(weight=0),
        lambda chosen: chosen["grown"][0].update(levels=["F", "nobody"]),
        lambda chosen: chosen["grown"][0].update(columns=["sex", "sex"]),
        lambda chosen: chosen["grown"].extend(chosen["grown"] * 60),
        lambda chosen: chosen["grown"].pop(),
    ],
)
def test_edited_words_on_added_rows_do_not_hold(bench: Bench, edit: Callable[..., object]) -> None:
    lacking = bench.candidates[2:]
    files = bundle_of(run(bench, candidates=lacking, epsilon="3.5", grow=True)).files(rows=20)
    body = json.loads(files[CERTIFICATE])
    edit(body["chosen"])
    content = json.dumps(body, indent=1).encode()
    try:
        certificate = read_certificate(content)
        made = rebuilt(certificate, files["schema.json"], publics(bench, lacking), files[TABLES])
    except CertificateError:
        return
    assert made[WEIGHTS] != files[WEIGHTS]


def shifted(distribution: Distribution, apart: float) -> Distribution:
    """The distribution with `apart` of its mass moved between two halves of its atoms, each in proportion."""
    weights = distribution.weights.copy()
    half = np.arange(len(weights)) % 2 == 0
    weights[half] *= 1 - apart / weights[half].sum()
    weights[~half] *= 1 + apart / weights[~half].sum()
    return Distribution(distribution.support, weights)


@pytest.mark.parametrize(("times", "status", "verdict"), [(0.9, 0, "agrees within rounding"), (1.1, 1, "DIFFERS")])
def test_weights_agree_within_the_stated_tolerance_of_other_versions_and_no_further(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    times: float,
    status: int,
    verdict: str,
) -> None:
    for name, body in bundle_of(run(bench)).files(rows=2_000).items():
        (tmp_path / name).write_bytes(body)
    (tmp_path / "public.csv").write_bytes(publics(bench, bench.candidates[:1])[0])
    right = rebuilding.refit
    monkeypatch.setattr(rebuilding, "refit", lambda *given: shifted(right(*given), times * TOLERANCE))
    assert rebuild.main([str(tmp_path / "public.csv"), "--from", str(tmp_path)]) == status
    weights, strengths, rows = capsys.readouterr().out.splitlines()
    assert weights.startswith(f"weights.csv: {verdict}")
    assert strengths.startswith("intervals.json: agrees")
    assert status or rows == "synthetic.csv: agrees", "rows are drawn from the released weights"


def test_arithmetic_that_rounds_otherwise_moves_weights_by_far_less_than_the_tolerance(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundle_of(run(bench))
    certificate, released = certificate_of(bundle), bundle.distribution()
    right, rng = Reweighting.fit, np.random.default_rng(3)

    def rounded(self: Reweighting, prior: np.ndarray, answers: np.ndarray, *rest: object, **more: object) -> object:
        other = [1 + 1e-12 * rng.standard_normal(len(part)) for part in (prior, answers)]
        return right(self, prior * other[0], answers * other[1], *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Reweighting, "fit", rounded)
    made = rebuilt(certificate, bundle.parts["schema.json"], publics(bench, bench.candidates[:1]), bundle.parts[TABLES])
    assert made[WEIGHTS] != bundle.weights
    again = read_weights(made[WEIGHTS], bundle.schema)
    assert np.abs(again.weights - released.weights).sum() / 2 < TOLERANCE / 1_000


def test_edited_strengths_of_intervals_are_seen_by_the_rebuild(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = bundle_of(run(bench)).files(rows=30)
    stated = json.loads(files[INTERVALS])
    files[INTERVALS] = json.dumps(stated | {"pair_strength": 1.01 * stated["pair_strength"]}).encode()
    certificate = certificate_of(bundle_of(run(bench)))
    files[CERTIFICATE] = certificate.with_files({INTERVALS: files[INTERVALS]}).to_bytes()
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    (tmp_path / "public.csv").write_bytes(publics(bench, bench.candidates[:1])[0])
    assert rebuild.main([str(tmp_path / "public.csv"), "--from", str(tmp_path)]) == 1
    assert "intervals.json: DIFFERS" in capsys.readouterr().out
    assert rebuilding.near_strengths(
        json.dumps(stated).encode(), json.dumps(stated | {"pair_strength": 1.0005 * stated["pair_strength"]}).encode()
    )
