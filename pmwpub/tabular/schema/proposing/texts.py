"""A public column of texts: levels, spellings taken together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pmwpub.tabular.schema.column_types import CategoricalColumn
from pmwpub.tabular.schema.draft_record import Merged, Remark
from pmwpub.tabular.schema.equivalences import Equivalence, alike, compared
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, Proposal, shown
from pmwpub.tabular.schema.proposing.evidence import Evidence


def _merged(
    name: str, counts: Mapping[str, int], same: tuple[Equivalence, ...]
) -> tuple[dict[str, int], tuple[Equivalence, ...], tuple[Merged, ...]]:
    """Level -> how often, one level for all spellings of a value: the most frequent, the first one of equals.

    It is named without white space around it and with composed letters, where these rules hold.
    """
    levels, merged = {}, []
    named: tuple[Equivalence, ...] = tuple(rule for rule in same if rule in ("trim", "nfc"))
    for spellings in alike(counts, same):
        kept = compared(max(spellings, key=counts.__getitem__), named)
        levels[kept] = sum(counts[cell] for cell in spellings)
        if len(spellings) > 1:
            merged.append(Merged(name, kept, tuple(cell for cell in spellings if cell != kept)))
    return levels, same, tuple(merged)


def spelling_remark(cells: ColumnCells, merged: Sequence[Merged]) -> tuple[Remark, ...]:
    """What was taken together, in words."""
    if not merged:
        return ()
    listed = "; ".join(f"{', '.join(map(shown, one.others[:4]))} as {shown(one.kept)}" for one in merged[:5])
    more = f"; and {len(merged) - 5:,} more" if len(merged) > 5 else ""
    words = f"Spellings of one value are taken together: {listed}{more}."
    return (Remark(cells.name, "spelling", words, (cells.remedy("same", "none"),)),)


def are_digit_codes(counts: Mapping[str, int]) -> bool:
    """Whether cells are codes of digits such as "02101": some begin with a nought, and no two are one number."""
    texts = list(counts)
    if not all(text.isascii() and text.isdigit() for text in texts):
        return False
    return any(text[0] == "0" and len(text) > 1 for text in texts) and len({int(text) for text in texts}) == len(texts)


@dataclass(frozen=True)
class Levels:
    """Level -> how often; the rules under which spellings were taken together, and which were."""

    counts: Mapping[str, int]
    same: tuple[Equivalence, ...]
    merged: tuple[Merged, ...]
    numeric: bool

    @classmethod
    def of(cls, found: Evidence) -> Levels:
        """Codes of digits keep their noughts: they are not compared as numbers."""
        codes = are_digit_codes(found.counts)
        same = tuple(rule for rule in found.same if rule != "number") if codes else found.same
        return cls(*_merged(found.name, found.counts, same), numeric=not found.strays and not codes)

    def proposal(self, found: Evidence, why: str, kind: str) -> Proposal:
        """A column of these levels: numbers in rising order, else sorted as texts."""
        listed = sorted(self.counts)
        if self.numeric:
            listed = sorted(self.counts, key=lambda level: found.probe.value(found.probe.tidy(level)) or 0.0)
        column = CategoricalColumn.model_validate(
            {"name": found.name, "kind": kind, "levels": tuple(listed), "same": self.same}
        )
        return Proposal(column, why, remarks=spelling_remark(found.cells, self.merged), merged=self.merged)
