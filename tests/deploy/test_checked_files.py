"""Files for operators, each held against its own linter, which refuses it with a wrong line in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from support.container import DEPLOY, ROOT

BIN = Path(sys.executable).parent
LENIENT = "{extends: default, rules: {line-length: {max: 120}, document-start: disable}}"
HADOLINT = [str(BIN / "hadolint"), "--no-color"]
YAMLLINT = [str(BIN / "yamllint"), "--strict", "-d", LENIENT]
COMPOSE = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
KUBERNETES = [str(BIN / "kubernetes-validate"), "--strict", "-k", "1.33.0"]
NOT_FOR_SERVERS = {"codebooks", "dask", "ipums", "peers", "test"}
"""Extras for preparing files, clusters, comparisons and tests."""

EXPOSURE = 15
"""Tenths, of systemd's own measure from 0 to 100 of what a service could do to its machine."""

UNIT = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here")


def _refused(command: Sequence[str], file: Path) -> str:
    """What a linter says against a file; empty where it says nothing."""
    ran = subprocess.run([*command, str(file)], capture_output=True, text=True)
    return (ran.stdout + ran.stderr or "refused") if ran.returncode else ""


def _with(file: Path, place: Path, old: str, new: str) -> Path:
    """A copy of a file with a fault in it."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    copy = place / file.name
    copy.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


CHECKED = [
    (HADOLINT, "Containerfile", "python:3.11-slim-bookworm AS build", "python:latest AS build", "DL3007"),
    (YAMLLINT, "compose.yaml", "name: pmwpub", "name:  pmwpub", "too many spaces"),
    (YAMLLINT, "kubernetes.yaml", "replicas: 1", "replicas: 1\n  replicas: 2", "duplication of key"),
    (COMPOSE, "compose.yaml", "read_only: true", "readonly: true", "readonly"),
    (KUBERNETES, "kubernetes.yaml", "readOnlyRootFilesystem: true", "readOnlyRoot: true", "readOnlyRoot"),
]


@pytest.mark.parametrize(("linter", "name", "old", "new", "words"), CHECKED, ids=lambda one: str(one)[:24])
def test_a_linter_passes_the_file_and_refuses_it_with_a_fault(
    linter: list[str], name: str, old: str, new: str, words: str, tmp_path: Path
) -> None:
    assert _refused(linter, DEPLOY / name) == ""
    assert words in _refused(linter, _with(DEPLOY / name, tmp_path, old, new))


@UNIT
def test_systemd_takes_the_unit_and_refuses_it_with_a_fault(tmp_path: Path) -> None:
    """The command stands where nothing is installed here, so another one stands in its place."""
    unit = _with(DEPLOY / "pmwpub.service", tmp_path, "ExecStart=/srv/pmwpub/bin/pmwpub ", "ExecStart=/bin/true ")
    verify = ["systemd-analyze", "verify", "--man=no"]
    assert "pmwpub.service" not in _said(verify, unit)
    assert "Unknown key 'ProtectSystems'" in _said(verify, _with(unit, tmp_path, "ProtectSystem=", "ProtectSystems="))


@UNIT
def test_the_unit_leaves_little_of_the_machine_open(tmp_path: Path) -> None:
    measure = ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}"]
    assert _refused(measure, DEPLOY / "pmwpub.service") == ""
    assert _refused(measure, _with(DEPLOY / "pmwpub.service", tmp_path, "CapabilityBoundingSet=", "# none of: "))


def _said(command: Sequence[str], file: Path) -> str:
    return subprocess.run([*command, str(file)], capture_output=True, text=True).stderr


def test_the_image_is_built_from_all_that_the_wheel_is_made_of_and_nothing_else_is_handed_over() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    wheel = {"pmwpub", "app.py", "pages", ".streamlit", "sample_data"}
    assert names == wheel | {"pyproject.toml", "constraints.txt", "README.md", "LICENSE"}
    assert all((ROOT / name).exists() for name in names)
    lines = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    assert lines[1] == "*", "all is left out that is not named below"
    assert {line[1:].partition("/")[0] for line in lines if line.startswith("!")} == names


def test_loops_are_compiled_where_they_are_installed() -> None:
    """Workers look for the package in the current folder first, so that must not be the one with the source."""
    before, check, _ = (DEPLOY / "Containerfile").read_text().partition("RUN PMWPUB_STORE=")
    assert check
    places = re.findall(r"^(?:FROM|WORKDIR) (.*)$", before, re.MULTILINE)
    assert places[1] == "/src", "where the source is copied to"
    assert places[-1] == "/tmp"


def test_the_image_has_every_extra_that_a_server_may_need() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = re.search(r"whl\)\[(.*)\]", (DEPLOY / "Containerfile").read_text())
    assert installed is not None
    assert set(project["optional-dependencies"]) <= {*installed[1].split(","), *NOT_FOR_SERVERS}


def _containers() -> dict[str, dict]:
    """Every container of the compose file and of the manifests, by where it stands."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    found = {f"compose {name}": one for name, one in services.items()}
    for document in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()):
        if document["kind"] == "Deployment":
            pod = document["spec"]["template"]["spec"]
            for one in pod["containers"]:
                found[f"pod {one['name']}"] = {**one, "pod": pod["securityContext"]}
    return found


def test_every_container_is_nobodys_root_and_read_only_without_capabilities() -> None:
    found = _containers()
    assert len(found) == 5
    for where, one in found.items():
        if where.startswith("compose"):
            assert one["user"] in ("10001:10001", "101:101", "postgres"), where
            assert one["read_only"] is True, where
            assert one["cap_drop"] == ["ALL"], where
            assert one["security_opt"] == ["no-new-privileges:true"], where
        else:
            assert one["pod"]["runAsNonRoot"] is True, where
            assert one["securityContext"] == {
                "readOnlyRootFilesystem": True,
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
            }, where


def test_images_have_a_version_and_no_registry() -> None:
    images = {one["image"] for one in _containers().values()}
    images |= set(re.findall(r"^FROM (\S+)", (DEPLOY / "Containerfile").read_text(), re.MULTILINE))
    assert images == {"pmwpub:0.1.0", "nginx:1.28-bookworm", "postgres:15-bookworm", "python:3.11-slim-bookworm"}


def test_the_app_is_reached_through_its_proxy_alone() -> None:
    """Only the proxy's port is opened, and the proxy shares the network in which the app listens."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert compose["services"]["proxy"]["network_mode"] == "service:app"
    assert {name: one["ports"] for name, one in compose["services"].items() if "ports" in one} == {"app": ["443:8443"]}
    assert compose["networks"]["store"] == {"internal": True}
    ports = {name: one["ports"] for name, one in _containers().items() if name.startswith("pod") and "ports" in one}
    assert ports == {"pod proxy": [{"name": "https", "containerPort": 8443}]}
