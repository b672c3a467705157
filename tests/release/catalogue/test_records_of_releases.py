"""Records of releases for catalogues: what they state is the release's, each format's own validator takes them, and it
does not take one that lacks a field.

No test here reaches the network: it is taken away first.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import buying
import jsonschema
import pytest
import rocrate
import yaml
from release import rule_town
from release.bundles import FORMULA, SCRIPT, Made, make, public_csv
from release.catalogue.registry_rules import ENTRY
from rocrate.rocrate import ROCrate

from pmwpub import outputs
from pmwpub.cli import main
from pmwpub.cli.arguments.certificate_arguments import FORMAT_NAMES
from pmwpub.errors import CertificateError, PlanError, WorkloadError
from pmwpub.release import checking
from pmwpub.release.answers.release_answers import ReleaseAnswers
from pmwpub.release.bundle import CERTIFICATE, SYNTHETIC, WEIGHTS, Bundle
from pmwpub.release.catalogue.about_release import AboutRelease
from pmwpub.release.catalogue.croissant_record import CONTEXT, croissant
from pmwpub.release.catalogue.published_release import FileColumn, PublishedRelease
from pmwpub.release.catalogue.record_formats import FORMATS, record_of
from pmwpub.release.catalogue.registry_entry import SCHEMA_COMMIT, RegistryEntry
from pmwpub.release.catalogue.research_crate import METADATA, NO_LICENSE
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.unchanged_release import publish_unchanged

BEFORE = Path(__file__).parents[1] / "before"
OLD = ("out", "pool", "western")
DAY = date(2031, 5, 6)
SAID: dict[str, Any] = {
    "name": "Households of Town",
    "description": "Made for teaching.",
    "curator": "Town Office",
    "curator_type": "Government",
    "intended_use": "Teaching.",
    "region": "Town",
    "sector": "Government",
    "published": "2030-02-03",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "url": "https://example.org/town",
    "entry_authors": ["Town Office"],
}
FULL = AboutRelease.from_json(json.dumps(SAID).encode())
QUIET = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib", "ignore::DeprecationWarning:mlcroissant")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a record reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, bytes]]]:
    """The files of a release by table fit, and of a public table unchanged."""
    service, private = rule_town.opened(tmp_path_factory.mktemp("town"))
    current = study_store.study(service, rule_town.NAME)
    keys = [one.sha256 for one in current.usable][:1]
    outcome = buying.buy(service, private, releases.table_fit_plan(service, current, keys, epsilon="2"))
    bought = releases.released(service, current, outcome.booking).bundle
    assert bought is not None
    own = publish_unchanged(service, current, releases.unchanged_plan(current, keys), private=private, tick=True).bundle
    yield {"tables": bought.files(cells="numbers"), "unchanged": own.files(60), "all": bought.files(columns="all")}
    service.ledger.close()


@pytest.fixture(scope="module")
def hostile() -> Made:
    return make([public_csv(60, 1)], rounds=2, remarks=(f"a remark {SCRIPT}",))


def old(name: str) -> dict[str, bytes]:
    return checking.read_folder(BEFORE / name)


def release(files: dict[str, bytes], about: AboutRelease = FULL) -> PublishedRelease:
    return PublishedRelease.of(files, about, DAY)


def entry(files: dict[str, bytes], about: AboutRelease = FULL) -> Any:
    return yaml.safe_load(RegistryEntry.of(release(files, about)).to_yaml())


def faults_of_entry(found: Any) -> list[str]:
    check = jsonschema.Draft7Validator(ENTRY, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)
    return [f"{'.'.join(map(str, one.path))}: {one.message}" for one in check.iter_errors(found)]


# The registry's entry.


@pytest.mark.parametrize("name", OLD)
def test_the_registry_takes_the_entry_of_an_old_release(name: str) -> None:
    assert faults_of_entry(entry(old(name))) == []


@pytest.mark.parametrize("kind", ["tables", "unchanged"])
def test_the_registry_takes_the_entry_of_a_new_release(town: dict[str, dict[str, bytes]], kind: str) -> None:
    assert faults_of_entry(entry(town[kind])) == []


def test_the_entry_states_the_certificate_s_own_numbers() -> None:
    found = entry(old("pool"))["deployment"]
    assert found["privacy_loss"]["privacy_parameters"] == {
        "epsilon": 0.4999999999999957,
        "delta": 1.6e-05,
        "rho": 0.0090132616695,
    }
    assert "rho = 0.161270325162296, which is epsilon = 2.433 " in found["privacy_loss"]["privacy_parameters_details"]
    assert found["privacy_loss"]["privacy_unit"] == "one person"
    assert found["privacy_loss"]["number_of_privacy_units"] == 250
    assert found["dp_variant"]["variant_name"] == "Zero-concentrated DP"
    assert found["basic"] == {
        "name": "Households of Town",
        "data_curators": [{"data_curator_name": "Town Office", "data_curator_type": "Government"}],
        "description": "Made for teaching. A table of 40 synthetic rows, released under differential privacy from a "
        "private table of 250 rows. Mechanism: PMW^Pub (Liu, Vietri, Steinke, Ullman, Wu 2021): selection, discrete "
        "Gaussian, multiplicative weights.",
        "intended_use": "Teaching.",
        "data_product_type": "Synthetic data",
        "data_product_region": "Town",
        "data_product_sector": "Government",
        "publication_date": "2030-02-03",
    }
    assert found["administrative"] == {"status": "Draft", "registry_authors": ["Town Office"], "tier": 3}


def test_a_number_of_the_entry_is_never_below_the_certificate_s() -> None:
    """rho has 15 decimals, of which the nearest float may print fewer."""
    content = json.loads(old("pool")[CERTIFICATE])
    content["rho"] = "0.100000000000001"
    files = old("pool") | {CERTIFICATE: json.dumps(content).encode()}
    stated = entry(files)["deployment"]["privacy_loss"]["privacy_parameters"]["rho"]
    assert Fraction(repr(stated)) >= Fraction("0.100000000000001")
    assert stated == pytest.approx(0.100000000000001, abs=2e-17)


def test_what_nobody_said_stays_empty_is_listed_and_fails_the_registry_s_check_where_it_must() -> None:
    made = record_of(release(old("out"), AboutRelease()), "registry")
    (body,) = made.files.values()
    assert made.lacking == (
        "deployment.basic.data_curators.0.data_curator_name",
        "deployment.basic.data_curators.0.data_curator_type (Government, Industry or Nonprofit)",
        "deployment.basic.intended_use",
        "deployment.basic.data_product_region",
        "deployment.administrative.registry_authors",
    )
    assert body.decode().splitlines()[:5] == [f"# To fill in: {field}" for field in made.lacking]
    assert faults_of_entry(yaml.safe_load(body)) == [
        "deployment.basic.data_curators.0: 'data_curator_type' is a required property"
    ]
    assert yaml.safe_load(body)["deployment"]["basic"]["publication_date"] == "2026-11-29"  # the day of the charge


def test_a_table_that_was_never_charged_is_entered_at_epsilon_0(town: dict[str, dict[str, bytes]]) -> None:
    found = entry(town["unchanged"], AboutRelease())["deployment"]
    assert found["privacy_loss"]["privacy_parameters"] == {"epsilon": 0.0}
    assert found["dp_variant"]["variant_name"] == "Pure DP"
    assert found["basic"]["publication_date"] == "2031-05-06"  # the day that is given: no charge says one


def test_the_model_names_the_commit_that_it_follows() -> None:
    assert SCHEMA_COMMIT in (RegistryEntry.__doc__ or "")


# Croissant.


def read_croissant(folder: Path, files: dict[str, bytes], record: bytes) -> Any:
    """The record, read by mlcroissant where the release's files lie."""
    import mlcroissant

    for name, body in files.items():
        (folder / name).write_bytes(body)
    (folder / "croissant.json").write_bytes(record)
    return mlcroissant.Dataset(jsonld=folder / "croissant.json")


