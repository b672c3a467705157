"""Long work outside the page: a queue, warm worker processes, progress, cancel. `python -m pmwpub.jobs` is a worker."""

from pmwpub.jobs.engine import Engine
from pmwpub.jobs.inline import InlineEngine
from pmwpub.jobs.job import Ending, Job, Progress, Reason

__all__ = ["Ending", "Engine", "InlineEngine", "Job", "Progress", "Reason"]
