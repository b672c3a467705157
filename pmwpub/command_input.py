"""What several commands read: files, the workload's flags, and how progress is printed."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable
from pathlib import Path

from pmwpub.errors import FileRefused, NoResult, PlanError
from pmwpub.ledger import Ledger
from pmwpub.ledger.bookings import check_repeat as refuse_gap
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Outcome


def read(path: str) -> bytes:
    """The bytes of a file; FileRefused where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as failure:
        raise FileRefused(f"{path} cannot be read: {failure.strerror}.") from failure


def progress(done: int, total: int) -> None:
    """One line that grows, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{done}/{total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def no_result(outcome: Outcome) -> NoResult:
    """Why a command has nothing to show: another program is still at it, or nothing will come."""
    if outcome.status == "running":
        return NoResult("Another program works on this plan; run the same command later, and nothing more is charged.")
    return NoResult(
        "No result is stored for this plan; its charge stays and nothing is drawn again. --repeat buys a new draw."
    )


def workload_choice(parsed: argparse.Namespace) -> WorkloadChoice:
    """All, sampled or hand-picked marginals; -k is what the picked ones have."""
    if not parsed.marginal:
        return WorkloadChoice(k=parsed.k, marginals=parsed.marginals, seed=parsed.seed)
    if parsed.marginals is not None:
        raise PlanError("Marginals are sampled (--marginals) or picked by hand (--marginal), not both.")
    return WorkloadChoice.picked(csv.reader(parsed.marginal))


def check_repeat(ledger: Ledger, population: str, plans: Iterable[str], repeat: int) -> None:
    """PlanError where draws in between were never made: the next of a plan, given by its hash, is counted on."""
    for sha256 in plans:
        refuse_gap(ledger.next_repeat(population, sha256), repeat)
