"""Only declared channels see private data: with these forced, nothing that leaves tells two neighbours apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from guarantees import faults
from guarantees.flows import LAWS, through_the_command_line, through_the_pages, through_the_service
from guarantees.people import Neighbours, neighbours, neighbours_by_id
from guarantees.traces import Trace, differences
from pages.visits import PAGES

Run = Callable[[Neighbours, str], tuple[Trace, Trace]]


@pytest.fixture
def run(tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a flow on two stores, one for each neighbour; their traces."""

    def both(pair: Neighbours, way: str) -> tuple[Trace, Trace]:
        traces = []
        for name, private in (("ours", pair.ours), ("theirs", pair.theirs)):
            folder = tmp_path / way / name
            folder.mkdir(parents=True)
            if way in ("service", "one law"):
                laws = LAWS if way == "service" else LAWS[:1]
                traces.append(through_the_service(folder, pair, private, caplog, capfd, laws))
            elif way.startswith("pages"):
                traces.append(through_the_pages(folder, pair, private, way.split()[1:]))
            else:
                traces.append(through_the_command_line(folder, pair, private, capfd))
        return traces[0], traces[1]

    return both


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("way", ["service", "command line"])
def test_nothing_that_leaves_tells_two_neighbours_apart(run: Run, k: int, way: str) -> None:
    ours, theirs = run(neighbours(k), way)
    assert differences(ours, theirs) == set()
    assert len(ours.queries) >= 10
    assert len(ours.answers) == len(ours.queries)
    assert {call.split()[0] for call in ours.calls} == {"select", "measure", "vector", "lattice", "cell", "best"}
    assert len(ours.exports) > 15
    assert {"three columns/tables.csv", "wide/tables.csv"} & set(ours.exports), "tables of three columns are among it"
    assert way == "service" or "coarse/tables.csv" in ours.exports, "coarse tables are among it"


def test_nothing_that_leaves_tells_neighbours_apart_where_k_rows_stay_of_an_id(run: Run) -> None:
    pair = neighbours_by_id(2)
    ours, theirs = run(pair, "one law")
    assert differences(ours, theirs) == set()
    assert len(ours.queries) >= 10
    assert len(ours.exports) > 15
    assert "all rows of one ID" in str(ours.exports)


@pytest.mark.parametrize(("k", "views"), [(1, ["plain"]), (3, ["release", "stakeholder"])])
def test_a_viewers_pages_are_equal_element_by_element(run: Run, k: int, views: list[str]) -> None:
    ours, theirs = run(neighbours(k), " ".join(["pages", *views]))
    assert [page for page in ours.pages if ours.pages[page] != theirs.pages[page]] == []
    assert len(ours.pages) == len(PAGES) * len(views)
    assert all(len(seen) > 12 for seen in ours.pages.values())  # type: ignore[arg-type]
    assert differences(ours, theirs) == set()


@pytest.mark.parametrize(
    ("plant", "check"),
    [
        pytest.param(faults.domain_from_private_rows, "exports", marks=pytest.mark.fault("domain from private rows")),
        pytest.param(
            faults.best_iterate_by_exact_score, "exports", marks=pytest.mark.fault("exact-score best iterate")
        ),
        pytest.param(faults.rows_dropped, "answers", marks=pytest.mark.fault("dropped rows that change n")),
        pytest.param(faults.seed_from_private_rows, "exports", marks=pytest.mark.fault("seed from private rows")),
        pytest.param(
            faults.columns_from_private_rows,
            "ledger",
            marks=pytest.mark.fault("risky columns chosen from private rows"),
        ),
        pytest.param(faults.bar_from_private_rows, "ledger", marks=pytest.mark.fault("a bar from private rows")),
        pytest.param(faults.early_stop, "calls", marks=pytest.mark.fault("rounds that depend on private counts")),
        pytest.param(
            faults.unmapped_count_in_a_message, "output", marks=pytest.mark.fault("unmapped count in a message")
        ),
        pytest.param(faults.unmapped_count_in_the_log, "logs", marks=pytest.mark.fault("unmapped count in the log")),
        pytest.param(
            faults.unmapped_count_in_the_ledger, "ledger", marks=pytest.mark.fault("unmapped count in the ledger")
        ),
        pytest.param(faults.name_from_private_rows, "exports", marks=pytest.mark.fault("plain hash of private rows")),
    ],
)
def test_a_planted_leak_is_caught_by_its_check(
    run: Run, plant: faults.Plant, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    way = "service" if plant is faults.best_iterate_by_exact_score else "one law"
    assert check in differences(*run(neighbours(3), way))
