"""Run as a program: one of two servers on one store. Reads plans line by line, prints what became of each as JSON.

A line is a list of plan labels: all are sent at once, each a job of the given steps, then waited for.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jobs.sample_tasks import TASKS
from ledger.terms import charge, key, people

from pmwpub.errors import Overspent
from pmwpub.jobs import Engine
from pmwpub.ledger import Ledger, Order
from pmwpub.service import Outcome, Service
from pmwpub.service.core import Spending


def send(service: Service, label: str, units: int, seconds: float) -> Outcome | None:
    """Charge and run one plan; None if it is too dear."""
    try:
        order = Order(key(label), "{}", (charge(units),))
        one = Spending(order, "count", lambda: (4, seconds), lambda booking, found: bytes(found))  # type: ignore[call-overload]
        return service.spend("A", [one], table=None, terms=people())[0]
    except Overspent:
        return None


def main(url: str, units: int) -> None:
    with Ledger.open(url) as ledger:
        service = Service(ledger, Engine(2, waiting=100, tasks=TASKS))
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            labels, seconds = json.loads(line)
            sent = {label: send(service, label, units, seconds) for label in labels}
            first = {label: one and [one.fresh, one.status] for label, one in sent.items()}
            for one in sent.values():
                if one is not None and one.job is not None:
                    one.job.wait(60)
            last = {label: one and service.outcome(one.booking).status for label, one in sent.items()}
            print(json.dumps([first, last]), flush=True)
        service.engine.shutdown()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
