"""The quality report of a finished release, on its page."""

from __future__ import annotations

import streamlit as st

from pmwpub import figures
from pmwpub.errors import PlanError
from pmwpub.rounding import in_percent, up
from pmwpub.service import Released, Study
from pmwpub.service.accepting.acceptances import acceptances, noisy_largest
from pmwpub.service.bought import release_errors
from pmwpub.service.quality_report import Cause, MarginalsCompared, Quality, compared, quality_of
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import public, service
from pmwpub.ui.app.state import Session
from pmwpub.ui.hand_over.private_quality import truth_panel
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.marginal_picker import ChosenMarginal, choose, choose_ways, show
from pmwpub.ui.wording.written import plain

HOW = (
    "**Moved** is the total variation distance: the share that would have to change place to turn the public "
    "table's marginal into the release's. A measurement changes the weight of all rows in its cell, so it moves every "
    "marginal that shares a column with it."
)

MOST_SAID = 8
"""Sentences about levels and columns that are shown."""


def quality_part(session: Session, study: Study, found: Released) -> None:
    """Draw a release beside its public table, for everybody; for the steward who opens it, both beside the truth."""
    try:
        quality = quality_of(service(), study, found)
    except PlanError as reason:
        st.info(plain(str(reason)))
        return
    booking = found.outcome.booking
    with panel("What the release changed, and why", Badge.DP):
        _facts(study, found, quality)
        _evidence(quality)
        st.markdown(HOW)
        ways = choose_ways(quality.ways, "Marginals of", f"quality ways {booking.id}")
        comparison = compared(service(), quality, ways)
        moved = public(f"moved:{quality.key}:{ways}", lambda: _moved(comparison, quality))
        plot_panel.show(moved, f"moved {booking.id}")
        if not comparison.complete:
            st.caption(f"{len(comparison.workload.marginals):,} marginals, drawn by a public seed: all are too many.")
        chosen = choose(comparison, comparison.order, f"marginal {booking.id}")
        show(chosen, f"marginal {booking.id}")
        _why(chosen, quality)
        _heaviest(quality)
    truth_panel(session, study, found, quality)


def _facts(study: Study, found: Released, quality: Quality) -> None:
    """Draw support in effect and weights, and the noisy error, if it was bought."""
    after, before = quality.weights, quality.public_weights
    left, middle, right = st.columns(3)
    left.metric(
        "Support in effect",
        f"{after.effective:,.0f} rows",
        help="1/Σw²: so many rows of equal weight would be as concentrated.",
    )
    left.caption(f"of {after.atoms:,} distinct ones; the public table's: {before.effective:,.0f}")
    middle.metric("Largest weight", f"{after.largest:.2%}")
    middle.caption(f"in the public table: {before.largest:.2%}; {after.half:,} rows hold half the weight")
    errors = release_errors.measured_errors(service(), study.population.name, found.outcome.booking.key)
    bought = [one.error for one in errors if one.error is not None]
    held = acceptances(service(), study.population.name, found.outcome.booking.key) if found.plan.criteria else []
    accepted = noisy_largest(held)
    if bought:
        estimate, low, high = (in_percent(one, 3) for one in (bought[-1].estimate, bought[-1].low, bought[-1].high))
        right.metric("Largest error (noisy)", estimate)
        right.caption(f"{low} to {high}, bought at a charge of its own")
    elif accepted is not None:
        right.metric("Largest error (noisy)", in_percent(min(max(float(accepted.values[0]), 0.0), 1.0), 3))
        right.caption(f"± {up(100 * accepted.half_width, 3)} points (95 %), bought for the acceptance")
    else:
        right.metric("Largest error (noisy)", "not bought")
        right.caption("A charge of its own; see above.")


def _evidence(quality: Quality) -> None:
    """What the noisy counts evidently say of single levels, and of columns that lack rows."""
    if quality.evidence:
        st.markdown("**What its own noisy counts say** of levels and columns, at no further price:")
        st.markdown("\n".join(f"- {plain(one.words)}" for one in quality.evidence[:MOST_SAID]))
        if len(quality.evidence) > MOST_SAID:
            st.caption(f"And {len(quality.evidence) - MOST_SAID:,} more, less far off.")
        st.caption(
            "The two tables differ there; a level that was measured as 0 may be spelt otherwise in the private one."
        )


def _moved(comparison: MarginalsCompared, quality: Quality) -> figures.Plot:
    marginals = []
    for place in comparison.order:
        names = comparison.names(place)
        near = quality.touching(names)
        measured = any(one.columns == len(names) for one in near)
        words = tuple(cause_words(one) for one in near)
        marginals.append(figures.MovedMarginal(names, float(comparison.distance[place]), measured, words))
    return figures.drawn_once(figures.moved_marginals, marginals)


def cause_words(one: Cause) -> str:
    """A measurement in words, plain text."""
    query = ", ".join(f"{name} = {level}" for name, level in one.query)
    return (
        f"{one.unit} {one.number}: {query}: noisy {one.noisy:.1%}, public {one.public:.1%}, release {one.released:.1%}"
    )


def _why(chosen: ChosenMarginal, quality: Quality) -> None:
    """List the measurements that touch the chosen marginal."""
    near = quality.touching(chosen.names, limit=5)
    if not near:
        st.caption("No measurement is about any of its columns: it moved along with columns that go with them.")
        return
    st.caption("Measurements that touch it: those about most of its columns first, then the most surprising ones.")
    table = figures.Table(
        (near[0].unit, "measured query", "of its columns", "noisy (%)", "public table (%)", "release (%)"),
        tuple(
            (
                one.number,
                ", ".join(f"{name} = {level}" for name, level in one.query),
                f"{one.columns} of {len(chosen.names)}",
                *(round(100 * share, 2) for share in (one.noisy, one.public, one.released)),
            )
            for one in near
        ),
    )
    st.dataframe(table.columns, hide_index=True, width="stretch", alt="Measurements that touch this marginal.")


def _heaviest(quality: Quality) -> None:
    names = quality.released.support.domain.names
    with st.expander("The rows of the largest weights"):
        table = figures.Table(
            ("weight in the release (%)", "in the public table (%)", *names),
            tuple((round(100 * one.weight, 4), round(100 * one.public, 4), *one.row) for one in quality.heaviest),
        )
        st.dataframe(table.columns, hide_index=True, width="stretch", alt="The rows of the largest weights.")
        st.caption(
            "Rows of the public table, or added to it; a weight says how often such a row stands in the release."
        )