def rows_of(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode(), newline="")))


@QUIET
@pytest.mark.parametrize("name", OLD)
def test_mlcroissant_finds_nothing_amiss_with_an_old_release(tmp_path: Path, name: str) -> None:
    found = read_croissant(tmp_path, old(name), croissant(release(old(name))))
    assert not found.metadata.ctx.issues.errors
    assert [one for one in found.metadata.ctx.issues.warnings if "citeAs" not in one] == []


@QUIET
def test_mlcroissant_reads_the_cells_of_every_table_by_their_kinds(
    tmp_path: Path, town: dict[str, dict[str, bytes]]
) -> None:
    files = town["tables"]
    found = read_croissant(tmp_path, files, croissant(release(files)))
    drawn, stated = rows_of(files[SYNTHETIC]), list(found.records("synthetic"))
    assert len(stated) == len(drawn) == rule_town.N
    for read, row in zip(stated, drawn, strict=True):
        assert read == {
            "synthetic/age": float(row["age"]),
            "synthetic/work": row["work"].encode(),
            "synthetic/gain": float(row["gain"]),
            "synthetic/sex": row["sex"].encode(),
        }
    cells = list(found.records("tables"))
    assert [(one["tables/noisy_count"], one["tables/sigma"]) for one in cells] == [
        (int(row["noisy_count"]), float(row["sigma"])) for row in rows_of(files["tables.csv"])
    ]
    assert sum(one["weights/weight"] for one in found.records("weights")) == pytest.approx(1)


