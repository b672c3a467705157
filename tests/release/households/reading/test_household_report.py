"""The report of a release of households: plain words, drawn intervals, nothing that runs, and no private input."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import permutations
from pathlib import Path

import pytest
from support.commands import Commands
from support.households import csv_of, homes, schema_text

from pmwpub.errors import CertificateError
from pmwpub.release.answers.marginal_answers import TOO_NOISY
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_checks import checked_households, household_files_in
from pmwpub.release.households.reading import household_report as reports
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_checklist import household_checklist
from pmwpub.release.households.reading.household_report import household_report
from pmwpub.release.households.reading.household_summary import household_summary, share_reaches

N = 60


class _Page(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def page(bundle: HouseholdBundle) -> _Page:
    assert bundle.report is not None
    return _Page(bundle.report)


def test_a_release_has_its_report_and_the_certificate_names_it(town: Path, bundle: HouseholdBundle) -> None:
    body = (town / "out/report.html").read_bytes()
    stated = json.loads((town / "out/certificate.json").read_text())
    assert stated["files"]["report.html"] == hashlib.sha256(body).hexdigest()
    assert Commands(town).run("certificate", "check", "out")["unlisted"] == []
    assert household_report(bundle).encode() == body, "the same release gives the same page"


def test_the_report_is_a_function_of_the_bundle_alone() -> None:
    for function in (household_report, household_summary):
        assert list(inspect.signature(function).parameters) == ["bundle"]
    assert list(inspect.signature(household_checklist).parameters) == ["certificate"]


def test_another_report_does_not_hold(town: Path, tmp_path: Path) -> None:
    files = household_files_in(town / "out")
    with pytest.raises(CertificateError, match=r"report\.html is not the file"):
        checked_households(files | {"report.html": files["report.html"] + b" "})
    with pytest.raises(CertificateError, match=r"lacks report\.html"):
        checked_households({name: body for name, body in files.items() if name != "report.html"})
    shutil.copytree(town / "out", tmp_path / "out")
    stated = json.loads(files["certificate.json"])
    del stated["files"]["report.html"]
    (tmp_path / "out/certificate.json").write_text(json.dumps(stated))
    assert Commands(tmp_path).run("certificate", "check", "out")["unlisted"] == ["report.html"]


def test_it_says_what_a_household_is_and_what_is_public(page: _Page) -> None:
    for words in (
        'A household is all rows of the private table with the same "home"; each row is a person.',
        "A household counts with at most 4 persons.",
        "All persons of a household share these columns: tenure.",
        '"has a child" says whether any person of it has age = child.',
        "Protected is one household of 1 to 4 persons",
        "How many persons live in them is not: it was measured, with noise.",
        "whoever stands in several households is not covered",
        "Do not divide by 60 for a share of persons: that is the number of households.",
    ):
        assert words in page.text


def test_every_single_column_is_drawn_with_its_interval(page: _Page, bundle: HouseholdBundle) -> None:
    strips = [attributes for tag, attributes in page.tags if tag == "rect" and attributes.get("class") == "interval"]
    assert len(strips) == (4 + 2 + 2) + (2 + 3 + 2)
    for column in ("household size", "tenure", "has a child"):
        for cell in HouseholdAnswers(bundle).marginal([column], "households"):
            assert f"{100 * (cell.share.low or 0):.2f} % to {100 * (cell.share.high or 0):.2f} %" in page.text
    for cell in HouseholdAnswers(bundle).marginal(["age"], "persons"):
        assert cell.per_household is not None
        assert f"{cell.per_household.value:.3f}" in page.text
    numbers = [float(one[key] or "nan") for one in strips for key in ("x", "width")]
    assert all(0 <= one <= 100.001 for one in numbers)


def test_the_sentences_say_the_widths_of_the_intervals(without_noise: HouseholdBundle) -> None:
    """A noise of 2 in a table of 60 households of four sizes: (1.96*2*sqrt(3/4) + 1/2)/60 is 6.5 points."""
    answers = HouseholdAnswers(without_noise)
    sizes = [cell.share for cell in answers.marginal(["household size"])]
    assert max(share_reaches(answers, "households")) == pytest.approx((1.96 * 2 + 0.5) / N, rel=1e-4)  # tenure
    assert all((one.high or 0) - (one.low or 0) <= 2 * (1.96 * 2 * 0.75**0.5 + 0.5) / N for one in sizes)
    said = household_summary(without_noise).errors
    assert "± 7.4 at worst" in said[0]
    persons = sum(len(home) for home in homes(N, 1, owning=0.8))
    assert f"about {persons} persons" in said[2]


def _at_scale(bundle: HouseholdBundle, scale: str) -> HouseholdBundle:
    """The same counts, with another noise stated of them."""
    stated = tuple(one.model_copy(update={"scale": scale}) for one in bundle.certificate.tables)
    return replace(bundle, certificate=bundle.certificate.model_copy(update={"tables": stated}))


@pytest.mark.parametrize("scale", ["2", "6", "8", "12", "20"])
def test_a_share_with_what_it_is_said_to_be_off_by_holds_its_whole_interval(
    without_noise: HouseholdBundle, scale: str
) -> None:
    """So the words cover at least as often as the interval does, also where that ends at 0 or 1, or is no ± at all."""
    loud = _at_scale(without_noise, scale)
    answers, said = HouseholdAnswers(loud), household_summary(loud).errors
    for of, words, columns in (("households", said[0], ["household size", "tenure"]), ("persons", said[1], ["age"])):
        found = re.search(r"± ([0-9.]+) at worst", words)
        if found is None:
            assert (of, words) == ("persons", HIDDEN)
            continue
        worst = float(found[1]) / 100
        for cell in (cell.share for column in columns for cell in answers.marginal([column], of)):
            assert cell.value - worst <= (cell.low or 0) + 1e-9
            assert (cell.high or 0) <= cell.value + worst + 1e-9


HIDDEN = "Shares of persons are not known: the noise hides how many persons there are."


def test_of_shares_that_noise_hides_it_says_that_they_are_not_known(without_noise: HouseholdBundle) -> None:
    hidden = _at_scale(without_noise, "1000")
    found, page = household_summary(hidden), _Page(household_report(hidden))
    assert found.errors[1] == HIDDEN
    assert found.cautions[0].startswith("Do not read anything into a difference between two shares of persons in a ")
    assert "percentage points" not in found.cautions[0]
    assert "no share of persons is known here" in page.text
    assert "no share of persons is known here" not in _Page(household_report(without_noise)).text
    shares = [cell.share for cell in HouseholdAnswers(hidden).marginal(["age"])]
    assert {one.remark for one in shares} == {TOO_NOISY}, "the released number says nothing of the private one"


@pytest.mark.parametrize("scale", ["1", "2", "4"])
def test_differences_of_shares_reach_no_further_than_the_caution_says(
    without_noise: HouseholdBundle, scale: str
) -> None:
    """By every pair of levels of every column of persons."""
    loud = _at_scale(without_noise, scale)
    answers = HouseholdAnswers(loud)
    reaches = [
        answers.difference(first.levels, second.levels, "persons").reach
        for column in ("tenure", "age", "sex")
        for first, second in permutations(answers.marginal([column], "persons"), 2)
    ]
    widest = answers.measured.difference_reach
    assert widest == pytest.approx(max(reaches))
    said = re.search(r"below ([0-9.]+) percentage", household_summary(loud).cautions[0])
    assert said is not None
    assert float(said[1]) / 100 >= widest


def test_nothing_in_it_runs_or_is_fetched(page: _Page) -> None:
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "link", "iframe", "object", "form", "a"}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    policy = [
        attributes.get("content") for tag, attributes in page.tags if tag == "meta" and "http-equiv" in attributes
    ]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


HOSTILE = "<script>alert(1)</script>"


def test_names_and_levels_of_strangers_are_text(tmp_path: Path) -> None:
    """In a column's name, a level, the name of what is made of levels, a file's name and the population's."""
    for name, text in (
        ("p.csv", csv_of(homes(N, 1))),
        ("<b>.csv", csv_of(homes(50, 2), 1_000)),
        ("schema.json", schema_text()),
    ):
        changed = text.replace("child", HOSTILE).replace("sex", "<img src=x>").replace("has a", "=has")
        (tmp_path / name).write_text(changed)
    run = Commands(tmp_path).run
    own = ("--unit", "household", "--largest-household", "4")
    run("ledger", "register", "<i>homes", "--n", str(N), "--epsilon", "3", *own)
    spend = ("release", "--population", "<i>homes", "--schema", "schema.json", "--private", "p.csv")
    run(*spend, "--public", "<b>.csv", "-k", "2", "--epsilon", "1", "-o", "out")
    page = _Page((tmp_path / "out/report.html").read_text())
    assert not {tag for tag, _ in page.tags} & {"script", "img", "i", "b"}
    assert HOSTILE in page.text
    assert "<img src=x>" in page.text


