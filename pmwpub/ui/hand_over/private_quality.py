"""The steward's part of the quality report: release and public table beside the private table itself."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pmwpub import figures
from pmwpub.service import Released, Study
from pmwpub.service.quality_report import Quality, compared
from pmwpub.service.steward_only import true_marginals
from pmwpub.service.steward_only.true_marginals import TrueMarginals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import Session
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.marginal_picker import choose, choose_ways, show
from pmwpub.ui.widgets.private_panel import opened_numbers
from pmwpub.ui.wording.written import number

LISTED = 60
"""How many marginals the table lists, those farthest from the truth; any other can be looked at by name."""

WHAT = (
    "The exact one-, two- and three-way marginals of the private table, and how far the public table and this release "
    "are from them."
)


def truth_panel(session: Session, study: Study, found: Released, quality: Quality) -> None:
    """Draw release and public table beside the truth, for the steward alone: off by default, confirmed and recorded."""
    booking = found.outcome.booking
    opened = opened_numbers(
        session,
        study,
        key=("true marginals", booking.key),
        title=f"Release {found.number} beside the private table",
        what=WHAT,
        compute=lambda private: true_marginals.true_marginals(
            service(), private, booking.key, {ways: compared(service(), quality, ways) for ways in quality.ways}
        ),
    )
    if opened is not None:
        with opened[0]:
            _draw(opened[1], booking.id)


def _draw(found: Mapping[int, TrueMarginals], booking: int) -> None:
    means = [(ways, one.public_distance.mean(), one.released_distance.mean()) for ways, one in found.items()]
    for place, (ways, public, released) in zip(st.columns(len(means)), means, strict=True):
        place.metric(f"{ways}-way, mean distance", f"{released:.2%}", help="Of the release from the private table.")
        place.caption(f"public table: {public:.2%}; ratio {number(released / public) if public else 'none'}")
    ways = choose_ways(list(found), "Private marginals of", f"true ways {booking}")
    one = found[ways]
    public, released = one.public_distance, one.released_distance
    order = (-released).argsort(kind="stable").tolist()
    rows = [
        figures.TrueDistance(one.compared.names(place), float(public[place]), float(released[place]))
        for place in order[:LISTED]
    ]
    plot_panel.show_private(figures.true_distances(rows), f"true distances {booking}")
    chosen = choose(one.compared, order, f"private {booking}", private=one.private)
    show(chosen, f"private marginal {booking}")
