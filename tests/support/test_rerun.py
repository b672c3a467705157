"""What becomes of tests that ran out of time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

SUITE = """
import pathlib
import pytest

class TimeoutError(Exception):
    __module__ = "playwright._impl._errors"

def try_of(name):
    seen = pathlib.Path(__file__).with_name(name + ".tries")
    tries = seen.read_text().count("x") + 1 if seen.exists() else 1
    seen.write_text("x" * tries)
    return tries
"""

SLOW = """
{mark}
def test_{name}():
    if try_of("{name}") <= {slow_tries}:
        raise {error}
"""


class Suite:
    """A suite of its own in a folder, in which tests are slow at their first tries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.text = SUITE
        (folder / "pytest.ini").write_text("[pytest]\nmarkers = browser\n")

    def add(self, name: str, slow_tries: int, *, error: str = "TimeoutError('30 s')", browser: bool = True) -> None:
        mark = "@pytest.mark.browser" if browser else ""
        self.text += SLOW.format(name=name, slow_tries=slow_tries, error=error, mark=mark)

    def run(self, *options: str) -> tuple[int, str]:
        """Exit status and output."""
        (self.folder / "test_it.py").write_text(self.text)
        command = [sys.executable, "-m", "pytest", "-p", "rerun", *options]
        path = {"PYTHONPATH": str(TESTS), "PATH": "/usr/bin:/bin"}
        found = subprocess.run(command, cwd=self.folder, env=path, capture_output=True, text=True, check=False)
        return found.returncode, found.stdout + found.stderr

    def tries(self, name: str) -> int:
        seen = self.folder / f"{name}.tries"
        return len(seen.read_text()) if seen.exists() else 0


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tmp_path)


WAYS = [(), ("-n", "2", "--dist", "loadscope")]


@pytest.mark.parametrize("options", WAYS)
def test_a_browser_test_that_ran_out_of_time_is_run_once_more_alone_and_named(
    suite: Suite, options: tuple[str, ...]
) -> None:
    suite.add("quick", 0)
    suite.add("slow", 1)
    status, said = suite.run(*options)
    assert status == 0, said
    assert "FLAKY test_it.py::test_slow (ran out of time, and passed when run alone)" in said
    assert "1 passed, 1 out of time" in said
    assert (suite.tries("quick"), suite.tries("slow")) == (1, 2)


@pytest.mark.parametrize("options", WAYS)
def test_one_that_fails_again_fails_the_run(suite: Suite, options: tuple[str, ...]) -> None:
    suite.add("slow", 2)
    suite.add("other", 1)
    status, said = suite.run(*options)
    assert status == 1, said
    assert "FAILED test_it.py::test_slow" in said
    assert "FLAKY test_it.py::test_other" in said
    assert (suite.tries("slow"), suite.tries("other")) == (2, 2)


@pytest.mark.parametrize("options", WAYS)
def test_more_than_two_fail_the_run_and_are_not_run_again(suite: Suite, options: tuple[str, ...]) -> None:
    for name in "abc":
        suite.add(name, 1)
    status, said = suite.run(*options)
    assert status == 1, said
    assert "3 browser tests ran out of time" in said
    assert all(f"test_it.py::test_{name}" in said and suite.tries(name) == 1 for name in "abc")


@pytest.mark.parametrize(
    ("error", "browser"),
    [("TimeoutError('30 s')", False), ("AssertionError('wrong')", True), ("__builtins__['TimeoutError']()", True)],
)
def test_nothing_else_is_run_again(suite: Suite, error: str, browser: bool) -> None:
    suite.add("wrong", 1, error=error, browser=browser)
    suite.add("slow", 1)
    status, said = suite.run()
    assert status == 1, said
    assert "1 failed, 1 out of time" in said
    assert (suite.tries("wrong"), suite.tries("slow")) == (1, 2)


def test_an_expectation_that_never_came_true_ran_out_of_time(suite: Suite) -> None:
    (suite.folder / "playwright" / "_impl").mkdir(parents=True)
    (suite.folder / "playwright" / "_impl" / "_assertions.py").write_text("def expect():\n    raise AssertionError\n")
    suite.text += "import sys; sys.path.insert(0, str(pathlib.Path(__file__).parent / 'playwright' / '_impl'))\n"
    suite.text += "import _assertions\n"
    suite.add("slow", 1, error="_assertions.expect()")
    status, said = suite.run()
    assert status == 0, said
    assert "FLAKY test_it.py::test_slow" in said


def test_playwrights_own_error_is_known() -> None:
    from support.rerun import ran_out_of_time

    sync_api = pytest.importorskip("playwright.sync_api")
    assert ran_out_of_time(sync_api.TimeoutError("30 s"), Path("test_it.py"))
    assert not ran_out_of_time(sync_api.Error("closed"), Path("test_it.py"))
    assertions = pytest.importorskip("playwright._impl._assertions")
    assert ran_out_of_time(AssertionError("Locator expected to be visible"), Path(assertions.__file__))
