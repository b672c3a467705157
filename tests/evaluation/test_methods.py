from __future__ import annotations

import itertools

import pytest

from pmwpub.errors import PlanError
from pmwpub.evaluation import METHODS, PMW_PUB, UNCHANGED, Variant, variant_of
from pmwpub.evaluation.methods import CHANGES, canonical
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start


def test_every_combination_of_changes_has_a_name_that_leads_back_to_it() -> None:
    names = [c for size in range(len(CHANGES) + 1) for c in itertools.combinations(CHANGES, size)]
    variants = [variant_of("+".join([PMW_PUB, *changes])) for changes in names]
    assert len(set(variants)) == 16
    assert all(variant_of(variant.method) == variant for variant in variants)


def test_the_paper_s_setting_by_name() -> None:
    paper = variant_of("pmw-pub+no-replay+average+permute-and-flip")
    assert paper == Variant("permute-and-flip", Output.AVERAGE, Start.PUBLIC, Replay.OFF)
    assert paper.method == "pmw-pub+permute-and-flip+average+no-replay"


def test_all_methods_are_the_default_each_single_change_and_the_table_unchanged() -> None:
    assert len(METHODS) == 6
    assert (METHODS[0], METHODS[-1]) == (PMW_PUB, UNCHANGED)
    assert canonical(METHODS) == METHODS


@pytest.mark.parametrize("name", ["", "pmw", "unchanged+average", "pmw-pub+", "pmw-pub+median"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(PlanError, match="methods are"):
        canonical([name])
