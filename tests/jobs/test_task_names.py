from __future__ import annotations

import pytest

from pmwpub.jobs.task_names import TASKS, resolve


@pytest.mark.parametrize("task", sorted(TASKS))
def test_every_registered_task_exists(task: str) -> None:
    assert callable(resolve(TASKS[task]))