@QUIET
def test_hostile_names_stay_names_in_a_croissant(tmp_path: Path, hostile: Made) -> None:
    """A column that is a script has an address by its place, and its cells are read under that one."""
    files = hostile.bundle.files(200)
    record = json.loads(croissant(release(files, AboutRelease())))
    fields = {one["@id"]: one["name"] for one in record["recordSet"][0]["field"]}
    header = next(csv.reader(io.StringIO(files[SYNTHETIC].decode())))
    assert fields == {"synthetic/sex": "sex", "synthetic/column-2": header[1], "synthetic/column-3": header[2]}
    found = read_croissant(tmp_path, files, json.dumps(record).encode())
    assert not found.metadata.ctx.issues.errors
    column = [one["synthetic/column-3"].decode() for one in found.records("synthetic")]
    assert column == [row[header[2]] for row in rows_of(files[SYNTHETIC])]
    assert f"'{FORMULA}" in column


@QUIET
@pytest.mark.parametrize(
    ("lost", "complaint"),
    [
        (lambda record: record["distribution"][0].pop("encodingFormat"), "encodingFormat"),
        (lambda record: record["distribution"][0].pop("sha256"), "sha256"),
        (lambda record: record["distribution"][0].pop("contentUrl"), "contentUrl"),
        (lambda record: record["recordSet"][0]["field"][0].pop("dataType"), "dataType"),
        (lambda record: record["distribution"].pop(0), "synthetic.csv"),
    ],
)
def test_mlcroissant_refuses_a_record_that_lacks_a_field(
    tmp_path: Path, lost: Callable[[Any], object], complaint: str
) -> None:
    import mlcroissant

    record = json.loads(croissant(release(old("out"))))
    lost(record)
    with pytest.raises(mlcroissant.ValidationError, match=complaint):
        read_croissant(tmp_path, old("out"), json.dumps(record).encode())


def test_a_croissant_states_size_and_hash_of_every_file_and_fetches_nothing() -> None:
    files = old("pool")
    record = json.loads(croissant(release(files)))
    stated = {one["contentUrl"]: (one["contentSize"], one["sha256"]) for one in record["distribution"]}
    assert stated == {name: (f"{len(body)} B", hashlib.sha256(body).hexdigest()) for name, body in files.items()}
    assert record["@context"] == dict(CONTEXT)
    assert record["license"] == SAID["license"]
    assert record["datePublished"] == "2030-02-03"
    kinds = {one["name"]: one["dataType"] for one in record["recordSet"][0]["field"]}
    assert kinds == {"sex": "sc:Text", "age": "sc:Float", "job": "sc:Text"}  # this one was drawn as numbers


def test_columns_with_a_word_among_the_numbers_are_text(hostile: Made) -> None:
    """Ages are missing in some public rows: "(missing)" stands among the numbers then."""
    files = hostile.bundle.files(200, cells="numbers")
    cells = {row[next(key for key in row if key.endswith("=age"))] for row in rows_of(files[SYNTHETIC])}
    assert any(not cell.replace(".", "").isdigit() for cell in cells)
    described = {one.name: one for one in release(files).described}
    assert [one.kind for one in described[SYNTHETIC].columns] == ["text", "text", "text"]
    assert [one.kind for one in described[WEIGHTS].columns] == ["text", "text", "text", "number"]


# RO-Crate.


