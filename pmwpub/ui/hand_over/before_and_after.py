"""A finished release beside the public table that it started from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pmwpub import figures
from pmwpub.records import Distribution
from pmwpub.service import PlanKey, Released, Study
from pmwpub.service.bought.release_priors import prior_support
from pmwpub.ui.app.services import public
from pmwpub.ui.widgets import plot_panel


@dataclass(frozen=True)
class BeforeAndAfter:
    """What stands beside what: a release and its public table, as the shares of one column's levels."""

    number: int
    key: PlanKey
    attribute: str
    levels: tuple[str, ...]
    public: tuple[float, ...]
    released: tuple[float, ...]


def compare(study: Study, done: Sequence[Released]) -> BeforeAndAfter | None:
    """Ask for a release and a column, and draw both tables' shares; None where they cannot be compared."""
    left, right = st.columns(2)
    labels = {one.outcome.booking.id: f"{one.number}: {one.name}" for one in reversed(done)}
    number = left.selectbox("Release", list(labels), format_func=labels.__getitem__)
    found = next(one for one in done if one.outcome.booking.id == number)
    bundle = found.bundle
    if bundle is None or study.schema is None or bundle.schema.sha256 != study.schema.sha256:
        st.info("This release was made under another schema.")
        return None
    if not set(found.plan.inputs.candidates) <= {facts.sha256 for facts in study.usable}:
        st.info("The public table of this release was deleted.")
        return None
    domain = bundle.schema.domain
    attribute = right.selectbox("Column", domain.names)
    digest = bundle.certificate.files["weights.csv"]
    released = public(f"released:{digest}", bundle.distribution)
    prior = Distribution.empirical(prior_support(study, bundle, found.plan.inputs.candidates))
    levels = domain.attributes[domain.index(attribute)].levels
    shares = [tuple(part.one_way(attribute).tolist()) for part in (prior, released)]
    plot_panel.show(figures.drawn_once(figures.marginal_comparison, levels, *shares, attribute=attribute), "one-way")
    return BeforeAndAfter(found.number, found.outcome.booking.key, attribute, levels, *shares)
