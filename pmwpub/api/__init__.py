"""From data frames to a synthetic one, for programs: the service under a handful of names.

An API release needs a ledger population like any other; nothing can be drawn without a charge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from pmwpub.api.arguments import kind_words
from pmwpub.api.household_frames import SyntheticHouseholds as SyntheticHouseholds
from pmwpub.api.household_frames import release_households as release_households
from pmwpub.api.household_questions_frames import AskedHouseholds as AskedHouseholds
from pmwpub.api.project import Project as Project
from pmwpub.api.synthetic_release import SyntheticRelease as SyntheticRelease
from pmwpub.errors import PlanError
from pmwpub.tabular.files.reading import from_frame
from pmwpub.tabular.review.without_suspects import drafted
from pmwpub.tabular.schema.first_drafts import first_draft
from pmwpub.tabular.schema.table_schema import Schema

if TYPE_CHECKING:
    from pmwpub.tabular.files.reading import Frame


def draft_schema(public: Sequence[Frame], *, version: Literal[1, 2] = 1) -> Schema:
    """Levels and bins from public data frames, and only from those.

    version  2 takes spellings of one value together, tells codes and frequent values apart from the others, and leaves
             out columns that name rows or tables, that are constant or survey weights: a budget would run into them.
             1 drafts as ever: the same lines make the same plans, which a store knows as bought. Take 2 for new work.
    """
    if isinstance(version, bool) or version not in (1, 2):
        raise PlanError(f"The version of a draft is 1 or 2; {str(version)[:40]!r} came.")
    if not isinstance(public, Iterable):
        raise PlanError(f"Public tables are given as a list of data frames; {kind_words(public)} came.")
    tables = [from_frame(frame) for frame in public]
    return first_draft(tables) if version == 1 else drafted(tables).schema
