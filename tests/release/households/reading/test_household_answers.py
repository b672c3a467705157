"""What a release of households answers, by hand, and from its own files alone."""

from __future__ import annotations

import hashlib
import inspect
import json
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from support.commands import Commands
from support.households import csv_of, homes

import pmwpub
from pmwpub.errors import CertificateError, PmwPubError, WorkloadError
from pmwpub.release.answers import marginal_answers
from pmwpub.release.answers.marginal_answers import check_answered
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_checks import household_files_in
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_cells import HouseholdNumber
from pmwpub.release.households.reading.household_folder import household_bundle_in, household_bundle_of

N = 60
PRIVATE = homes(N, 1, owning=0.8)
PERSONS = [person.split(",") for home in PRIVATE for person in home]


def contains(number: HouseholdNumber, true: float) -> bool:
    assert number.low is not None
    assert number.high is not None
    return number.low <= true <= number.high


def test_without_noise_every_answer_is_the_true_one(without_noise: HouseholdBundle) -> None:
    answers = HouseholdAnswers(without_noise)
    assert answers.persons().value == pytest.approx(len(PERSONS))
    assert answers.mean_size().value == pytest.approx(len(PERSONS) / N)
    old = [cell for cell in answers.marginal(["age", "sex"]) if cell.levels == {"age": "old", "sex": "f"}]
    true = sum(age == "old" and sex == "f" for _, age, sex in PERSONS)
    assert len(old) == 1
    assert old[0].share.value == pytest.approx(true / len(PERSONS))
    assert old[0].per_household is not None
    assert old[0].per_household.value == pytest.approx(true / N)
    sizes = answers.marginal(["household size"])
    assert [cell.share.value for cell in sizes] == pytest.approx(
        [sum(len(home) == size for home in PRIVATE) / N for size in range(1, 5)]
    )
    assert all(cell.per_household is None for cell in sizes)


def test_shares_within_and_differences_are_of_the_numbers_that_they_name(without_noise: HouseholdBundle) -> None:
    answers = HouseholdAnswers(without_noise)
    own = [person for person in PERSONS if person[0] == "own"]
    (child, *_) = answers.within(["age", "tenure"], ["tenure"])
    assert child.levels == {"tenure": "own", "age": "child"}
    assert child.share.value == pytest.approx(sum(age == "child" for _, age, _ in own) / len(own))
    owning = [home for home in PRIVATE if home[0].startswith("own")]
    alone = answers.within(["household size", "tenure"], ["tenure"])[0]
    assert alone.levels == {"household size": "1", "tenure": "own"}
    assert alone.share.value == pytest.approx(sum(len(home) == 1 for home in owning) / len(owning))
    less = answers.difference({"tenure": "own"}, {"tenure": "rent"}, "households")
    assert less.value == pytest.approx((2 * len(owning) - N) / N)
    of_persons = answers.difference({"tenure": "rent"}, {"tenure": "own"}, "persons")
    assert of_persons.value == pytest.approx((len(PERSONS) - 2 * len(own)) / len(PERSONS))


def test_intervals_have_the_width_of_the_noise_that_is_stated(without_noise: HouseholdBundle) -> None:
    """Per household it is (z sigma + 1/2)/n to either side; the sizes are four cells that sum to n."""
    answers = HouseholdAnswers(without_noise)
    cell = answers.marginal(["age"])[1].per_household
    assert cell is not None
    half = (1.959963984540054 * 2 + 0.5) / N
    assert (cell.low, cell.high) == pytest.approx((max(cell.value - half, 0), min(cell.value + half, 4)))
    share = answers.marginal(["household size"])[0].share
    half = (1.959963984540054 * 2 * (3 / 4) ** 0.5 + 0.5) / N
    assert (share.low, share.high) == pytest.approx((max(share.value - half, 0), min(share.value + half, 1)))
    assert contains(answers.persons(), len(PERSONS))


def test_noise_that_is_stated_wider_makes_every_interval_wider(without_noise: HouseholdBundle) -> None:
    wide = [one.model_copy(update={"scale": "4"}) for one in without_noise.certificate.tables]
    wider = replace(without_noise, certificate=without_noise.certificate.model_copy(update={"tables": tuple(wide)}))
    pairs = zip(HouseholdAnswers(without_noise).tables(), HouseholdAnswers(wider).tables(), strict=True)
    widths = [
        (one.share.high - one.share.low, two.share.high - two.share.low)  # type: ignore[operator]
        for (_, first), (_, second) in pairs
        for one, two in zip(first, second, strict=True)
    ]
    assert len(widths) == 23 + 28
    assert all(one < two for one, two in widths)


