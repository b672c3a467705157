"""The rules of a release's schema as its certificate has them: in words, with the public rows that were left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pmwpub.tabular.rules.rule_tree import EditRule


class StatedRule(BaseModel):
    """One rule that holds of every released row.

    rule                  its text, as `schema.json` has it as a tree
    reason                "" for none
    public_rows_left_out  rows of the release's public tables that have a level everywhere and break it; a row that
                          breaks several counts with each
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    reason: str
    public_rows_left_out: Annotated[int, Field(ge=0)]


def stated_rules(rules: Sequence[EditRule], left_out: Sequence[Sequence[int]]) -> tuple[StatedRule, ...] | None:
    """The rules of a schema; None, and so no key, without any.

    left_out  for each public table the rows that break each rule
    """
    if not rules:
        return None
    return tuple(
        StatedRule(rule=rule.text, reason=rule.reason or "", public_rows_left_out=sum(own[place] for own in left_out))
        for place, rule in enumerate(rules)
    )
