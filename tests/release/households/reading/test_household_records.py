"""Records of a release of households: two tables that an id joins, a household as the unit, nothing private."""

from __future__ import annotations

import csv
import inspect
import io
import json
import socket
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from release.catalogue.registry_rules import ENTRY
from support.commands import Commands

from pmwpub.errors import CertificateError, WorkloadError
from pmwpub.release.catalogue.about_release import AboutRelease
from pmwpub.release.catalogue.croissant_record import croissant
from pmwpub.release.catalogue.published_households import PublishedHouseholds
from pmwpub.release.catalogue.record_formats import record_of
from pmwpub.release.households.household_checks import household_files_in
from pmwpub.release.households.household_files import HOUSEHOLD_FILES

BEFORE = Path(__file__).parents[2] / "before" / "households"
DAY = date(2030, 1, 1)
FULL = AboutRelease.from_json(
    json.dumps(
        {
            "curator": "Town Office", "curator_type": "Government", "intended_use": "Teaching.", "region": "Town",
            "license": "CC-BY-4.0", "url": "https://example.org/town", "entry_authors": ["Town Office"],
            "why_delta": "As the town has it.",
        }
    ).encode()
)  # fmt: skip
QUIET = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib", "ignore::DeprecationWarning:mlcroissant")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a record reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture(params=["new", "before"])
def files(request: pytest.FixtureRequest) -> dict[str, bytes]:
    """Those of a release with a report, and of one from before there were reports."""
    if request.param == "before":
        return {name: (BEFORE / name).read_bytes() for name in HOUSEHOLD_FILES}
    return household_files_in(request.getfixturevalue("town") / "out")


def release(files: dict[str, bytes], about: AboutRelease = FULL) -> PublishedHouseholds:
    return PublishedHouseholds.of(files, about, DAY)


def rows_of(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode(), newline="")))


@QUIET
def test_mlcroissant_reads_persons_and_their_households(tmp_path: Path, files: dict[str, bytes]) -> None:
    import mlcroissant

    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    (tmp_path / "croissant.json").write_bytes(croissant(release(files)))
    found = mlcroissant.Dataset(jsonld=tmp_path / "croissant.json")
    assert not found.metadata.ctx.issues.errors
    homes = list(found.records("households"))
    assert [one["households/home"] for one in homes] == [int(row["home"]) for row in rows_of(files["households.csv"])]
    sizes = {one["households/home"]: one["households/column-2"] for one in homes}
    persons = list(found.records("persons"))
    assert len(persons) == len(rows_of(files["persons.csv"])) == sum(sizes.values())
    assert {one["persons/home"] for one in persons} == set(sizes)
    assert sum(one["weights/weight"] for one in found.records("weights")) == pytest.approx(1)


def test_a_croissant_names_the_key_and_who_refers_to_it(files: dict[str, bytes]) -> None:
    record = json.loads(croissant(release(files)))
    sets = {one["@id"]: one for one in record["recordSet"]}
    assert set(sets) == {"persons", "households", "weighted_persons", "weights", "tables"}
    assert {name: one.get("key") for name, one in sets.items() if "key" in one} == {
        "households": {"@id": "households/home"},
        "weights": {"@id": "weights/home"},
    }
    referring = {
        field["@id"]: field["references"] for one in sets.values() for field in one["field"] if "references" in field
    }
    assert referring == {
        "persons/home": {"field": {"@id": "households/home"}},
        "weighted_persons/home": {"field": {"@id": "weights/home"}},
    }
    assert {one["name"] for one in record["distribution"]} == set(files)


def entry(files: dict[str, bytes], about: AboutRelease = FULL) -> Any:
    (body,) = record_of(release(files, about), "registry").files.values()
    return yaml.safe_load(body)


def test_the_registry_takes_the_entry_whose_unit_is_a_household(files: dict[str, bytes]) -> None:
    found = entry(files)
    check = jsonschema.Draft7Validator(ENTRY, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)
    assert [one.message for one in check.iter_errors(found)] == []
    stated, loss = json.loads(files["certificate.json"]), found["deployment"]["privacy_loss"]
    assert loss["privacy_unit"] == "one household of 1 to 4 persons"
    assert loss["number_of_privacy_units"] == stated["n"] == 60
    assert "largest_household = 4" in loss["privacy_unit_details"]
    numbers = loss["privacy_parameters"]
    assert numbers["epsilon"] == stated["epsilon"]
    assert numbers["rho"] >= float(stated["rho"])
    assert "the number of persons is not" in loss["privacy_unit_details"]
    implementation = found["deployment"]["implementation"]
    assert implementation["justification"].startswith("As the town has it.")
    assert "H√2 in L2" in implementation["mechanisms"]
    assert "households.csv" in implementation["additional_information"]


