"""What a visitor who speaks to the server without a browser can do to everybody else."""

from __future__ import annotations

from browser.conftest import Server
from browser.plain_client import visiting
from jobs.waiting import until


def test_a_visitor_who_empties_the_caches_leaves_the_workers_as_they_are(server: Server) -> None:
    with visiting(server.url) as visitor, visiting(server.url) as other:
        other.open("population=nowhere")
        assert until(lambda: len(server.workers()) == 2)
        workers = sorted(server.workers())
        for _ in range(8):
            visitor.clear_caches()
            visitor.open()
            other.open("population=nowhere")
        assert sorted(server.workers()) == workers
    assert "Traceback" not in server.log()
