"""Choose public data and release private data with it, under differential privacy (Liu et al. 2021)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pmwpub.api import (
        AskedHouseholds,
        Project,
        SyntheticHouseholds,
        SyntheticRelease,
        draft_schema,
        release_households,
    )
    from pmwpub.errors import NoResult, Overspent, PmwPubError
    from pmwpub.ledger import Ledger, Population
    from pmwpub.plans import WorkloadChoice
    from pmwpub.tabular.households.household_schema import HouseholdSchema
    from pmwpub.tabular.rules.rule_parsing import read_rule
    from pmwpub.tabular.schema.table_schema import Schema

__all__ = [
    "AskedHouseholds",
    "HouseholdSchema",
    "Ledger",
    "NoResult",
    "Overspent",
    "PmwPubError",
    "Population",
    "Project",
    "Schema",
    "SyntheticHouseholds",
    "SyntheticRelease",
    "WorkloadChoice",
    "draft_schema",
    "read_rule",
    "release_households",
]

_HOMES = {
    "AskedHouseholds": "pmwpub.api",
    "HouseholdSchema": "pmwpub.tabular.households.household_schema",
    "Ledger": "pmwpub.ledger",
    "NoResult": "pmwpub.errors",
    "Overspent": "pmwpub.errors",
    "PmwPubError": "pmwpub.errors",
    "Population": "pmwpub.ledger",
    "Project": "pmwpub.api",
    "Schema": "pmwpub.tabular.schema.table_schema",
    "SyntheticHouseholds": "pmwpub.api",
    "SyntheticRelease": "pmwpub.api",
    "WorkloadChoice": "pmwpub.plans",
    "draft_schema": "pmwpub.api",
    "read_rule": "pmwpub.tabular.rules.rule_parsing",
    "release_households": "pmwpub.api",
}


def __getattr__(name: str) -> Any:
    """Import a public name where it is first used, so that importing the package stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pmwpub' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