def test_a_share_of_what_noise_hides_may_be_anything(without_noise: HouseholdBundle) -> None:
    """60 households with a noise of 1,000: how many own their home is not known, so neither is what part of them."""
    loud = [one.model_copy(update={"scale": "1000"}) for one in without_noise.certificate.tables]
    hidden = replace(without_noise, certificate=without_noise.certificate.model_copy(update={"tables": tuple(loud)}))
    for cell in HouseholdAnswers(hidden).within(["household size", "tenure"], ["tenure"]):
        assert (cell.share.low, cell.share.high) == (0, 1)
        assert cell.share.value == cell.share.released


def test_what_was_not_measured_is_not_covered(bundle: HouseholdBundle) -> None:
    cells = HouseholdAnswers(bundle).marginal(["tenure", "age", "sex"], "persons")
    assert len(cells) == 12
    assert sum(cell.share.value for cell in cells) == pytest.approx(1)
    for cell in cells:
        assert (cell.share.low, cell.share.high) == (None, None)
        assert cell.line()["basis"] == "not covered"
        assert "not covered" in str(cell.line()["remark"])


def test_released_shares_are_those_of_the_files_weights(bundle: HouseholdBundle) -> None:
    answers, sizes = HouseholdAnswers(bundle), [len(one) for one in _members(bundle)]
    mean = sum(weight * size for weight, size in zip(bundle.weights, sizes, strict=True))
    assert answers.mean_size().released == pytest.approx(mean)
    alone = sum(weight for weight, size in zip(bundle.weights, sizes, strict=True) if size == 1)
    assert answers.marginal(["household size"])[0].share.released == pytest.approx(alone)
    children = sum(
        weight * sum(person[1] == 0 for person in members)
        for weight, members in zip(bundle.weights, _members(bundle), strict=True)
    )
    assert answers.marginal(["age"])[0].share.released == pytest.approx(children / mean)


def _members(bundle: HouseholdBundle) -> list[list[list[int]]]:
    codes, starts = bundle.atoms.persons.codes.tolist(), bundle.atoms.starts.tolist()
    return [codes[begin:end] for begin, end in pairwise(starts)]


