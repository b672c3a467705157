"""What each public table of a pool with learnt weights contributed, in words. No streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.ui.wording.written import plain


def contribution_words(found: Sequence[tuple[str, float]]) -> str:
    """ "b.csv contributed 71 %, c.csv 29 %.", the largest part first; one table alone where it has all of it.

    found  (name of a public table, its share of the prior), the largest first
    """
    (first, share), *others = [(f"**{plain(name)}**", share) for name, share in found]
    if share == 1:
        named = ", ".join(name for name, _ in others)
        return f"{first} contributed 100 %: no mixture with {named} was so much likelier that more than one was kept."
    return (
        ", ".join([f"{first} contributed {_percent(share)}", *(f"{name} {_percent(part)}" for name, part in others)])
        + "."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
