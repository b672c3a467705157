"""What a person may decide about a column, in the words of a button."""

from __future__ import annotations

from pmwpub.service.inputs.reviewing import Remedy

_KINDS = {
    "ignore": "Leave out",
    "id": "Declare as person ID",
    "weight": "Set aside as a survey weight",
    "date": "Take as a date",
}
_RULES = {
    "missing": "{} stands for no value",
    "level": "{} is a value",
    "spike": "{} gets a bin of its own",
    "decimal": "Read {} as the decimal mark",
    "thousands": "Read {} as the thousands mark",
    "prefix": "Numbers have {} before them",
    "suffix": "Numbers have {} behind them",
    "part": "Take the {} of the date",
    "order": "Dates are written {}",
}
_PIVOTS = {"0": "All years are 19..", "100": "All years are 20.."}
_QUOTED = ("missing", "level", "decimal", "thousands", "prefix", "suffix")


def remedy_words(remedy: Remedy) -> str:
    """The button's words."""
    if remedy.rule == "kind":
        return _KINDS.get(remedy.value, f"Keep as {remedy.value}")
    if remedy.rule == "weight":
        return _weight_words(*remedy.value.split(":"))
    if remedy.rule == "same":
        return "Keep all spellings apart" if remedy.value == "none" else f"Take as one by {remedy.value}"
    if remedy.rule == "pivot":
        return _PIVOTS.get(remedy.value, f"19.. begins with {remedy.value}")
    if remedy.rule == "parent":
        return _parent_words(*remedy.value.split(":", 2))
    return _RULES[remedy.rule].format(f'"{remedy.value}"' if remedy.rule in _QUOTED else remedy.value)


def _weight_words(cap: str, unit: str, *more: str) -> str:
    whose = {"all": ", public rows too", "public": ", public rows alone"}
    said = "".join(whose.get(one, f", {one} in all") for one in more)
    return f"Weigh rows by it (cap {cap}, unit {unit}){said}"


def _parent_words(name: str, way: str, rest: str = "") -> str:
    if way == "prefix":
        return f"{name} is its first {rest} characters"
    if way == "edges":
        return f"{name} is its bands between {rest}"
    return f"{name} follows from it, {'as the public tables have it' if way == 'column' else 'by a map'}"
