"""What `evaluate` has finished, beside its output while it works: the same command goes on where it was stopped.

One line of JSON for what the runs depend on, then one for each finished part. It holds what errors.csv will hold, and
is deleted once that is written.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from pmwpub.errors import FileRefused, PlanError
from pmwpub.evaluation import Found, Stage, Task
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.tasks.simulation_work import part_of, read_part


def journal_path(out: Path) -> Path:
    """Where the journal of an output lies."""
    return out.with_name(f"{out.name}.partial")


class Journal:
    """The file `OUT.partial`.

    Raises FileRefused where it cannot be written.
    """

    def __init__(self, out: Path, stage: Stage) -> None:
        self._path = journal_path(out)
        self._head = _fingerprint(stage).encode()

    def known(self) -> dict[Task, Found]:
        """The finished parts of an earlier command on the same data; of another one, nothing, and it is begun anew."""
        lines = self._path.read_bytes().split(b"\n") if self._path.is_file() else []
        if not lines or lines[0] != self._head:
            self._write(self._head + b"\n", anew=True)
            return {}
        found: dict[Task, Found] = {}
        for line in lines[1:]:
            try:
                task, part = read_part(line)
            except PlanError:  # the last line of a program that was killed while it wrote
                continue
            found[task] = part
        self._write(b"\n", anew=False)
        return found

    def add(self, task: Task, found: Found) -> None:
        """Keep one more."""
        self._write(part_of(task, found) + b"\n", anew=False)

    def close(self) -> None:
        """Everything is in the output."""
        self._path.unlink(missing_ok=True)

    def _write(self, body: bytes, *, anew: bool) -> None:
        try:
            with self._path.open("wb" if anew else "ab") as stream:
                stream.write(body)
        except OSError as failure:
            raise FileRefused(f"{self._path} cannot be written: {failure.strerror}.") from failure


def _fingerprint(stage: Stage) -> str:
    """A hash of everything that a run depends on but the run itself: the truth, the candidates, delta and k."""
    digest = hashlib.sha256(f"{stage.workload.sha256} {stage.counts.n} {stage.delta} {stage.rows_per_person}".encode())
    digest.update(stage.counts.counts.tobytes())
    if stage.weighed is not None:
        digest.update(f" weighed {stage.weighed.people} {stage.weighed.cap} {stage.weighed.total}".encode())
        digest.update(stage.weighed.codes.tobytes())
        digest.update(stage.weighed.heavy.multiplicity.tobytes())
    if stage.rows is not None:
        digest.update(stage.rows.codes.tobytes())
    if isinstance(stage.rows, RepeatedRows):
        digest.update(stage.rows.repeats.tobytes())
    for name, support in stage.candidates.items():
        digest.update(f"\n{name}\n{len(support)}\n".encode())
        digest.update(support.codes.tobytes())
        digest.update(support.multiplicity.tobytes())
    return digest.hexdigest()
