"""A public column of numbers in clothes: marks of another country, or of several, and signs and words beside them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER
from pmwpub.tabular.schema.draft_record import Remark
from pmwpub.tabular.schema.proposing.column_cells import Proposal, share, shown
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.numbers import binned
from pmwpub.tabular.written_numbers import MARKS, WrittenNumbers

_CURRENCIES = frozenset(
    {
        *("usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "krw", "rub", "brl", "mxn", "zar", "aud", "cad", "nzd"),
        *("sek", "nok", "dkk", "isk", "pln", "czk", "huf", "ron", "bgn", "try", "ils", "sgd", "hkd", "twd", "thb"),
        *("php", "idr", "myr", "vnd", "ars", "clp", "cop", "pen", "ngn", "kes", "egp", "mad", "uah", "us$", "r$"),
        *("a$", "c$", "nz$", "hk$", "s$", "rs", "rs.", "fr.", "sfr.", "kr", "kr.", "z\u0142", "k\u010d"),
    }
)
"""Codes of currencies (ISO 4217) and how people write some, in lower case."""
_PARTS_OF = frozenset("%\u2030")
_LONGEST = 60
"""Letters of a cell that is still looked at for a number."""
_MOST_UNITS = 5

_CLOTHED = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<prefix>[^0-9+.,\s-][^0-9+-]*)?(?P<number>[+-]?[.,]?[0-9](?:[0-9.,'\u2019_\s]*[0-9])?)"
    r"(?P<suffix>[^0-9]*)"
)


@dataclass(frozen=True)
class Reading:
    """One way to read the numbers of a column.

    pointed  whether some tables have points before their decimals where others have commas; both are read
    """

    decimal: str
    thousands: str | None
    pointed: bool = False


@dataclass(frozen=True)
class Clothes:
    """What stands beside the numbers of a column.

    prefix, suffix  as most cells write them, white space towards the number included
    dressed         rows that have any
    rows            all rows
    bare            of each table, the numbers without it
    several         different ones, where cells do not have the same; then the others are those of some cells
    """

    prefix: str
    suffix: str
    dressed: int
    rows: int
    bare: tuple[tuple[str, ...], ...]
    several: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether what stands there is evidently a currency or a percentage."""
        return all(is_unit(affix) for affix in (self.prefix, self.suffix, *self.several) if affix)

    @property
    def listed(self) -> str:
        """What stands beside the numbers, in words."""
        return " and ".join(
            f'"{affix}"' for affix in self.several or (self.prefix.strip(), self.suffix.strip()) if affix
        )


def is_unit(text: str) -> bool:
    """Whether a text is a sign or code of a currency, or a sign of a percentage."""
    bare = text.strip().casefold()
    return bare in _CURRENCIES or bare in _PARTS_OF or (len(bare) == 1 and unicodedata.category(bare) == "Sc")


def are_clothed(cells: Iterable[str]) -> bool:
    """Whether all cells are numbers with units of money or percentages beside them, or with one word behind them."""
    found = [_CLOTHED.fullmatch(cell.strip()) if len(cell) <= _LONGEST else None for cell in cells]
    worn = {_worn(match) for match in found if match is not None}
    if None in found or worn == {("", "")}:
        return False
    return all(is_unit(affix) for own in worn for affix in own if affix) or (len(worn) == 1 and not min(worn)[0])


def _worn(match: re.Match[str]) -> tuple[str, str]:
    """What stands before and behind a number, as far as it matters."""
    return (match["prefix"] or "").strip().casefold(), match["suffix"].strip().casefold()


def readings(tables: Sequence[Sequence[str]]) -> tuple[Reading, ...]:
    """The ways in which every cell of all tables is a number; two or more where nothing says which is meant.

    tables  of each table its different cells, white space around them taken off

    Marks of one country are looked for in all cells together. Where each table alone has plain numbers or decimal
    commas, and both occur, that is another way: the tables are written differently.
    """
    everything = [text for table in tables for text in table]
    together = [Reading(*marks) for marks in _marks(everything)]
    apart = len(tables) > 1 and all(_plain(table) or _read(table, ",", None) for table in tables)
    if apart and any("," in text for text in everything) and any("." in text for text in everything):
        return (Reading(",", None, pointed=True), *together)
    return tuple(together)


