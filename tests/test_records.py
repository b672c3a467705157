"""Tables, supports and distributions as values."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables

from pmwpub.errors import DomainError
from pmwpub.records import Dataset, Distribution, Support, code_type, loop_type


def test_codes_take_one_byte_up_to_255_levels_because_no_level_needs_a_code_too() -> None:
    assert code_type(tables.domain(255)) == np.uint8
    assert code_type(tables.domain(256)) == np.uint16
    assert [loop_type(tables.domain(size)) for size in (255, 256)] == [np.uint8, np.uint32]


def test_a_table_copies_and_freezes_its_codes() -> None:
    codes = np.array([[0, 1], [1, 2]])
    dataset = Dataset(tables.domain(2, 3), codes)
    codes[0, 0] = 1
    assert dataset.codes[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        dataset.codes[0, 0] = 1


def test_a_table_shows_no_row() -> None:
    assert "1" not in repr(Dataset(tables.domain(2, 3, 2), [[1, 1, 1]])).replace("3 attributes", "")


def test_no_level_is_one_past_the_last_and_nothing_lies_beyond() -> None:
    assert Dataset(tables.domain(2, 3), [[2, 3]]).codes.tolist() == [[2, 3]]
    for bad in ([[3, 0]], [[-1, 0]], [[0.5, 0]], [[0]]):
        with pytest.raises(DomainError):
            Dataset(tables.domain(2, 3), bad)


def test_a_support_lists_distinct_rows_with_how_often_they_came() -> None:
    support = Support.of(Dataset(tables.domain(2, 2), [[1, 0], [0, 1], [1, 0]]))
    assert support.codes.tolist() == [[0, 1], [1, 0]]
    assert support.multiplicity.tolist() == [1, 2]
    assert Distribution.empirical(support).weights.tolist() == pytest.approx([1 / 3, 2 / 3])


WIDE = st.lists(st.sampled_from([1, 2, 3, 250, 9_999]), min_size=1, max_size=12)


@settings(max_examples=150)
@given(WIDE, st.integers(1, 40), st.integers(0, 1_000))
def test_supports_and_pools_hold_numpys_distinct_rows_beyond_64_bits(sizes: list[int], rows: int, seed: int) -> None:
    shape = tables.domain(*sizes)
    drawn = tables.table(shape, rows, seed).codes
    codes = np.minimum(np.concatenate([drawn, drawn[::2], drawn // 2]), drawn.max())
    atoms, often = np.unique(codes, axis=0, return_counts=True)
    for made in (
        Support.of(Dataset(shape, codes)),
        Support.union(*(Support.of(Dataset(shape, [row])) for row in codes)),
    ):
        assert np.array_equal(made.codes, atoms)
        assert np.array_equal(made.multiplicity, often)
    turned = np.arange(len(atoms))[::-1]
    assert len(Support(shape, atoms[turned], often[turned])) == len(atoms)
    with pytest.raises(DomainError, match="must differ"):
        Support(shape, np.concatenate([atoms, atoms[:1]]), np.append(often, 1))


def test_an_atom_without_a_level_and_repeated_atoms_are_refused() -> None:
    with pytest.raises(DomainError):
        Support.of(Dataset(tables.domain(2), [[2]]))
    with pytest.raises(DomainError, match="differ"):
        Support(tables.domain(2), np.array([[1], [1]]), np.array([1, 1]))
    with pytest.raises(DomainError, match="at least one atom"):
        Support(tables.domain(2), np.empty((0, 1), dtype=int), np.empty(0, dtype=int))


def test_a_pool_adds_multiplicities() -> None:
    shape = tables.domain(2, 2)
    first, second = Support.of(Dataset(shape, [[0, 0], [0, 1]])), Support.of(Dataset(shape, [[0, 1], [1, 1]]))
    pool = Support.union(first, second)
    assert pool.codes.tolist() == [[0, 0], [0, 1], [1, 1]]
    assert pool.multiplicity.tolist() == [1, 2, 1]


def test_weights_must_be_a_distribution() -> None:
    support = Support.of(Dataset(tables.domain(2), [[0], [1]]))
    for bad in ([0.5, 0.6], [-0.1, 1.1], [1.0], [float("nan"), 1.0]):
        with pytest.raises(DomainError):
            Distribution(support, np.array(bad))


def test_values_survive_the_pipe_to_a_worker() -> None:
    support = Support.of(Dataset(tables.domain(2, 3), [[0, 1], [1, 2]]))
    again = pickle.loads(pickle.dumps(support))  # noqa: S301 - our own bytes
    assert again.codes.tolist() == support.codes.tolist()
    assert again.domain == support.domain