def crate(folder: Path, files: dict[str, bytes], about: AboutRelease = FULL) -> dict[str, Any]:
    """The crate written into a folder; its entities by their ids."""
    folder.mkdir(exist_ok=True)
    for name, body in record_of(release(files, about), "ro-crate").files.items():
        (folder / name).write_bytes(body)
    return {one["@id"]: one for one in json.loads((folder / METADATA).read_bytes())["@graph"]}


def faults_of_crate(folder: Path) -> list[str]:
    """What version 1.1 says must be so, as far as a reader of the text can hold it against the folder."""
    record = json.loads((folder / METADATA).read_bytes())
    found, faults = {one["@id"]: one for one in record["@graph"]}, []
    about = found.get(METADATA, {})
    if about.get("conformsTo") != {"@id": "https://w3id.org/ro/crate/1.1"} or about.get("about") != {"@id": "./"}:
        faults.append("the record does not say what it is")
    root = found.get("./", {})
    faults += [
        f"the crate has no {key}" for key in ("name", "description", "datePublished", "license") if key not in root
    ]
    parts = {one["@id"] for one in root.get("hasPart", [])}
    own = {key for key, one in found.items() if one["@type"] == "File"}
    faults += [f"{name} is in no part" for name in sorted(own - parts)]
    faults += [f"{name} is not there" for name in sorted(own) if not (folder / name).is_file()]
    known = json.loads((Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld").read_text())["@context"]
    for one in found.values():
        kinds = [one["@type"]] if isinstance(one["@type"], str) else one["@type"]
        faults += [f"{word} means nothing" for word in (*kinds, *one) if not word.startswith("@") and word not in known]
        for value in one.values():
            for end in value if isinstance(value, list) else [value]:
                if isinstance(end, dict) and end["@id"] not in found and not end["@id"].startswith("https://w3id.org/"):
                    faults.append(f"{end['@id']} is described nowhere")
    return faults


@pytest.mark.parametrize("about", [FULL, AboutRelease()], ids=["said", "unsaid"])
@pytest.mark.parametrize("name", OLD)
def test_a_crate_of_an_old_release_is_whole(tmp_path: Path, name: str, about: AboutRelease) -> None:
    found = crate(tmp_path / "crate", old(name), about)
    assert faults_of_crate(tmp_path / "crate") == []
    files = {key: one for key, one in found.items() if one["@type"] == "File"}
    assert {key: (one["contentSize"], one["sha256"]) for key, one in files.items()} == {
        key: (str(len(body)), hashlib.sha256(body).hexdigest()) for key, body in old(name).items()
    }
    for key, body in old(name).items():
        assert (tmp_path / "crate" / key).read_bytes() == body


def test_a_crate_says_who_made_what_from_what(tmp_path: Path) -> None:
    found = crate(tmp_path / "crate", old("pool"))
    act = found["#release"]
    assert act["@type"] == "CreateAction"
    assert [found[one["@id"]]["sha256"] for one in act["object"]] == [
        "174fcc536dcfe2bf8a51de56e5d9a92a701dcd91aaa1ab5f9d5d7afcb171d5a2",
        "a49a7b6f509688a205dd2394e9bf8ad48929780e9a2312cd94c1f07dfa99f7d0",
    ]
    assert found[act["instrument"]["@id"]]["softwareVersion"] == "0.1.0"
    assert act["endTime"] == "2026-11-29T02:56:40+00:00"
    assert {one["@id"] for one in act["result"]} == set(old("pool"))
    assert found[found["./"]["license"]["@id"]]["@type"] == "CreativeWork"
    assert found[found["./"]["publisher"]["@id"]]["name"] == "Town Office"
    assert crate(tmp_path / "unsaid", old("pool"), AboutRelease())["./"]["license"] == NO_LICENSE


def test_what_catalogues_ask_for_and_nobody_said_is_listed() -> None:
    assert record_of(release(old("out"), AboutRelease()), "croissant").lacking == ("curator", "license", "url")
    assert record_of(release(old("out"), AboutRelease(license="x")), "ro-crate").lacking == ("curator",)


def test_a_crate_reads_back_and_is_the_same_at_any_hour(tmp_path: Path, town: dict[str, dict[str, bytes]]) -> None:
    crate(tmp_path / "crate", town["tables"])
    again = ROCrate(tmp_path / "crate")
    assert {one.id for one in again.data_entities} == set(town["tables"])
    assert again.name == "Households of Town"
    assert record_of(release(town["tables"]), "ro-crate") == record_of(release(town["tables"]), "ro-crate")


@pytest.mark.parametrize(
    ("lost", "fault"),
    [
        (lambda graph: graph["./"].pop("datePublished"), "the crate has no datePublished"),
        (lambda graph: graph["./"]["hasPart"].pop(0), "synthetic.csv is in no part"),
        (lambda graph: graph["#release"].update(surprise="x"), "surprise means nothing"),
        (lambda graph: graph.pop("#publisher"), "#publisher is described nowhere"),
    ],
)
def test_a_crate_that_lacks_something_is_found_out(tmp_path: Path, lost: Callable[[Any], object], fault: str) -> None:
    graph = crate(tmp_path / "crate", old("out"))
    lost(graph)
    record = json.loads((tmp_path / "crate" / METADATA).read_bytes()) | {"@graph": list(graph.values())}
    (tmp_path / "crate" / METADATA).write_text(json.dumps(record))
    assert fault in faults_of_crate(tmp_path / "crate")


VALIDATOR = os.environ.get("PMWPUB_ROC_VALIDATOR", "")


def validated(folder: Path) -> tuple[int, str]:
    script = Path(__file__).with_name("offline_crate_check.py")
    context = Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld"
    found = subprocess.run([VALIDATOR, str(script), str(folder), str(context)], capture_output=True, text=True)
    return found.returncode, found.stdout + found.stderr


if VALIDATOR:  # it does not install beside this program: what PMWPUB_ROC_VALIDATOR names has an environment of its own

    def test_roc_validator_takes_a_crate_and_not_one_without_a_date(
        tmp_path: Path, town: dict[str, dict[str, bytes]]
    ) -> None:
        for place, files in enumerate([*map(old, OLD), *town.values()]):
            for about in (FULL, AboutRelease()):
                graph = crate(tmp_path / f"{place}{about is FULL}", files, about)
                assert validated(tmp_path / f"{place}{about is FULL}") == (0, "")
        graph["./"].pop("datePublished")
        record = json.loads((tmp_path / "0True" / METADATA).read_bytes()) | {"@graph": list(graph.values())}
        (tmp_path / "0True" / METADATA).write_text(json.dumps(record))
        status, said = validated(tmp_path / "0True")
        assert status == 1
        assert "datePublished" in said


# The questions of SP 800-226.


def questions(files: dict[str, bytes], about: AboutRelease = FULL) -> Any:
    (body,) = record_of(release(files, about), "nist-800-226").files.values()
    return json.loads(body)


def test_every_question_has_an_answer_and_the_publisher_s_words_stand_beside_the_program_s() -> None:
    said = {
        "data_collection": "By post.",
        "store_access": "Two people.",
        "why_delta": "Usual.",
        "evidence": "A review.",
    }
    found = questions(old("out"), AboutRelease(**said))
    answers = {one["question"]: one for one in found["answers"]}
    assert len(answers) == len(found["answers"]) == 20
    assert all(len(one["answer"]) > 20 for one in answers.values())
    assert {name: one["publisher"] for name, one in answers.items() if "publisher" in one} == {
        "Data collection exposure": "By post.",
        "Access to the store": "Two people.",
        "Why this δ": "Usual.",
        "Evidence": "A review.",
    }
    assert "equal to that: δ × n = 0.004." in answers["Why this δ"]["answer"]  # 1/250² and 250 rows
    assert found["certificate_sha256"] == hashlib.sha256((BEFORE / "out" / CERTIFICATE).read_bytes()).hexdigest()


@pytest.mark.parametrize(("delta", "word", "product"), [("1e-6", "below", "0.00025"), ("0.001", "above", "0.25")])
def test_delta_is_held_against_one_over_n_squared(delta: str, word: str, product: str) -> None:
    content = json.loads(old("out")[CERTIFICATE]) | {"delta": delta}
    found = questions(old("out") | {CERTIFICATE: json.dumps(content).encode()})
    (answer,) = (one["answer"] for one in found["answers"] if one["question"] == "Why this δ")
    assert f"This one is {word} that: δ × n = {product}." in answer


def test_error_by_level_is_that_of_the_named_columns_from_intervals(town: dict[str, dict[str, bytes]]) -> None:
    found = questions(town["tables"], AboutRelease(columns=("work", "sex")))
    assert [one["column"] for one in found["error_by_level"]] == ["work", "sex"]
    sex = {one["level"]: one for one in found["error_by_level"][1]["levels"]}
    assert set(sex) == {"F", "M"}
    assert all(one["low"] < one["share"] < one["high"] and one["confidence"] == 0.95 for one in sex.values())
    answers = ReleaseAnswers(Bundle(town["tables"]))
    for level, one in sex.items():
        widths = [
            max(cell.high - cell.share, cell.share - cell.low)
            for other in ("age", "work", "gain")
            for cell in answers.within(["sex", other], ["sex"])
            if cell.levels["sex"] == level and cell.low is not None and cell.high is not None
        ]
        told = one["half_widths_within"]
        if not widths:
            assert told is None, "no share within that level is covered in this draw"
            continue
        assert told["covered"] == len(widths)
        assert told["covered"] + told["not_covered"] == 4 + 4 + 3  # bins, levels and "(missing)", bins
        assert one["half_widths_within"]["largest"] == pytest.approx(max(widths), abs=1e-6)
        assert one["half_widths_within"]["mean"] == pytest.approx(sum(widths) / len(widths), abs=1e-6)
    assert (
        "By level of work, sex"
        in next(one for one in found["answers"] if one["question"] == "Error by level")["publisher"]
    )
    assert "error_by_level" not in questions(town["tables"])


def test_nothing_is_known_by_level_of_what_was_not_measured() -> None:
    levels = questions(old("out"), AboutRelease(columns=("job",)))["error_by_level"][0]["levels"]
    assert [(one["level"], one["low"], one["high"], one["half_widths_within"]) for one in levels] == [
        (level, None, None, None) for level in "xyz"
    ]


@pytest.mark.parametrize("wanted", FORMATS)
def test_a_column_that_the_release_lacks_is_refused(wanted: str) -> None:
    with pytest.raises(WorkloadError, match="no column 'income'"):
        record_of(release(old("out"), AboutRelease(columns=("job", "income"))), wanted)  # type: ignore[arg-type]


def test_a_public_table_unchanged_has_nothing_to_answer_for(town: dict[str, dict[str, bytes]]) -> None:
    answers = {one["question"]: one["answer"] for one in questions(town["unchanged"])["answers"]}
    assert answers["Why this δ"] == answers["Access to the store"]
    assert answers["Why this δ"].startswith("No private row was read")


# What goes in, and what comes out.


@pytest.mark.parametrize("wanted", FORMATS)
@pytest.mark.fault("a record of a file that was changed")
def test_no_record_is_made_of_a_file_that_the_certificate_does_not_name(wanted: str) -> None:
    changed = old("out") | {WEIGHTS: old("out")[WEIGHTS] + b" "}
    lost = {name: body for name, body in old("out").items() if name != "report.html"}
    with pytest.raises(CertificateError, match=r"weights\.csv is not what the certificate names"):
        record_of(release(changed), wanted)  # type: ignore[arg-type]
    with pytest.raises(CertificateError, match=r"report\.html is not what"):
        record_of(release(lost), wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content", [b'{"curater": "x"}', b'{"curator": "a", "curator": "b"}', b"[]", b'{"curator_type": "Bank"}', b"\xff"]
)
def test_statements_that_are_none_are_refused_in_words(content: bytes) -> None:
    with pytest.raises(PlanError, match="Statements about a release"):
        AboutRelease.from_json(content)


NO_ADDRESSES = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    f"file:{'/' * 3}etc/passwd",
    "data:text/html,x",
    "//example.org/x",
    "https://",
    "http:///x",
    "ftp://example.org/x",
    " https://example.org/x",
    "https://example.org/x\n",
    "https://example.org/a b",
    'https://example.org/"><script>',
    "https:\\\\example.org",
]


@pytest.mark.parametrize("key", ["license", "url"])
@pytest.mark.parametrize("given", NO_ADDRESSES)
def test_only_addresses_of_the_web_go_into_a_record(key: str, given: str) -> None:
    with pytest.raises(PlanError, match=f"does not fit: {key}.*begins with http://"):
        AboutRelease.from_json(json.dumps({key: given}).encode())


def test_addresses_and_words_for_licences_stay_as_they_were_written() -> None:
    for address in ("https://example.org", "HTTP://Example.org:8080/a?b=c&d#e", "https://example.org/stadtläufe/", ""):
        found = AboutRelease.from_json(json.dumps({"license": address, "url": address}).encode())
        assert (found.license, found.url) == (address, address)
    for word in ("CC-BY-4.0", "Apache-2.0+", "0BSD", "LicenseRef-town"):
        assert AboutRelease.from_json(json.dumps({"license": word}).encode()).license == word
        with pytest.raises(PlanError, match="does not fit: url"):
            AboutRelease.from_json(json.dumps({"url": word}).encode())


@pytest.mark.parametrize("wanted", FORMATS)
def test_a_record_says_nothing_that_is_not_in_the_release_or_said_by_its_publisher(
    town: dict[str, dict[str, bytes]], wanted: str
) -> None:
    """Two stewards' machines, users and private files leave no trace: the same files give the same bytes."""
    private = [row.split(b",") for row in rule_town.PRIVATE.splitlines()[1:]]
    gains = {row[2] for row in private} - {cell for body in rule_town.PUBLIC.values() for cell in body.split(b",")}
    made = record_of(release(town["tables"]), wanted)  # type: ignore[arg-type]
    own = b"".join(body for name, body in made.files.items() if name not in town["tables"])
    assert not [gain for gain in gains if b"." in gain and len(gain) > 4 and gain in own]
    assert b"ledger.sqlite3" not in own


@pytest.mark.parametrize("wanted", FORMATS)
def test_the_command_writes_what_the_library_makes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wanted: str
) -> None:
    (tmp_path / "about.json").write_text(json.dumps(SAID))
    output = tmp_path / "record"
    given = ["--release", str(BEFORE / "pool"), "--about", str(tmp_path / "about.json"), "-o", str(output)]
    assert main(["certificate", "export", "--format", wanted, *given]) == 0
    assert json.loads(capsys.readouterr().out) == {"format": wanted, "file": str(output), "to_fill_in": []}
    made = record_of(release(old("pool")), wanted).files  # type: ignore[arg-type]
    there = {one.name: one.read_bytes() for one in output.iterdir()} if output.is_dir() else {"": output.read_bytes()}
    assert there == (dict(made) if output.is_dir() else {"": next(iter(made.values()))})