def test_what_nobody_said_is_listed(files: dict[str, bytes]) -> None:
    silent = release(files, AboutRelease())
    assert record_of(silent, "croissant").lacking == ("curator", "license", "url")
    assert "deployment.basic.intended_use" in record_of(silent, "registry").lacking
    assert silent.published == date.fromisoformat(json.loads(files["certificate.json"])["charged_at"][:10])
    assert silent.name == "Synthetic households of homes"


def test_the_questions_of_sp_800_226_are_answered_for_households(files: dict[str, bytes]) -> None:
    about = FULL.model_copy(update={"columns": ("age", "household size")})
    (body,) = record_of(release(files, about), "nist-800-226").files.values()
    found = json.loads(body)
    said = {one["question"]: one for one in found["answers"]}
    assert "1 to 4 persons" in said["Unit of privacy"]["answer"]
    assert said["Why this δ"]["publisher"] == "As the town has it."
    ages, sizes = found["error_by_level"]
    assert (ages["of"], sizes["of"]) == ("persons", "households")
    assert [one["level"] for one in sizes["levels"]] == ["1", "2", "3", "4"]
    assert all(one["low"] <= one["share"] <= one["high"] for one in [*ages["levels"], *sizes["levels"]])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_crate_has_every_file_and_what_it_was_made_from(files: dict[str, bytes]) -> None:
    made = record_of(release(files), "ro-crate").files
    assert set(made) == {*files, "ro-crate-metadata.json"}
    graph = {one["@id"]: one for one in json.loads(made["ro-crate-metadata.json"])["@graph"]}
    stated = json.loads(files["certificate.json"])
    assert graph["#release"]["endTime"] == stated["charged_at"]
    assert f"#public-{stated['candidate']['sha256']}" in graph


@pytest.mark.parametrize("wanted", ["croissant", "registry", "nist-800-226", "ro-crate"])
def test_the_command_writes_what_the_library_makes(town: Path, wanted: Any, tmp_path: Path) -> None:
    target = tmp_path / "record"
    said = Commands(town).run(
        "certificate", "export", "--format", wanted, "--release", "out", "-o", str(target)
    )  # fmt: skip
    assert said["format"] == wanted
    made = record_of(release(household_files_in(town / "out"), AboutRelease()), wanted).files
    if len(made) > 1:
        assert {path.name: path.read_bytes() for path in target.iterdir()} == made
    else:
        assert [target.read_bytes()] == list(made.values())


def test_a_signature_lies_among_the_files_of_a_record(town: Path, tmp_path: Path) -> None:
    """Sign, check and describe: the signature is of the certificate, which names the report."""
    run = Commands(tmp_path).run
    (tmp_path / "out").mkdir()
    for path in (town / "out").iterdir():
        (tmp_path / "out" / path.name).write_bytes(path.read_bytes())
    run("certificate", "keygen", "-o", "key")
    run("certificate", "sign", "out", "--key", "key")
    assert run("certificate", "check", "out", "--public-key", "key.pub")["unlisted"] == []
    run("certificate", "export", "--format", "croissant", "--release", "out", "-o", "record.json")
    named = [one["name"] for one in json.loads((tmp_path / "record.json").read_text())["distribution"]]
    assert {"certificate.sig", "report.html"} <= set(named)


def test_no_record_is_made_of_what_is_not_the_certificate_s(files: dict[str, bytes]) -> None:
    for name in ("persons.csv", "rebuild.py"):
        with pytest.raises(CertificateError, match=name.replace(".", r"\.")):
            release(files | {name: files[name] + b"x"})
    with pytest.raises(WorkloadError, match="no column 'colour'"):
        release(files, AboutRelease(columns=("colour",)))
    assert list(inspect.signature(PublishedHouseholds.of).parameters) == ["files", "about", "day"]
