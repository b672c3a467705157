"""Long work outside the page: a queue, warm worker processes, progress, cancel. `python -m pmwpub.jobs` is a worker."""

from pmwpub.jobs.engine import Engine
from pmwpub.jobs.inline import InlineEngine
from pmwpub.jobs.job import Ending, Job, JobProgress, Reason
from pmwpub.jobs.line import FREE, PAID, Claim, Lane, Shares

__all__ = [
    "FREE",
    "PAID",
    "Claim",
    "Ending",
    "Engine",
    "InlineEngine",
    "Job",
    "JobProgress",
    "Lane",
    "Reason",
    "Shares",
]
