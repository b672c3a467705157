"""What a worker does for replicate weights: they are made of a release's published files alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pmwpub.mechanisms.table_fit.replicates.replicate_weights import REPLICATES
from pmwpub.progress import Progress
from pmwpub.release.answers.replicate_files import replicate_files
from pmwpub.release.bundle import Bundle, pack


@dataclass(frozen=True, eq=False)
class ReplicateWork:
    """Replicate weights that somebody asked for; nothing of it is private.

    parts  the release's stored files, name -> bytes
    """

    parts: Mapping[str, bytes] = field(repr=False)
    replicates: int = REPLICATES
    seed: int = 0


def make_replicates(work: ReplicateWork, progress: Progress) -> bytes:
    """A zip archive of the table and its note."""
    made = replicate_files(Bundle(work.parts), replicates=work.replicates, seed=work.seed, progress=progress)
    return pack(made)
