"""CPU of the server a rerun, by page, and its memory: with Streamlit's full collection after each run, and without.

    python benchmarks/rerun_cost.py [--sessions 5] [--reruns 40]

Starts `streamlit run app.py` on a throwaway store with a demo in it, opens sessions that speak Streamlit's own protocol
over a websocket, and has each run each page again and again. CPU is the server process's own, by the kernel's count.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
for folder in (ROOT, ROOT / "tests"):
    sys.path.insert(0, str(folder))

from browser.conftest import Server  # noqa: E402 - the tests' own helpers
from browser.stage import service_on  # noqa: E402
from loading.server_costs import megabytes, page_costs  # noqa: E402

from pmwpub.service.inputs import demo  # noqa: E402


def measure(collecting: str, sessions: int, reruns: int) -> None:
    """Print a line a page, and the mean of pages."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), options=("--runner.postScriptGC", collecting))
        with service_on(server.store_url) as service:
            name, _ = demo.open_demo(service)
        server.start()
        assert server.process is not None
        costs = []
        try:
            for page, each in page_costs(server.url, server.process.pid, f"population={name}", sessions, reruns):
                costs.append(each)
                now = megabytes(server.process.pid)
                print(f"postScriptGC={collecting:5}  {page or 'home':11}{1000 * each:7.1f} ms a rerun{now:8.0f} MB")
        finally:
            server.stop()
        print(f"postScriptGC={collecting:5}  mean of pages {1000 * sum(costs) / len(costs):.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=5)
    parser.add_argument("--reruns", type=int, default=40)
    asked = parser.parse_args()
    for setting in ("true", "false"):
        measure(setting, asked.sessions, asked.reruns)
