"""The repository itself: what it must not hold, sizes, pins and settings."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
MODULE_LINES, PAGE_LINES = 300, 100
REGISTRY = re.compile(r"pypi\.org|pythonhosted\.|npmjs\.|debian\.org|(extra-)?index-url\s*=|find-links\s*=|file:[/]{3}")
MACHINE_PATH = re.compile(r"(?<![\w./])/(?:work|root|home|opt|Users)/\w")


def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def _tracked_text() -> Iterator[tuple[str, str]]:
    for path in _tracked():
        body = path.read_bytes()
        if b"\0" not in body and path.suffix not in {".csv", ".svg"}:
            yield str(path.relative_to(ROOT)), body.decode("utf-8")


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def config() -> dict:
    return tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pins() -> dict[str, Version]:
    found = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        name, version = re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)", line).groups()
        found[canonicalize_name(name)] = Version(version)
    return found


@pytest.mark.parametrize("pattern", [REGISTRY, MACHINE_PATH], ids=["registry address", "machine path"])
def test_no_tracked_file_names_a_registry_or_a_path_of_one_machine(pattern: re.Pattern[str]) -> None:
    found = [
        f"{name}:{number}"
        for name, text in _tracked_text()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found


def test_modules_stay_under_three_hundred_lines_and_pages_under_a_hundred() -> None:
    long = []
    for path in _tracked():
        inside = path.relative_to(ROOT).parts
        if path.suffix == ".py" and (inside[0] in {"pmwpub", "pages"} or inside == ("app.py",)):
            limit = MODULE_LINES if inside[0] == "pmwpub" else PAGE_LINES
            lines = len(path.read_text(encoding="utf-8").splitlines())
            long += [f"{'/'.join(inside)}: {lines}"] if lines >= limit else []
    assert not long


def test_a_pin_stands_for_every_dependency_and_satisfies_it(project: dict, pins: dict[str, Version]) -> None:
    wanted = list(project["project"]["dependencies"])
    for extra in project["project"]["optional-dependencies"].values():
        wanted += extra
    for requirement in map(Requirement, wanted):
        assert pins[canonicalize_name(requirement.name)] in requirement.specifier, str(requirement)


def test_every_test_marker_and_warning_rule_is_strict(project: dict) -> None:
    options = project["tool"]["pytest"]["ini_options"]
    assert options["filterwarnings"][0] == "error"
    assert "--strict-markers" in options["addopts"]


def test_the_licence_is_the_whole_apache_licence(project: dict) -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert project["project"]["license"] == "Apache-2.0"
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


@pytest.mark.parametrize(
    ("section", "option", "value"),
    [
        ("server", "address", "localhost"),
        ("server", "enableXsrfProtection", True),
        ("server", "enableAgentApi", False),
        ("server", "maxUploadSize", 200),
        ("server", "fileWatcherType", "none"),
        ("browser", "gatherUsageStats", False),
        ("client", "showErrorDetails", "none"),
        ("client", "showErrorLinks", False),
        ("client", "toolbarMode", "minimal"),
        ("runner", "magicEnabled", False),
    ],
)
def test_the_app_keeps_to_this_machine_and_tells_nobody(config: dict, section: str, option: str, value: object) -> None:
    assert config[section][option] == value


def test_streamlit_knows_every_option_that_is_set(config: dict) -> None:
    from streamlit.config import get_config_options

    options = set(get_config_options())

    def names(table: dict, prefix: str) -> Iterator[str]:
        for key, value in table.items():
            if isinstance(value, dict):
                yield from names(value, f"{prefix}{key}.")
            else:
                yield f"{prefix}{key}"

    assert set(names(config, "")) <= options


def test_no_font_or_file_is_fetched_from_elsewhere(config: dict) -> None:
    assert "://" not in (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert config["theme"]["font"] == "sans-serif"


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_links_and_buttons_are_legible_in_both_themes(config: dict, mode: str) -> None:
    theme = config["theme"][mode]
    for background in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert _contrast(theme["textColor"], background) >= 7
        assert _contrast(theme["linkColor"], background) >= 4.5
        assert _contrast(theme["primaryColor"], background) >= 3, "controls: WCAG 2.2, 1.4.11"
    assert _contrast(theme["primaryColor"], "#FFFFFF") >= 4.5, "white words on primary buttons"


def test_charts_use_one_palette(config: dict) -> None:
    from pmwpub.figures import PALETTE

    assert tuple(config["theme"]["chartCategoricalColors"]) == PALETTE
