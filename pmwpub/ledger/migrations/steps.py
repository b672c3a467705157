"""Bringing a store of an earlier version to this program's, in the transaction that opens it.

The order of versions and their steps are alembic's; which version a store has is said in one place, its table `store`,
to which each step appends a row: alembic's own table would be written over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, insert

from pmwpub.ledger import tables


def upgrade(connection: Connection, version: int) -> None:
    """Run the steps from `version` on, each of which appends its number; all of them are undone with the transaction.

    The step of `version` itself is run too: it makes only what is missing.
    """
    with Operations.context(MigrationContext.configure(connection)):
        for step in _steps(version):
            step.module.upgrade()
            if int(step.revision) > version:
                connection.execute(insert(tables.store).values(version=int(step.revision)))


def ahead(version: int) -> list[str]:
    """In words, what `upgrade` would do to a store of `version`."""
    return [step.doc for step in _steps(version) if int(step.revision) > version]


def _steps(version: int) -> Sequence[Script]:
    scripts = ScriptDirectory(str(Path(__file__).parent))
    return list(scripts.iterate_revisions(str(tables.VERSION), str(version), inclusive=True))[::-1]
