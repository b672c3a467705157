"""How columns are proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.proposing.bins import Binning

MISSING_TOKENS = ("", "NA", "?")


@dataclass(frozen=True)
class Recipe:
    """How columns are proposed; see `drafting.propose`. SchemaError for a number below one or another binning."""

    bins: int = 10
    binning: Binning = "rounded"
    max_levels: int = 60
    missing_tokens: tuple[str, ...] = MISSING_TOKENS

    def __post_init__(self) -> None:
        if self.bins < 1 or self.max_levels < 1:
            raise SchemaError("bins and max_levels must be at least 1.")
        if self.binning not in get_args(Binning):
            raise SchemaError(f"Bins are {', '.join(get_args(Binning))}; another way was asked for.")
