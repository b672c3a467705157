"""Domains: sizes, projections, refusals."""

from __future__ import annotations

import pytest

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import DomainError


def test_a_domain_knows_its_sizes() -> None:
    shape = Domain((Attribute("sex", ("F", "M")), Attribute("age", ("0", "1", "2"))))
    assert (shape.names, shape.shape, shape.dimension, shape.size) == (("sex", "age"), (2, 3), 5, 6)


def test_projection_keeps_the_given_order() -> None:
    shape = Domain((Attribute("a", ("0",)), Attribute("b", ("0", "1")), Attribute("c", ("0", "1", "2"))))
    assert shape.project(["c", "a"]).shape == (3, 1)


def test_the_size_of_a_huge_domain_is_exact() -> None:
    shape = Domain(tuple(Attribute(f"a{j}", ("0", "1", "2")) for j in range(80)))
    assert shape.size == 3**80


@pytest.mark.parametrize(
    ("name", "levels"),
    [("", ("x",)), ("a", ()), ("a", ("x", "x")), ("a", tuple(map(str, range(10_001))))],
    ids=["no name", "no level", "repeated level", "too many levels"],
)
def test_a_malformed_attribute_is_refused(name: str, levels: tuple[str, ...]) -> None:
    with pytest.raises(DomainError):
        Attribute(name, levels)


def test_repeated_names_and_empty_domains_are_refused() -> None:
    twin = Attribute("a", ("x",))
    with pytest.raises(DomainError, match="differ"):
        Domain((twin, twin))
    with pytest.raises(DomainError, match="at least one"):
        Domain(())


def test_an_unknown_name_is_refused_with_what_there_is() -> None:
    with pytest.raises(DomainError, match=r"'z'.*a"):
        Domain((Attribute("a", ("x",)),)).index("z")