def _marks(texts: Sequence[str]) -> list[tuple[str, str | None]]:
    """The (decimal, thousands) marks under which all texts are numbers, but where all are plain.

    Two where texts such as "1,234" may be read either way and no other text says which.
    """
    found: list[tuple[str, str | None]] = []
    if any("," in text for text in texts) and _read(texts, ",", None):
        found.append((",", None))
    for mark in MARKS:
        if any(mark in text for text in texts):
            ways = [decimal for decimal in (".", ",") if decimal != mark and _read(texts, decimal, mark)]
            found += [(decimal, mark) for decimal in ways[:1]]
    return found


def _read(texts: Iterable[str], decimal: str, mark: str | None) -> bool:
    probe = WrittenNumbers(decimal, mark)
    return all(probe.value(text) is not None for text in texts)


def _plain(texts: Iterable[str]) -> bool:
    return all(PLAIN_NUMBER.fullmatch(text) for text in texts)


def clothes(found: Evidence) -> Clothes | None:
    """What stands beside every number, or beside some; None where cells are no such numbers, or have many different."""
    seen: dict[str, re.Match[str]] = {}
    for cell in found.counts:
        match = _CLOTHED.fullmatch(cell.strip()) if len(cell) <= _LONGEST else None
        if match is None:
            return None
        seen[cell] = match
    affixes: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for cell, match in seen.items():
        for often, key in zip(affixes, ("prefix", "suffix"), strict=True):
            often[match[key] or ""] += found.counts[cell]
    prefix, suffix = (
        max((text for text in often if text.strip()), key=often.__getitem__, default="") for often in affixes
    )
    if not prefix and not suffix:
        return None
    worn = [_worn(match) for match in seen.values()]
    dressed = sum(found.counts[cell] for cell, own in zip(seen, worn, strict=True) if any(own))
    different = {own for own in worn if any(own)}
    several = sorted({affix for own in different for affix in own if affix}) if len(different) > 1 else []
    bare = tuple(tuple(_bare(seen[cell]) for cell in table if cell in seen) for table in found.cells.tables)
    return Clothes(prefix, suffix, dressed, found.rows, bare, tuple(several)) if len(several) <= _MOST_UNITS else None


def _bare(match: re.Match[str]) -> str:
    return match["sign"] + match["number"]


def numeric(found: Evidence, reading: Reading, worn: Clothes | None = None) -> Proposal | None:
    """A numeric column of numbers that are written so; None where its rules do not read every cell."""
    rules: dict[str, object] = {"decimal": reading.decimal, "thousands": reading.thousands}
    if worn is not None:
        rules |= {"prefix": worn.prefix, "suffix": worn.suffix}
    read = found.read_by(found.probe.changed(**rules))
    if read.strays:
        return None
    proposal, way = binned(read), found.cells.remedy("kind", "categorical")
    if worn is not None:
        words = f"Its numbers are read without the {worn.listed} beside them, and written with it; private cells too."
        proposal = proposal.also(Remark(found.name, "affix", words, (way,)))
    if (reading.decimal, reading.thousands) == (".", None):
        return proposal
    grouped = f', "{reading.thousands}" between thousands' if reading.thousands else ""
    words = f'Its numbers are read with "{reading.decimal}" before decimals{grouped}.'
    if reading.pointed:
        words = 'Some tables write "," before decimals, others ".": its numbers are read with either.'
    return proposal.also(Remark(found.name, "decimal", words, (way,)))


def written_unalike(tables: Sequence[Sequence[str]]) -> bool:
    """Whether each table alone has numbers in some writing."""
    return len(tables) > 1 and all(_plain(table) or _marks(table) for table in tables)


def texts_of(found: Evidence) -> list[list[str]]:
    """Of each table its different cells that have a value, white space around them taken off."""
    return [[cell.strip() for cell in table if cell in found.counts] for table in found.cells.tables]


def why_left_out(found: Evidence, worn: Clothes) -> str:
    """Why a column is left out that has different things beside its numbers, or beside some, or an unknown word."""
    if len(worn.several) == 1:
        return f"Its numbers have {worn.listed} before some and behind others. Write them alike, or as numbers."
    if worn.several:
        return f"Its numbers have different things beside them: {worn.listed}. Write them in one unit, as numbers."
    if worn.dressed < worn.rows:
        return (
            f"{share(worn.dressed, worn.rows)} numbers have {worn.listed} beside them, the others have not. Say so if "
            "all mean the same, and the column is numeric."
        )
    first = shown(next(iter(found.counts)))
    return f"Every cell has {worn.listed} beside its number ({first}). Say so, and the column is numeric."
