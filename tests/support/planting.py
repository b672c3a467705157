"""Faults planted in the code itself: a function or method, compiled anew from its source with one place altered."""

from __future__ import annotations
import __future__

import inspect
import textwrap
from types import ModuleType

import pytest

from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.vector_gaussian import VectorGaussian


def plant(patch: pytest.MonkeyPatch, owner: ModuleType | type, name: str, right: str, wrong: str) -> None:
    """Put `wrong` where the source of `owner.name` says `right`, which it must say once.

    It sees the module that it comes from, as the right one does; decorators stay.
    """
    found = inspect.getattr_static(owner, name)
    inner = next((part for part in map(lambda a: getattr(found, a, None), ("fget", "func", "__func__")) if part), found)
    source = textwrap.dedent(inspect.getsource(inner))
    assert source.count(right) == 1, f"{name} says {right!r} {source.count(right)} times"
    code = compile(
        source.replace(right, wrong), inspect.getsourcefile(inspect.unwrap(inner)) or name, "exec",
        flags=__future__.annotations.compiler_flag, dont_inherit=True,
    )  # fmt: skip
    made: dict[str, object] = {}
    exec(code, inspect.unwrap(inner).__globals__, made)
    planted = made[inspect.unwrap(inner).__name__]
    if hasattr(planted, "__set_name__"):
        planted.__set_name__(owner, name)
    patch.setattr(owner, name, planted)


def plant_twice_the_rho(patch: pytest.MonkeyPatch, primitive: type[DiscreteGaussian] | type[VectorGaussian]) -> None:
    """Have a primitive draw noise of sqrt(1/2) of its scale, which costs twice the rho that is charged for it."""
    plant(patch, primitive, "measure", "self.scale", "self.scale * Fraction(707_106_781, 10**9)")
