"""What a session keeps until somebody decides: files to be read in another way, a schema being edited, and choices.

Nothing here draws a widget.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Literal

from pmwpub.service import Overlap
from pmwpub.service.inputs.file_reading import ReadOptions, proposed
from pmwpub.service.inputs.schema_editing import Row, Schema, rows_of
from pmwpub.service.purchases import Offer

AMENDED = "The terms changed since then: read it again."
Kind = Literal["candidate", "private", "codebook"]


@dataclass(frozen=True, eq=False)
class PendingFile:
    """A refused file that may read under other options; it waits until somebody confirms them.

    number      tells held files apart, for the keys of widgets
    suggestion  the options to begin with
    n           the registered number when it was refused; 0 of files that are held against none

    Privacy: it may be the private table; it lives in the session only, and its repr shows neither name nor cell.
    """

    number: int
    kind: Kind
    name: str = field(repr=False)
    content: bytes = field(repr=False)
    refusal: str = field(repr=False)
    suggestion: ReadOptions
    attested: bool = False
    n: int = 0


@dataclass
class PendingFiles:
    """The held files of a session.

    offers  public files that were read, and wait for the word to be stored
    shared  what these offers share with the private table of this session, and of which offers and table that is said

    Privacy: `shared` follows from private rows; it lives in this session only, and the repr shows nothing of it.
    """

    files: list[PendingFile] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    shared: tuple[object, tuple[Overlap, ...]] = field(default=(None, ()), repr=False)
    count: int = 0

    def keep(
        self,
        kind: Kind,
        name: str,
        content: bytes,
        refusal: Exception,
        tried: ReadOptions | None,
        *,
        attested: bool = False,
        n: int = 0,
    ) -> bool:
        """Hold a refused file if other options may help; returns whether it is held.

        Options may help where the refusal proposes some, or where a person is trying some already (`tried`).
        """
        suggestion = proposed(refusal)
        if suggestion is None and tried is None:
            return False
        self.count += 1
        held = PendingFile(
            self.count, kind, name, content, str(refusal), suggestion or tried or ReadOptions(), attested, n
        )
        self.files.append(held)
        return True

    def registered(self, n: int) -> None:
        """Forget why files were refused under another registered number than n: it may hold no longer."""
        self.files = [held if held.n in (0, n) else replace(held, refusal=AMENDED, n=n) for held in self.files]

    def of(self, kind: Kind) -> list[PendingFile]:
        """The held files of one kind, oldest first."""
        return [held for held in self.files if held.kind == kind]

    def drop(self, held: PendingFile) -> None:
        """Let a held file go."""
        self.files = [other for other in self.files if other is not held]


@dataclass
class UnstoredChoices:
    """What was chosen on pages and is in no store; all of it is public.

    pools       the pools of candidates that were made here, by population
    marginals   the marginals that were picked by hand, by population
    simulation  the key of a simulation that was just begun; the next run turns to it
    followed    the key of the simulation that the page chose by itself
    asked       the sentences that a form's entries brought up, until they are ticked, by form
    epsilon     of the release to come, as it was typed
    good_enough  the error that would be good enough, a share of the rows
    """

    pools: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    marginals: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    simulation: str | None = None
    followed: str | None = None
    asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    epsilon: str = "1"
    good_enough: float = 0.05


@dataclass
class SchemaDraft:
    """A schema while it is edited; public, kept by the session when the page is left and by the store at each change.

    rows     one a column, as they stand now
    tokens   the missing tokens
    base     the rows that the grid was last handed: its own edits are relative to them
    options  the tokens that the picker was last handed
    version  rises when rows change beside the grid, which then begins anew
    began    the hash of the schema that it began from, or ""
    edition  the version of that schema: what is made of the rows has at least this one
    kept     what the store holds of it, or what it was when it began
    """

    rows: list[Row]
    tokens: list[str]
    began: str = ""
    base: list[Row] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    version: int = 0
    kept: bytes = field(default=b"", repr=False)
    edition: int = 1

    @classmethod
    def of(cls, schema: Schema) -> SchemaDraft:
        """A draft that begins from a schema."""
        begun = cls(rows_of(schema), list(schema.missing_tokens), schema.sha256, rows_of(schema))
        begun.edition = schema.version
        begun.kept = begun.to_bytes()
        return begun

    @classmethod
    def from_bytes(cls, body: bytes) -> SchemaDraft:
        """A draft that goes on with what `to_bytes` wrote."""
        found = json.loads(body)
        return cls(
            found["rows"], found["tokens"], found["began"], found["rows"], kept=body, edition=found.get("edition", 1)
        )

    def to_bytes(self) -> bytes:
        """Rows, tokens and origin as JSON, what stands in no cell left out."""
        rows = [{key: value for key, value in row.items() if value is not None} for row in self.rows]
        body = {"rows": rows, "tokens": self.tokens, "began": self.began, "edition": self.edition}
        return json.dumps(body, ensure_ascii=False, default=str).encode()

    def put(self, place: int, row: Row) -> None:
        """Change one row from outside the grid."""
        self.restart([row if position == place else own for position, own in enumerate(self.rows)])

    def restart(self, rows: list[Row]) -> None:
        """Hand the grid other rows."""
        self.rows = self.base = rows
        self.version += 1
