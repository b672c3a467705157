"""What a column's name says of its kind: an ID, a survey weight, or a measure of something."""

from __future__ import annotations

from pmwpub.tabular.schema.column_types import WEIGHT


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_IDS = _set(
    "id ids pid hid hhid uid uuid guid key caseid personid idpers persnr pnr ssn serial serialno seqn seqno respid "
    "respondent record rowid rownum row rownames index case person participant patient subject nr idno"
)
_NUMBERS = _set("number num no count n nr")
_WEIGHTS = _set(
    "fnlwgt finlwgt finalwgt finalwt pweight pweights perwt hhwt pwgtp wgtp pwgt hwgt wtfinl asecwt pspwght dweight "
    "survwt sampwt svywt wtssall"
)
_WEIGHT_WORDS = _set("weight weights wt wts wgt wgts")
_OF_WEIGHTS = _set(
    "survey sample sampling final person household design post calibration longitudinal interview base p hh"
)
_MEASURES = _set(
    "age ages year years yr hour hours hrs income incomes wage wages salary earnings earning pay price amount cost "
    "gain loss rent tax height weight size score count counts children kids rate ratio percent pct share day days "
    "month months week weeks minute minutes since distance rooms temperature temp dose level time duration birth born"
)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name: "personId_2" has person, id and 2."""
    parted = ""
    for before, letter in zip(" " + name, name, strict=False):
        begins = before.islower() and letter.isupper()
        turns = before.isalnum() and letter.isalnum() and before.isdecimal() != letter.isdecimal()
        parted += f" {letter}" if begins or turns else letter if letter.isalnum() else " "
    return tuple(word.casefold() for word in parted.split())


def sounds_like_id(name: str) -> bool:
    """Whether a name is that of a person's or row's number; "number of children" is not."""
    words = [word for word in words_of(name) if not word.isdecimal()]
    if not words or "of" in words or sounds_like_measure(name):
        return False
    return bool(_IDS & set(words)) or (len(words) > 1 and words[-1] in {"number", "num", "no"}) or words == ["number"]


def sounds_like_measure(name: str) -> bool:
    """Whether a name is that of something measured or counted, such as an age or an income."""
    words = words_of(name)
    return bool(_MEASURES & set(words)) or (words[:1] != () and words[0] in _NUMBERS and "of" in words)


def may_be_weight(name: str) -> bool:
    """Whether a name is "wt" or its like, a survey's weight or a body's; "weight" itself is never an attribute."""
    return name != WEIGHT and len(words_of(name)) == 1 and words_of(name)[0] in _WEIGHT_WORDS


def sounds_like_weight(name: str) -> bool:
    """Whether a name is that of a survey weight; "weight" alone may be a body's."""
    words = set(words_of(name))
    return bool(words & _WEIGHTS) or bool(words & _WEIGHT_WORDS and words & _OF_WEIGHTS)
