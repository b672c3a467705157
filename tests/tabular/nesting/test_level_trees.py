"""Trees of levels: what lies in what, with the shares of public rows added up."""

from __future__ import annotations

import json

from pmwpub.tabular.nesting.level_trees import NestedLevel, level_trees
from pmwpub.tabular.schema.table_schema import Schema

CHAIN = [{"name": "state", "prefix": 1}, {"name": "region", "map": {"a": "E", "b": "E", "c": "W"}, "of": "state"}]
COAST = {"name": "coast", "map": {"a1": "yes", "a2": "no", "b1": "no", "c1": "yes"}}


def schema_of(*parents: dict[str, object]) -> Schema:
    county = {"name": "county", "kind": "categorical", "levels": ["a1", "a2", "b1", "c1"], "parents": list(parents)}
    return Schema.from_json(json.dumps({"version": 2, "columns": [county]}))


def test_each_level_stands_below_the_one_that_it_lies_in_with_its_share() -> None:
    (tree,) = level_trees(schema_of(*CHAIN), {"county": (0.25, 0.25, 0.375, 0.125)})
    assert tree.names == ("region", "state", "county")
    assert tree.levels == (
        NestedLevel("E", 0, None, 0.875),
        NestedLevel("W", 0, None, 0.125),
        NestedLevel("a", 1, 0, 0.5),
        NestedLevel("b", 1, 0, 0.375),
        NestedLevel("c", 1, 1, 0.125),
        NestedLevel("a1", 2, 2, 0.25),
        NestedLevel("a2", 2, 2, 0.25),
        NestedLevel("b1", 2, 3, 0.375),
        NestedLevel("c1", 2, 4, 0.125),
    )
    assert tree.path(7) == ("E", "b", "b1")


def test_a_branch_is_a_tree_of_its_own() -> None:
    (tree,) = level_trees(schema_of(*CHAIN), {})
    branch = tree.below(2)
    assert branch.names == ("state", "county")
    assert [(one.label, one.depth, one.above) for one in branch.levels] == [("a", 0, None), ("a1", 1, 0), ("a2", 1, 0)]
    assert tree.below(None) == tree


def test_parents_that_do_not_nest_stand_in_trees_of_their_own() -> None:
    trees = level_trees(schema_of(*CHAIN, COAST), {})
    assert [tree.names for tree in trees] == [("region", "state", "county"), ("coast", "county")]
    assert all(one.share is None for tree in trees for one in tree.levels)
