"""The wheel: all that the app needs, the app started by name from any folder, and its settings in force there."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.installed_app import ROOT, InstalledApp, built_wheel, unpacked

LOOPBACK = {"0100007F", "00000000000000000000000001000000"}
HOSTILE = """
[server]
address = "0.0.0.0"
enableXsrfProtection = false
maxUploadSize = 4000
[browser]
gatherUsageStats = true
[client]
showErrorDetails = "full"
[theme.light]
primaryColor = "#FF0000"
"""
HOSTILE_VARIABLES = {
    "STREAMLIT_SERVER_ADDRESS": "0.0.0.0",
    "STREAMLIT_SERVER_ENABLE_CORS": "false",
    "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full",
    "STREAMLIT_RUNNER_POST_SCRIPT_GC": "true",
    "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "9999",
    "STREAMLIT_THEME_LIGHT_PRIMARY_COLOR": "#FF0000",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(wheel, tmp_path_factory.mktemp("site"))


def _tracked(*patterns: str) -> set[str]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def test_the_wheel_holds_package_app_pages_settings_and_sample_and_nothing_else(wheel: Path) -> None:
    beside = _tracked("app.py", "pages", ".streamlit", "sample_data")
    assert {"app.py", "pages/protect.py", ".streamlit/config.toml", "sample_data/state_a.csv"} <= beside
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if not name.startswith("pmwpub-")}
    assert inside == _tracked("pmwpub") | {f"pmwpub/app_files/{name}" for name in beside}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_settings_have_one_home(wheel: Path) -> None:
    own = (ROOT / ".streamlit" / "config.toml").read_bytes()
    assert zipfile.ZipFile(wheel).read("pmwpub/app_files/.streamlit/config.toml") == own
    assert _tracked("*config.toml") == {".streamlit/config.toml"}


@pytest.fixture(scope="module")
def app(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InstalledApp]:
    """Started below a path, in a folder and a home and under variables that all say otherwise than the file."""
    place, home = tmp_path_factory.mktemp("elsewhere"), tmp_path_factory.mktemp("home")
    for folder in (place, home):
        (folder / ".streamlit").mkdir()
        (folder / ".streamlit" / "config.toml").write_text(HOSTILE)
    app = InstalledApp(site, place, home, HOSTILE_VARIABLES)
    app.start("--base-path", "tools/pmwpub", base="/tools/pmwpub")
    yield app
    app.stop()


def _options(table: dict[str, Any], section: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _options(value, f"{section}{key}.")
        else:
            yield f"{section}{key}", value


def test_every_value_of_the_settings_is_in_force_in_the_running_server(app: InstalledApp) -> None:
    wanted = dict(_options(tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))))
    found = app.options()
    assert len(wanted) > 30
    assert {name: found[name] for name in wanted} == wanted
    assert Path(found["pmwpub"]).is_relative_to(app.site)
    assert (found["server.port"], found["server.baseUrlPath"]) == (app.port, "tools/pmwpub")


def test_it_listens_on_the_loopback_address_alone(app: InstalledApp) -> None:
    addresses = {tuple(one.split(":")) for one in app.listening()}
    assert {int(port, 16) for _, port in addresses} == {app.port}
    assert {address for address, _ in addresses} <= LOOPBACK


def test_the_page_and_the_programs_own_addresses_stand_below_the_base_path(app: InstalledApp) -> None:
    with urllib.request.urlopen(f"{app.url}/tools/pmwpub/", timeout=60) as answer:
        assert b"<title>" in answer.read()
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    status = subprocess.run(
        [sys.executable, "-c", f"import urllib.request as r; r.urlopen('{app.url}/ready', timeout=60).read()"],
        capture_output=True,
    ).returncode
    assert status, "what stands below a path stands nowhere else"


def test_variables_that_would_overrule_the_file_are_passed_over_in_words(app: InstalledApp) -> None:
    words = app.log()
    assert all(f"pmwpub: {name} is passed over" in words for name in HOSTILE_VARIABLES)


@pytest.mark.parametrize(
    "arguments",
    [["--port", "0"], ["--port", "65536"], ["--base-path", "a b"], ["--base-path", "../x"], ["--base-path", "/"]],
    ids=lambda arguments: " ".join(arguments),
)
def test_a_port_or_a_path_that_is_none_is_refused(arguments: list[str]) -> None:
    ran = subprocess.run([sys.executable, "-m", "pmwpub.cli", "app", *arguments], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "came" in ran.stderr
