"""Errors by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support import tables

from pmwpub.evaluation import errors, errors_of
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution, Support

SHAPE = tables.domain(3, 2, 2)


def test_errors_by_hand() -> None:
    """Counts 3, 1, 0 of 4 against 1/2, 1/2, 0: gaps 1/4, 1/4, 0."""
    found = errors(PrivateCounts(np.array([3, 1, 0]), 4), np.array([5, 5, 0]), 10)
    assert found.max_error == 0.25
    assert found.mean_error == pytest.approx(1 / 6)
    assert found.rms_error == pytest.approx(math.sqrt(2 / 16 / 3))


def test_the_table_itself_has_no_error_on_itself() -> None:
    dataset = tables.table(SHAPE, 64, 1)
    workload = Workload.all_kway(SHAPE, 2)
    support = Support.of(dataset)
    found = errors_of(count(workload, dataset), PublicProblem(workload, support), Distribution.empirical(support))
    assert found.max_error < 1e-12
