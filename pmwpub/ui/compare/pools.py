"""What can be assessed and released with: each attested candidate, and pools of several as candidates of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from pmwpub.service import Study
from pmwpub.ui.app.state import current

Pool = tuple[str, ...]


def offered(study: Study, bought: Iterable[Pool] = ()) -> list[Pool]:
    """Each attested candidate on its own, then the pools that were made here or bought before."""
    attested = [facts.sha256 for facts in study.usable if facts.attested]
    wanted = [pool for pool in (*_made(study), *bought) if len(pool) > 1 and set(pool) <= set(attested)]
    return [(sha256,) for sha256 in attested] + list(dict.fromkeys(wanted))


def made(study: Study) -> list[Pool]:
    """The pools that were made in this session and can still be used."""
    return [pool for pool in offered(study) if len(pool) > 1]


def named(study: Study, pool: Sequence[str]) -> str:
    """The name of a pool as an option of a widget."""
    name = study.known_names(pool)
    return name if len(pool) == 1 else f"pool: {name}"


def make_pool(study: Study) -> None:
    """Draw the form that puts several candidates together as one more."""
    singles = [pool[0] for pool in offered(study) if len(pool) == 1]
    if len(singles) < 2:
        return
    with st.expander("Put candidates together in a pool"), st.form("pool", clear_on_submit=True, border=False):
        st.caption("A pool has the rows of all its tables: its floor is never above that of any of them.")
        together = st.multiselect(
            "Tables of the pool", singles, format_func=lambda one: study.known_names([one]), key="pool tables"
        )
        if st.form_submit_button("Offer this pool", key="make pool"):
            if len(together) < 2:
                st.warning("A pool needs at least two tables.")
            else:
                _made(study).append(tuple(sorted(together)))
                st.rerun()


def _made(study: Study) -> list[Pool]:
    return current().choices.pools.setdefault(study.population.name, [])
