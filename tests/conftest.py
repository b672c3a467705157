"""What every test gets: a throwaway store, fixed hypothesis profiles, and skips that CI does not forgive."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ("support.faults", "support.rerun")

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("PMWPUB_DATA", ROOT.parent / "shared" / "data"))
EVERYTHING_MUST_RUN = os.environ.get("PMWPUB_REQUIRE_BROWSER") == "1"

settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session", autouse=True)
def throwaway_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """PMWPUB_STORE points at an empty SQLite file, so that no test ever touches a real ledger."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store') / 'ledger.sqlite'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PMWPUB_STORE", url)
        yield url


@pytest.fixture(autouse=True)
def own_main_module() -> Iterator[None]:
    """AppTest puts its script in the place of `__main__`, which the worker processes of later tests would import."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the ADULT and census rows; mark its tests with `data`."""
    return DATA


@pytest.fixture(autouse=True)
def without_data(request: pytest.FixtureRequest) -> None:
    """A test that is marked with `data` is skipped where there are none, also one whose data a program reads."""
    if request.node.get_closest_marker("data") is not None and not (DATA / "adult").is_dir():
        pytest.skip(f"The ADULT and census rows are not at {DATA}; set PMWPUB_DATA to where they are.")


def _unforgiven(excuse: object) -> str:
    return f"Skipped where nothing may be skipped (PMWPUB_REQUIRE_BROWSER=1): {excuse}"


def _reason(longrepr: object) -> object:
    return longrepr[2] if isinstance(longrepr, tuple) else longrepr


def _lacks_an_option(item: pytest.Item) -> bool:
    lacking = {"data": not (DATA / "adult").is_dir(), "spreadsheet": shutil.which("soffice") is None}
    return any(lacking[name] for name in lacking if item.get_closest_marker(name) is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With PMWPUB_REQUIRE_BROWSER=1 a skipped test fails, unless it lacks only the optional data or spreadsheet."""
    report = yield
    if EVERYTHING_MUST_RUN and report.skipped and not hasattr(report, "wasxfail") and not _lacks_an_option(item):
        report.outcome, report.longrepr = "failed", _unforgiven(_reason(report.longrepr))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips itself while it is read."""
    report = yield
    if EVERYTHING_MUST_RUN and report.skipped:
        report.outcome, report.longrepr = "failed", _unforgiven(_reason(report.longrepr))
    return report
