"""report.html: what it says, that it loads and runs nothing, and that hostile names stay text."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from release.bundles import IMAGE, SCHEMA_JSON, SCRIPT, Made, N, make, public_csv

from pmwpub.domain import Attribute, Domain
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Start
from pmwpub.records import Support
from pmwpub.release import quality, report_views
from pmwpub.release.bundle import CERTIFICATE, MEASUREMENTS, REBUILD, REPORT, SCHEMA, WEIGHTS
from pmwpub.release.report import Choices, report_html
from pmwpub.release.report_numbers import percent, up
from pmwpub.release.summary import Expectation
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

LOADS = {"src", "srcset", "href", "data", "action", "formaction", "poster", "background", "ping"}


class Reader(HTMLParser):
    """Collects tags, attributes and visible text; unclosed tags are an error."""

    VOID = frozenset({"meta", "br", "col"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def read(report: bytes) -> Reader:
    reader = Reader()
    reader.feed(report.decode())
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def page(made: Made) -> Reader:
    return read(made.bundle.parts[REPORT])


def test_the_report_loads_nothing_and_runs_nothing(page: Reader, made: Made) -> None:
    assert not set(page.tags) & {"script", "img", "iframe", "object", "embed", "link", "base", "form", "a"}
    names = {name for name, _ in page.attributes}
    assert not names & LOADS
    assert not {name for name in names if name.startswith("on")}
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert ("content", policy) in page.attributes
    style = made.bundle.parts[REPORT].decode().split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_hostile_names_levels_and_remarks_are_shown_as_text(page: Reader) -> None:
    assert f"people {IMAGE}" in page.text
    assert SCRIPT in page.text
    assert f"a remark {SCRIPT}" in page.text
    assert "one <b>person</b>" in page.text
    assert "**bold** [a](javascript:1)" in page.text


def test_it_states_the_loss_the_total_and_the_terms(page: Reader, made: Made) -> None:
    certificate = made.bundle.certificate
    for words in (
        f"ε of this release {up(certificate.epsilon)}",
        f"ρ = {up(certificate.rho)}",
        "δ 2.5e-5",
        f"ε spent so far, with this {up(certificate.ledger_total.epsilon)}",
        f"Private rows {N} at most 1 row a person",
        "Charge no. 7 of the ledger, 2024-01-02 03:04:05 UTC by the server's clock",
        certificate.plan_sha256,
        "It does not promise",
        "whether a result came",
    ):
        assert words in page.text


def test_every_topic_of_the_checklist_is_answered(page: Reader) -> None:
    for topic in (
        "Unit of privacy", "Neighbouring tables", "Contribution bound", "Parameters", "Composition", "Algorithm",
        "Domain and preprocessing", "Randomness", "Floating point", "Side channels", "Utility and bias", "Trust model",
        "Data handling", "Order of events", "Known limits",
    ):  # fmt: skip
        assert topic in page.text


def test_it_says_how_candidate_and_rounds_were_chosen(page: Reader, made: Made) -> None:
    assert "1.20 %" in page.text
    assert "0.40 % to 2.00 % (95 % sure); ε = 0.04" in page.text
    assert "used in this release" in page.text
    assert "not bought" in page.text
    assert f"Words {SCRIPT}" in page.text
    bundle = made.bundle
    workload = bundle.certificate.workload.build(bundle.schema.domain)
    bare = read(report_html(bundle.certificate, bundle.schema, bundle.distribution(), workload, Choices()))
    assert "Nothing had been charged to this population before" in bare.text
    assert "set by the steward" in bare.text


def test_the_files_are_named_with_the_certificates_hashes(page: Reader, made: Made) -> None:
    for name in (WEIGHTS, SCHEMA, MEASUREMENTS, REBUILD):
        assert made.bundle.certificate.files[name] in page.text
        assert name in page.text
    assert REPORT in made.bundle.certificate.files
    assert CERTIFICATE not in made.bundle.certificate.files


def test_each_share_and_each_measured_query_stands_in_a_table(page: Reader, made: Made) -> None:
    released = made.bundle.distribution()
    for attribute in released.support.domain.attributes:
        for share in released.one_way(attribute.name):
            assert percent(share) in page.text
    for line in made.bundle.certificate.transcript:
        assert percent(line.noisy_answer) in page.text


def test_it_says_what_moved_most_why_and_how_concentrated_the_weights_are(page: Reader, made: Made) -> None:
    released = made.bundle.distribution()
    support = Support.of(encode_public(read_table(made.publics[0]), made.bundle.schema).dataset)
    placed = replace(released, support=support)
    for ways in (1, 2, 3):
        found = quality.compared(placed, ways)
        assert percent(float(found.distance[found.order[0]])) in page.text
    assert "What moved most, and why" in page.text
    assert "The 3 that moved most of 3" in page.text
    effective = 1 / sum(weight * weight for weight in released.weights.tolist())
    assert f"{effective:,.0f} rows of equal weight would be as concentrated" in page.text
    assert f"The largest weight is {percent(max(released.weights.tolist()))}" in page.text


def test_the_variants_are_named() -> None:
    text = read(make([public_csv(30, 2)], output=Output.AVERAGE, start=Start.UNIFORM).bundle.parts[REPORT]).text
    assert "average of the weights over all rounds is released" in text
    assert "every distinct row with equal weight" in text


def test_a_pool_names_all_its_tables() -> None:
    text = read(make([public_csv(30, 2), public_csv(30, 3)]).bundle.parts[REPORT]).text
    assert f"{IMAGE}0.csv pooled with" in re.sub(r"\s+", " ", text)
    assert "python rebuild.py PUBLIC1.csv PUBLIC2.csv" in text


def test_a_level_of_a_missing_code_is_named_as_one_wherever_it_stands(made: Made) -> None:
    """The same release under a schema that calls M a code for no value: in shares, measurements and heaviest rows."""
    bundle = made.bundle
    coded = {"name": "sex", "kind": "categorical", "levels": ["F"], "missing": [{"code": "M", "label": "M"}]}
    body = {**SCHEMA_JSON, "version": 2, "columns": [coded, *SCHEMA_JSON["columns"][1:]]}
    schema = Schema.from_json(json.dumps(body))
    assert schema.domain == bundle.schema.domain
    workload = bundle.certificate.workload.build(schema.domain)
    words = "(a code for a missing value)"
    told = read(report_html(bundle.certificate, schema, bundle.distribution(), workload, Choices())).text
    plain = read(report_html(bundle.certificate, bundle.schema, bundle.distribution(), workload, Choices())).text
    assert words not in plain
    shares, _, rest = told.partition("What moved most")
    assert shares.count(words) == 1
    assert f"M {words}" in shares
    assert rest.count(f"sex = M {words}") == rest.count("sex = M ") > 0
    assert "(missing)" in told
    assert told.count(words) == told.count(f"M {words}")


def test_without_a_remark_there_is_no_warning() -> None:
    assert "Mind this" not in read(make([public_csv(30, 2)]).bundle.parts[REPORT]).text


def test_equal_values_give_equal_bytes(made: Made) -> None:
    bundle = made.bundle
    workload = bundle.certificate.workload.build(bundle.schema.domain)
    arguments = (bundle.certificate, bundle.schema, bundle.distribution(), workload, Choices())
    assert report_html(*arguments) == report_html(*arguments)


@settings(max_examples=30)
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_whatever_opens_a_tag_of_its_own(name: str, note: str) -> None:
    usual = read(_with_texts("plain", "words"))
    hostile = read(_with_texts(name, f'"><svg onload=x>{note}'))
    assert hostile.tags == usual.tags
    assert [key for key, _ in hostile.attributes] == [key for key, _ in usual.attributes]


@lru_cache(maxsize=1)
def _small() -> Made:
    return make([public_csv(20, 5)], rounds=2)


def _with_texts(name: str, note: str) -> bytes:
    bundle = _small().bundle
    certificate = bundle.certificate.model_copy(update={"population": name, "unit": note, "remarks": (note,)})
    workload = certificate.workload.build(bundle.schema.domain)
    return report_html(certificate, bundle.schema, bundle.distribution(), workload, Choices((), note))


def test_small_levels_are_added_up_beyond_two_dozen() -> None:
    levels = tuple(f"l{i}" for i in range(40))
    shares = [1 / 40 + (0.001 if i % 2 else -0.001) for i in range(40)]
    found = report_views._attribute("a", levels, shares, shares)
    assert len(found.levels) == report_views.LEVELS
    assert found.levels[-1].level == "the other 17 levels"
    assert sum(level.public for level in found.levels) == pytest.approx(1)
    # The 20 larger ones and the first three others, in the attribute's own order.
    assert [level.level for level in found.levels[:7]] == ["l0", "l1", "l2", "l3", "l4", "l5", "l7"]


def test_only_so_many_rounds_are_listed_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_views, "ROUNDS", 4)
    assert "The first 4 of 6 rounds" in read(make([public_csv(30, 2)]).bundle.parts[REPORT]).text


@pytest.mark.browser
def test_in_a_browser_nothing_runs_nothing_is_asked_for_and_400_pixels_are_enough(made: Made, tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = os.environ.get("PMWPUB_CHROMIUM", "/usr/bin/chromium")
    if not Path(chromium).exists():
        pytest.skip(f"No Chromium at {chromium}.")
    address = (made.write(tmp_path) / REPORT).as_uri()
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 400, "height": 800})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: asked.append(message.text))
        page.goto(address)
        title, width = page.title(), page.evaluate("document.documentElement.scrollWidth")
        browser.close()
    assert asked == [address]
    assert title == f"Release report: people {IMAGE}"
    assert width <= 400


def test_a_bar_reaches_as_far_as_its_share(made: Made) -> None:
    for attribute in report_views.one_way_shares(made.bundle.distribution()):
        longest = max(max(level.public, level.released) for level in attribute.levels)
        for level in attribute.levels:
            assert level.public_bar == pytest.approx(100 * level.public / longest)
            assert level.released_bar == pytest.approx(100 * level.released / longest)


def test_attribute_names_with_any_text_make_a_page(made: Made) -> None:
    bundle = made.bundle
    domain = Domain((Attribute("a\u202eb</bdi>", ("x" * 500, "\u0000")),))
    support = replace(bundle.distribution().support, domain=domain, codes=[[0], [1]], multiplicity=[1, 1])
    assert report_views.one_way_shares(replace(bundle.distribution(), support=support, weights=[0.5, 0.5]))


EXPECTED = Expectation(0.034, 0.02, 0.05, 0.09, "b.csv and c.csv", "<svg><title>A figure</title></svg>")


def test_it_begins_with_the_summary_and_says_little_before_anything_is_opened(made: Made) -> None:
    bundle = made.bundle
    workload = bundle.certificate.workload.build(bundle.schema.domain)
    choices = Choices(expectation=EXPECTED)
    report = report_html(bundle.certificate, bundle.schema, bundle.distribution(), workload, choices).decode()
    first = report.split("<details>")[0]
    for words in (
        "What is promised",
        "How far numbers may be off",
        "Expected largest error: about 3.4 % of the rows (2 % to 5 %)",
        "b.csv and c.csv played the private table",
        "public table unchanged, which is free: about 9 %",
        "<svg><title>A figure</title></svg>",
        "What not to use it for",
        # 5 per cent of 200 rows.
        "differences below 5 % of the rows, about 10 rows",
    ):
        assert words in first
    assert first.index("In short") < first.index("It does not promise")
    assert first.count("times as likely") == 1, "one promise, that of the grant"
    assert "accounting, not a second promise" in first
    plain = re.sub(r"<style>.*</style>|<[^>]*>", " ", first, flags=re.S)
    assert len(plain.split()) <= 1000
    assert len(re.findall("<details>", report)) == 7
