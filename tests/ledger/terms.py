"""Populations, charges and keys for tests."""

from __future__ import annotations

import hashlib
from fractions import Fraction

from pmwpub.ledger import Charge, PlanKey, Population
from pmwpub.privacy.budget import ZCDP


def people(name: str = "A", *, n: int = 1000, k: int = 1, epsilon: str = "1", delta: str = "1e-6") -> Population:
    return Population(name, n, k, "one resident", Fraction(epsilon), Fraction(delta))


def charge(units: int, purpose: str = "release") -> Charge:
    return Charge(purpose, "discrete Gaussian", "1 count", "sigma 10", ZCDP(units))


def key(label: object = 0, repeat: int = 0) -> PlanKey:
    return PlanKey(hashlib.sha256(repr(label).encode()).hexdigest(), repeat)
