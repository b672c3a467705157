"""What several commands read: files, the workload's flags, and how progress is printed."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from pmwpub.errors import FileRefused, NoResult, PlanError
from pmwpub.plans import WorkloadChoice
from pmwpub.service import Outcome
from pmwpub.wording import no_result as wording_of


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
    return wording_of(outcome, again="--repeat")


def workload_choice(parsed: argparse.Namespace) -> WorkloadChoice:
    """All, sampled or hand-picked marginals; -k is what the picked ones have."""
    if not parsed.marginal:
        return WorkloadChoice(k=parsed.k, marginals=parsed.marginals, seed=parsed.seed)
    if parsed.marginals is not None:
        raise PlanError("Marginals are sampled (--marginals) or picked by hand (--marginal), not both.")
    return WorkloadChoice.picked(_one_line(text) for text in parsed.marginal)


def _one_line(text: str) -> list[str]:
    """The columns of one --marginal; PlanError for what is not one line of CSV."""
    try:
        if len(text.splitlines()) <= 1:
            return next(csv.reader([text], strict=True), [])
    except csv.Error:
        pass
    raise PlanError(f"A marginal is one line of CSV, such as: --marginal sex,age; {text[:40]!r} came.")


def tick_of(parsed: argparse.Namespace) -> bool | None:
    """What the steward said of the public tables by --overlap-acknowledged; None without that flag."""
    return True if parsed.overlap_acknowledged else None
