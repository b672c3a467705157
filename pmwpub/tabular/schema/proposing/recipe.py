"""How columns are proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from pmwpub.domain import MAX_LEVELS
from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.proposing.bins import Binning

MISSING_TOKENS = ("", "NA", "?")


@dataclass(frozen=True)
class Recipe:
    """How columns are proposed, see `drafting.propose`; SchemaError for numbers beyond 10,000 or another binning."""

    bins: int = 10
    binning: Binning = "rounded"
    max_levels: int = 60
    missing_tokens: tuple[str, ...] = MISSING_TOKENS

    def __post_init__(self) -> None:
        if not min(self.bins, self.max_levels) >= 1 or max(self.bins, self.max_levels) > MAX_LEVELS:
            raise SchemaError(f"bins and max_levels must lie between 1 and {MAX_LEVELS:,}.")
        if self.binning not in get_args(Binning):
            raise SchemaError(f"Bins are {', '.join(get_args(Binning))}; another way was asked for.")