def test_a_report_that_cannot_be_made_loses_nothing_of_what_was_bought(
    bundle: HouseholdBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = replace(bundle, report=None)
    monkeypatch.setattr(reports, "household_report", _failing)
    assert reports.with_report(bare) is bare
    files = bare.files(5)
    assert "report.html" not in files
    assert len(checked_households(files)) == 7


def _failing(_: HouseholdBundle) -> str:
    raise RuntimeError("no template")


def test_every_question_of_the_checklist_has_its_own_answer(bundle: HouseholdBundle) -> None:
    found = household_checklist(bundle.certificate)
    assert len({one.topic for one in found}) == len(found) == 21
    said = dict(found)
    assert "one household of 1 to 4 persons" in said["Unit of privacy"]
    assert "of the same or another size" in said["Neighbouring tables"]
    assert "H√2 in L2" in said["Sensitivity"]
    assert "only at H² times the ρ" in said["Composition"]
    assert all(
        words[0].isupper() or words[0] == "δ" or words[0].isdigit() or words.startswith("one")
        for words in said.values()
    )


def _sentences(bundle: HouseholdBundle) -> Iterator[str]:
    found = household_summary(bundle)
    yield from (*found.households, *found.promise, found.spent, *found.errors, *found.cautions)


def test_the_summary_is_short_and_plain(bundle: HouseholdBundle) -> None:
    said = list(_sentences(bundle))
    assert all(words.endswith(".") for words in said)
    assert len(re.findall(r"\w+", " ".join(said))) < 520
    assert not re.search(r"sigma|Fieller|zCDP|Gaussian|L2", " ".join(said))
