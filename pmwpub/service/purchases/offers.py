"""Public files before they are stored: held by a session or a command, compared there, and stored on its word alone.

Comparing a public file with private rows is a question about private rows. So a file is read first and compared in
memory with the private table that the same session holds; the answer goes to its steward, who then stores the file or
gives it up. In a single user's service a file that has a private table's rows is refused. In a shared one it is
stored whenever the steward says so: what viewers see of the candidates depends on that word alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pmwpub.errors import FileRefused, OverlapUndecided, PlanError
from pmwpub.progress import Progress, unwatched
from pmwpub.service.core import Service
from pmwpub.service.inputs import overlap_check, study_store
from pmwpub.service.inputs.shared_rows import Alike, Overlap
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.files.missing_header import refuse_data_as_header
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions


@dataclass(frozen=True, eq=False)
class Offer:
    """A public file that was read, and is not stored yet.

    name      of the file
    table     its cells
    options   how its text was read, where somebody confirmed that
    attested  whether somebody said that it was not made from the private data
    label     what tells it from other files of its name; else the name
    """

    name: str
    table: TextTable = field(repr=False)
    options: ReadOptions | None = None
    attested: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise PlanError(f"A public table is named by text; {str(self.name)[:40]!r} came.")
        object.__setattr__(self, "label", self.label or self.name)

    @classmethod
    def read(
        cls,
        name: str,
        content: bytes,
        options: ReadOptions | None,
        *,
        attested: bool = False,
        label: str = "",
        named: bool = True,
        progress: Progress = unwatched,
    ) -> Offer:
        """A file's bytes, read under `options` where somebody confirmed them; FileRefused where they cannot be read.

        named  whether a schema says what the columns are called; else a header that looks like data is asked about
        """
        table = read_table(content, options=options, progress=progress)
        if options is None and not named:
            refuse_data_as_header(table)
        return cls(name, table, options, attested, label)


def offer(
    service: Service, population: str, files: Mapping[str, TextTable], private: PrivateTable | None
) -> tuple[Overlap, ...]:
    """What public files share with the private table that the session holds, each or all together; nothing is stored.

    files  by name

    Raises FileRefused, in a single user's service alone, for the rows of that table or of one that was charged.

    Privacy: for the steward only; computed in memory from what this session loaded. A shared service asks the store's
    fingerprints nothing.
    """
    service.refuse_viewers(population)
    if service.policy.answers:
        for table in files.values():
            study_store.refuse_private(service, population, table, private)
    if private is None:
        return ()
    shared = overlap_check.in_files(private, files, study_store.study(service, population).schema)
    if service.policy.answers and any(one.alike is Alike.SAME for one in shared):
        raise FileRefused(study_store.PRIVATE_ROWS)
    return shared


def store(
    service: Service,
    population: str,
    offers: Sequence[Offer],
    private: PrivateTable | None,
    progress: Progress = unwatched,
) -> list[str]:
    """Store files on the steward's word; returns their SHA-256. Raises as `study_store.add_candidate` does."""
    return [
        study_store.add_candidate(
            service,
            population,
            one.name,
            one.table,
            attested=one.attested,
            options=one.options,
            private=private,
            progress=progress,
        )
        for one in offers
    ]


NOT_MADE = "no public table was made from the private one"


def true_or_false(given: object, what: str) -> bool:
    """True or False; PlanError, which begins with `what`, for anything else."""
    if not isinstance(given, bool):
        raise PlanError(f"{what} True or False; {str(given)[:40]!r} came. Nothing was charged.")
    return given


def said(tick: object, what: str = NOT_MADE) -> None:
    """Raise PlanError unless a word is True, False or None: what was meant by any other value is not known.

    what  that of which the word says whether it is so
    """
    if tick is not None:
        true_or_false(tick, f"Whether {what} is said by")


def decided(shared: Sequence[Overlap], tick: bool | None, *, answers: bool, refusal: str) -> None:
    """Raise OverlapUndecided where public files are to be stored and used at once, and the steward has not said enough.

    shared   what `offer` found
    tick     whether the steward said that none was made from the private table; None where nobody was asked
    answers  whether the service answers comparisons; else the word is needed whatever was found
    refusal  what the steward is told

    Raises PlanError for a word that is neither True, False nor None.
    """
    said(tick)
    if not (tick or (tick is None and answers and not shared)):
        raise OverlapUndecided(refusal)
