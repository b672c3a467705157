"""How many bytes an object holds in memory, about: arrays, texts and what contains them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import numpy as np

LOOKED_AT = 1_000
"""So many entries of a long list are looked at; the others are taken to be like them."""

_NOTHING = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, Enum)
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None))


def kept_bytes(thing: object) -> int:
    """The bytes of an object with all that it refers to, each part once; of code and classes none.

    An object that is filled later says by `most_bytes` what it may hold then. Arrays count as they are in memory, long
    lists by a sample, so this is no more than a guide.
    """
    return round(_bytes(thing, set()))


def _bytes(thing: object, seen: set[int]) -> float:
    if id(thing) in seen or isinstance(thing, _NOTHING):
        return 0
    seen.add(id(thing))
    if isinstance(thing, _PLAIN):
        return sys.getsizeof(thing)
    if isinstance(thing, np.ndarray):
        return _of_array(thing, seen)
    for name in ("most_bytes", "nbytes"):
        if isinstance(own := getattr(thing, name, None), int):
            return own
    if isinstance(thing, Mapping):
        return sys.getsizeof(thing) + _of_many(thing, seen) + _of_many(thing.values(), seen)
    if isinstance(thing, list | tuple | AbstractSet):
        return sys.getsizeof(thing) + _of_many(thing, seen)
    return sys.getsizeof(thing) + _bytes(getattr(thing, "__dict__", None), seen) + _of_slots(thing, seen)


def _of_array(array: np.ndarray, seen: set[int]) -> float:
    """Of the memory under a view, for that is what it keeps alive."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    if base is not array:
        return _bytes(base, seen)
    return base.nbytes + (_of_many(base.ravel().tolist(), seen) if base.dtype == object else 0)


def _of_many(things: Iterable[object], seen: set[int]) -> float:
    found, looked_at, entries = 0.0, 0, 0
    for one in things:
        entries += 1
        if looked_at < LOOKED_AT:
            looked_at += 1
            found += _bytes(one, seen)
    return found * entries / looked_at if looked_at else 0


def _of_slots(thing: object, seen: set[int]) -> float:
    names = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return sum(_bytes(getattr(thing, name, None), seen) for name in names if name != "__dict__")