@pytest.mark.parametrize(
    ("names", "of", "words"),
    [
        (["tenure"], None, "say whether persons are counted"),
        (["age"], "households", "no such table of households"),
        (["has a child"], "persons", "no such table of persons"),
        (["age", "household size"], None, "no such table"),
        (["colour"], None, "no such table"),
        ([], None, "one to 3 different columns"),
        (["age", "age"], None, "one to 3 different columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_words(
    bundle: HouseholdBundle, names: list[str], of: str, words: str
) -> None:
    with pytest.raises(WorkloadError, match=words):
        HouseholdAnswers(bundle).marginal(names, of)


@pytest.mark.parametrize(
    ("given", "words"), [([], "some of"), (["age"], "some of"), (["age", "sex"], "some of"), (["x"], "some of")]
)
def test_shares_are_within_some_of_the_columns(bundle: HouseholdBundle, given: list[str], words: str) -> None:
    names = ["age", "sex"] if given != ["age"] else ["age"]
    with pytest.raises(WorkloadError, match=words):
        HouseholdAnswers(bundle).within(names, given)


def test_a_difference_is_of_two_cells_of_one_marginal(bundle: HouseholdBundle) -> None:
    answers = HouseholdAnswers(bundle)
    for first, second in (({"age": "old"}, {"age": "old"}), ({"age": "old"}, {"sex": "f"})):
        with pytest.raises(WorkloadError, match="two different cells"):
            answers.difference(first, second)
    with pytest.raises(WorkloadError, match="no level"):
        answers.difference({"age": "old"}, {"age": "ancient"})


def test_answers_are_made_of_the_bundle_alone(town: Path, tmp_path: Path) -> None:
    """No argument is private, and a folder elsewhere, with neither table nor store, answers the same."""
    assert list(inspect.signature(HouseholdAnswers).parameters) == ["bundle"]
    assert list(inspect.signature(household_bundle_in).parameters) == ["folder"]
    shutil.copytree(town / "out", tmp_path / "out")
    own, there = Commands(town).run, Commands(tmp_path).run
    for asked in (("--marginal", "age"), ("--mean", "household size"), ("--marginal", "tenure", "--of", "persons")):
        assert own("answer", "--release", "out", *asked) == there("answer", "--release", "out", *asked)
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_a_file_that_is_not_the_certificate_s_is_not_answered_from(town: Path, tmp_path: Path) -> None:
    for name in ("tables.csv", "weights.csv", "weighted_persons.csv", "schema.json"):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        shutil.copytree(town / "out", tmp_path / "out")
        (tmp_path / "out" / name).write_bytes((town / "out" / name).read_bytes() + b"\n")
        with pytest.raises(CertificateError):
            household_bundle_in(tmp_path / "out")
        (tmp_path / "out" / name).unlink()
        with pytest.raises(CertificateError):
            household_bundle_in(tmp_path / "out")


def test_a_report_that_is_another_or_no_text_is_refused_in_words(town: Path) -> None:
    """Bytes that are no text, under a hash of before and under their own."""
    files = household_files_in(town / "out")
    body, stated = b"\xff" + files["report.html"], json.loads(files["certificate.json"])
    with pytest.raises(CertificateError, match=r"report\.html is not what the certificate names"):
        household_bundle_of(files | {"report.html": body})
    stated["files"]["report.html"] = hashlib.sha256(body).hexdigest()
    with pytest.raises(CertificateError, match="is no text"):
        household_bundle_of(files | {"report.html": body, "certificate.json": json.dumps(stated).encode()})


def test_a_marginal_that_would_fill_the_memory_is_refused_in_words(
    bundle: HouseholdBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three columns of 2,000 levels each are 8 * 10^9 cells, 60 GiB."""
    check_answered([2_000, 1_000])
    with pytest.raises(WorkloadError, match=r"8,000,000,000 cells; at most 2,000,000"):
        check_answered([2_000] * 3)
    monkeypatch.setattr(marginal_answers, "MOST_CELLS", 6)  # ages and sexes have as many
    answers = HouseholdAnswers(bundle)
    assert len(answers.marginal(["age", "sex"])) == 6
    for ask in (
        lambda: answers.marginal(["age", "sex", "tenure"], "persons"),
        lambda: answers.within(["age", "sex", "tenure"], ["tenure"], "persons"),
        lambda: answers.difference(dict.fromkeys(("age", "sex", "tenure"), "a"), {}, "persons"),
    ):
        with pytest.raises(WorkloadError, match="12 cells"):
            ask()


def test_the_command_answers_all_tables_into_a_file(town: Path) -> None:
    run = Commands(town).run
    said = run("answer", "--release", "out", "-o", "all.csv")
    lines = (town / "all.csv").read_text().splitlines()
    assert len(lines) == 1 + 23 + 28
    assert "not for a wider population" in said["covers"]
    one = run("answer", "--release", "out", "--marginal", "has a child", "-o", "one.csv")
    assert (one["of"], len(one["cells"])) == ("households", 2)
    assert len((town / "one.csv").read_text().splitlines()) == 3
    (town / "all.csv").unlink()
    (town / "one.csv").unlink()


def test_the_command_says_sizes_shares_within_and_differences(town: Path) -> None:
    run = Commands(town).run
    sizes = run("answer", "--release", "out", "--mean", "household size")
    assert sizes["persons"]["value"] == pytest.approx(N * sizes["number"]["value"], abs=1e-3)
    within = run("answer", "--release", "out", "--marginal", "age,sex", "--within", "sex")
    assert (within["within"], len(within["cells"])) == (["sex"], 6)
    assert "per_household" not in within["cells"][0]
    less = run("answer", "--release", "out", "--difference", "age=old", "age=child")
    assert -1 <= less["number"]["low"] <= less["number"]["high"] <= 1
    three = run("answer", "--release", "out", "--marginal", "tenure,age,sex")
    assert "No noisy table" in three["remark"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--range", "age=child..old"), "has no --range"),
        (("--cumulative", "age"), "has no --cumulative"),
        (("--quantile", "age"), "has no --quantile"),
        (("--mean", "age"), "The one mean"),
        (("--mean", "household size", "-o", "x.csv"), "not written"),
        (("--difference", "age=old", "age=child", "-o", "x.csv"), "into no file"),
    ],
)
def test_what_the_command_does_not_answer_is_said(town: Path, flags: tuple[str, ...], words: str) -> None:
    assert words in Commands(town).run("answer", "--release", "out", *flags, status=2)
    assert not (town / "x.csv").exists()


def test_a_program_is_answered_the_same(town: Path) -> None:
    found = pmwpub.SyntheticHouseholds.in_folder(town / "out")
    said = Commands(town).run("answer", "--release", "out", "--marginal", "age")
    assert [cell.line() for cell in found.answer(["age"])] == said["cells"]
    assert (
        found.persons().line()
        == Commands(town).run("answer", "--release", "out", "--mean", "household size")["persons"]
    )
    assert found.mean_size().value * N == pytest.approx(found.persons().value)
    assert len(found.within(["age", "sex"], ["sex"])) == 6
    assert found.difference({"age": "old"}, {"age": "child"}).low is not None
    with pytest.raises(PmwPubError, match="A folder is a path"):
        pmwpub.SyntheticHouseholds.in_folder(5)  # type: ignore[arg-type]


def test_a_folder_of_rows_is_asked_without_of(town: Path) -> None:
    (town / "flat").mkdir(exist_ok=True)
    assert "--of" in Commands(town).run("answer", "--release", "flat", "--marginal", "age", "--of", "persons", status=2)


def test_homes_have_ids_that_no_answer_shows(town: Path) -> None:
    body = csv_of(PRIVATE)
    assert "h1," in body
    assert "h1" not in str(Commands(town).run("answer", "--release", "out", "--marginal", "age"))
