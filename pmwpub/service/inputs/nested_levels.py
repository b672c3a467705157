"""The levels that nest under a population's schema, with what the public tables have of each; all of it is public."""

from __future__ import annotations

from pmwpub.progress import Progress, unwatched
from pmwpub.service.core import Service
from pmwpub.service.inputs.reviewing import reviewed
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.nesting.level_trees import LevelTree, NestedLevel, level_trees

__all__ = ["LevelTree", "NestedLevel", "nested_levels"]


def nested_levels(service: Service, current: Study, progress: Progress = unwatched) -> tuple[LevelTree, ...]:
    """The trees of the schema's columns with parents; without shares where there is no public table."""
    if current.schema is None or not current.schema.parents:
        return ()
    found = reviewed(service, current, progress)
    rows = () if found is None else found.columns
    return level_trees(current.schema, {row.name: row.shares for row in rows if sum(row.shares) > 0})