def test_the_command_writes_no_crate_into_a_folder_that_has_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("kept")
    given = ["--release", str(BEFORE / "out"), "-o", str(tmp_path)]
    assert main(["certificate", "export", "--format", "ro-crate", *given]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("wanted", FORMATS)
def test_where_a_record_cannot_be_written_the_command_says_so_and_leaves_nothing(
    wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(outputs.os, "fsync", full)
    output = tmp_path / "record"
    given = ["--release", str(BEFORE / "out"), "-o", str(output)]
    assert main(["certificate", "export", "--format", wanted, *given]) == 2
    assert capsys.readouterr().err == f"pmwpub: {output} cannot be written: No space left on device.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("wanted", "missing"), [("registry", "yaml"), ("ro-crate", "rocrate.rocrate")])
def test_a_format_whose_package_is_not_there_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, wanted: str, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(PlanError, match=r"pip install 'pmwpub\[records\]'"):
        record_of(release(old("out")), wanted)  # type: ignore[arg-type]


def test_a_bundle_gives_the_same_record_as_its_folder() -> None:
    bundle = Bundle(old("out"))
    assert record_of(release(dict(bundle.parts)), "croissant") == record_of(release(old("out")), "croissant")


def test_the_command_line_offers_every_format() -> None:
    assert FORMAT_NAMES == FORMATS


def test_no_two_columns_have_one_address() -> None:
    """A column may itself be called what another one's place is called."""
    found = release(old("out"))
    columns = (FileColumn("column-2", "text", ""), FileColumn("naïve / name", "text", ""), FileColumn("b", "text", ""))
    found.__dict__["described"] = (replace(found.described[0], columns=columns),)
    fields = json.loads(croissant(found))["recordSet"][0]["field"]
    assert [one["@id"] for one in fields] == ["synthetic/column-1", "synthetic/column-2", "synthetic/b"]
    assert [one["source"]["extract"]["column"] for one in fields] == ["column-2", "naïve / name", "b"]
