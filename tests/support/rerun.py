"""A browser test that ran out of time is run once more, alone, after all others; nothing else ever is.

A busy machine can be too slow for a page. Such a test does not fail at first: when the session is over, each is run
again in a process of its own. One that passes then is named as flaky, one that does not fails the run, and so do more
than `MOST` of them, which are not run again. With pytest-xdist the controller does it, once the workers are done.
"""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Generator
from pathlib import Path

import pytest

MOST = 2
LAST_TRY = "PMWPUB_LAST_TRY"
"""Set in the process of a second run: what runs out of time there fails."""


def ran_out_of_time(error: BaseException, raised_in: Path) -> bool:
    """Whether Playwright gave up waiting: its TimeoutError, or an `expect` that never came true."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(error).__mro__}
    waited = isinstance(error, AssertionError) and raised_in.parts[-3:] == ("playwright", "_impl", "_assertions.py")
    return ("playwright", "TimeoutError") in kinds or waited


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put off the failure of a browser test that ran out of time."""
    report = yield
    if report.failed and call.excinfo is not None and LAST_TRY not in os.environ:
        raised_in = Path(traceback.extract_tb(call.excinfo.tb)[-1].filename)  # with the frames that reports hide
        waited = ran_out_of_time(call.excinfo.value, raised_in)
        if waited and item.get_closest_marker("browser") is not None:
            report.outcome = "out of time"  # type: ignore[assignment]
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Count and show such a test as what it is."""
    return ("out of time", "T", "OUT OF TIME") if report.outcome == "out of time" else None  # type: ignore[comparison-overlap]


class Rerun:
    """Keeps the tests that ran out of time, and runs them again at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._late: dict[str, str] = {}
        self._said: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In the controller reports of all workers arrive here."""
        if report.outcome == "out of time":  # type: ignore[comparison-overlap]
            self._late.setdefault(report.nodeid, report.longreprtext)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Run them once more, unless they are too many or somebody stopped the session."""
        if not self._late:
            return
        if len(self._late) > MOST or session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self._said.append(f"{len(self._late)} browser tests ran out of time; at most {MOST} are run once more:")
            self._said += [f"{name}\n{why}" for name, why in self._late.items()]
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            return
        for name, why in self._late.items():
            second = self._again(name)
            if second.returncode:
                self._said.append(f"FAILED {name} (ran out of time, and failed when run alone)\n{why}\n{second.stdout}")
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
            else:
                self._said.append(f"FLAKY {name} (ran out of time, and passed when run alone)")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name them."""
        if self._said:
            terminalreporter.section("browser tests that ran out of time")
        for words in self._said:
            terminalreporter.write_line(words)

    def _again(self, name: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", name, *_plugins(self._config)]
        environment = os.environ | {LAST_TRY: "1"}
        return subprocess.run(
            command, cwd=self._config.invocation_params.dir, env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _plugins(config: pytest.Config) -> list[str]:
    """The plugins that the command line named, for the second run; and the same root, which node ids count from."""
    named = [part for plugin in config.known_args_namespace.plugins for part in ("-p", plugin)]
    return [*named, f"--rootdir={config.rootpath}"]


def pytest_configure(config: pytest.Config) -> None:
    """In the process that the session's result comes from."""
    if not hasattr(config, "workerinput") and LAST_TRY not in os.environ:
        config.pluginmanager.register(Rerun(config), "rerun of browser tests")
