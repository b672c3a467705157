"""The tasks that may run outside the page, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import cast

from pmwpub.errors import JobFailed
from pmwpub.jobs.job import JobProgress

Task = Callable[[object, JobProgress], object]

TASKS: Mapping[str, str] = MappingProxyType(
    {
        "release": "pmwpub.tasks.mechanism_work:release",
        "table-fit": "pmwpub.tasks.mechanism_work:fit_tables",
        "table-fit-pool": "pmwpub.tasks.mechanism_work:fit_pool",
        "households": "pmwpub.tasks.household_work:fit_households",
        "households-pmw-pub": "pmwpub.tasks.household_work:run_household_rounds",
        "household-assessment": "pmwpub.tasks.household_questions_work:assess_households",
        "household-best": "pmwpub.tasks.household_questions_work:choose_households",
        "household-error": "pmwpub.tasks.household_questions_work:error_of_households",
        "assess": "pmwpub.tasks.mechanism_work:assess",
        "best": "pmwpub.tasks.choice_work:best",
        "error": "pmwpub.tasks.mechanism_work:error",
        "misfits": "pmwpub.tasks.mechanism_work:misfits",
        "weight-total": "pmwpub.tasks.mechanism_work:weight_total",
        "acceptance": "pmwpub.tasks.mechanism_work:accept",
        "simulation": "pmwpub.tasks.simulation_work:simulation",
        "household-simulation": "pmwpub.tasks.household_simulation_work:simulate_releases",
        "compare": "pmwpub.tasks.public_work:compare",
        "engines": "pmwpub.tasks.engine_work:try_engines",
        "replicates": "pmwpub.tasks.replicate_work:make_replicates",
        "warm": "pmwpub.tasks.warming:warm",
    }
)
"""Task name -> "module:function", imported only where it runs. The function takes (payload, progress)."""


def target_of(task: str, registry: Mapping[str, str]) -> str:
    """Where a registered task lives; JobFailed for any other name."""
    if task not in registry:
        raise JobFailed(f"No task {task!r} is registered; there are {', '.join(sorted(registry)) or 'none'}.")
    return registry[task]


def resolve(target: str) -> Task:
    """Import the function behind "module:function"."""
    module, _, function = target.partition(":")
    return cast(Task, getattr(import_module(module), function))
