"""The planted faults: a marker for the tests that plant one, and a table of them with the test that caught each.

`@pytest.mark.fault("half the noise")` says that a test plants that fault and fails unless a check catches it. With
`--faults` pytest ends with the table, and fails if a fault of LISTED was not caught.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator

import pytest

LISTED = (
    "half the noise",
    "n missing",
    "wrong sensitivity for k rows",
    "permute-and-flip charged ε²/8",
    "early-stopped best-mixture error released as 1/n",
    "domain from private rows",
    "exact-score best iterate",
    "charge after noise",
    "seed reuse",
    "redraw on refresh",
    "double charge",
    "dropped rows that change n",
    "float noise",
    "rounding down",
    "a round not charged",
    "a floored weight table",
    "q(A) summed in floats",
    "floor and start sold for one charge",
    "twice the charged rho in selection",
    "twice the charged rho in measurement",
    "twice the charged rho in both",
    "the root of two forgotten",
    "a table not charged",
    "shares from private counts",
    "a prior strength chosen on exact tables",
    "rows added where exact tables show people",
    "twice the charged rho in tables",
    "comparisons decide a purchase in a shared service",
    "a candidate is stored or refused by private rows",
    "the verdict of a comparison is recorded",
    "a cell's code depends on the cells beside it",
    "rows without an ID counted",
    "the root of c + 1 forgotten",
    "rows with any misfit not charged",
    "twice the charged rho in a look at the fit",
    "risky columns chosen from private rows",
    "the halving of a variation forgotten",
    "the range of a term without its zero",
    "a criterion not charged",
    "twice the charged rho in an acceptance",
    "a bar from private rows",
    "a verdict by the number alone",
    "attempts not counted",
    "criteria added afterwards",
    "k missing in a number that is sold",
)
"""What the project's statement of guarantees names."""

_CAUGHT = "caught fault"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--faults", action="store_true", help="end with a table of the planted faults that were caught")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fault(description): plants this fault and fails unless a check catches it")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note on the report of a test which faults it plants; user properties reach the controller of xdist too."""
    report = yield
    if report.when == "call":
        report.user_properties += [(_CAUGHT, mark.args[0]) for mark in item.iter_markers("fault")]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--faults"):
        return
    caught, missed = _sorted(terminalreporter, "passed"), _sorted(terminalreporter, "failed")
    terminalreporter.section(f"{len(caught)} planted faults were caught")
    for fault in dict.fromkeys([*LISTED, *sorted(set(caught) | set(missed))]):
        tests = caught.pop(fault, [])
        for number, test in enumerate(tests):
            terminalreporter.write_line(f"{fault if not number else '':52} {test}")
        for test in missed.pop(fault, []):
            terminalreporter.write_line(f"{fault:52} NOT CAUGHT by {test}")
        if fault in LISTED and not tests:
            terminalreporter.write_line(f"{fault:52} NOT COVERED by the tests that ran")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail where a listed fault was caught by no test."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    passed = exitstatus == pytest.ExitCode.OK and reporter is not None
    if session.config.getoption("--faults") and passed and set(LISTED) - set(_sorted(reporter, "passed")):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _sorted(reporter: pytest.TerminalReporter, outcome: str) -> dict[str, list[str]]:
    """Fault -> the tests of that outcome that plant it."""
    found: dict[str, list[str]] = defaultdict(list)
    for report in reporter.stats.get(outcome, []):
        for name, value in getattr(report, "user_properties", ()):
            if name == _CAUGHT:
                found[str(value)].append(report.nodeid)
    return found
