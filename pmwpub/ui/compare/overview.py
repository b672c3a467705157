"""Compare on one screen: the verdict in a sentence, and what is known of each candidate in a row of its own."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pmwpub import figures
from pmwpub.numerals import as_fraction
from pmwpub.plans.weighing import shares_of_what
from pmwpub.rounding import near
from pmwpub.service import Assessed, Study
from pmwpub.service.bought.latest_numbers import latest_of_all
from pmwpub.service.choosing.expected_pool import can_be_pooled, pool_terms
from pmwpub.service.choosing.free_table import good_enough_for_free
from pmwpub.service.choosing.preselection import Preselection, preselected
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.simulations.explorations import explorations
from pmwpub.service.simulations.simulated_methods import PMW_PUB, TABLE_FIT, UNCHANGED
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import current, viewers_only
from pmwpub.ui.compare.pools import Pool, offered
from pmwpub.ui.widgets import number_fields, plot_panel
from pmwpub.ui.widgets.free_offer import free_offer
from pmwpub.ui.wording.candidate_verdict import MADE_UP, basis_words, guessed_by, played_by, verdict
from pmwpub.ui.wording.written import plain

BOTH_ENGINES = (PMW_PUB, TABLE_FIT, UNCHANGED)
LEGEND = (
    "**Best-mixture error** (floor): what would remain if this public table were reweighted perfectly. No ε gets below."
)


def overview(study: Study, bought: Sequence[Assessed]) -> Preselection | None:
    """Draw ε, the verdict and a row a candidate; returns what is known at that ε, None where nothing is offered."""
    pools = offered(study, [one.candidates for one in bought])
    if not pools:
        st.warning("No candidate is attested yet; none is offered before its word is given on Prepare.")
        return None
    whole = shares_of_what(weighed=study.weighs_rows)
    known, epsilon = latest_of_all(bought, study), _asked(whole)
    exact = as_fraction(epsilon)
    with service().ledger.view():
        at = {
            near(value, 6): preselected(service(), study, bought, pools, epsilon=float(value))
            for value in (exact, exact / 2)
        }
    chosen = at[near(exact, 6)]
    st.markdown(f"##### {verdict(study, at, list(known.values()))}")
    wanted = current().choices.good_enough
    if free := good_enough_for_free(study, bought, pools, chosen, wanted):
        free_offer(study, free, wanted)
    basis = basis_words(study, guessed_by(study, chosen, list(known.values()))) if chosen.expected else ""
    st.caption(f"{LEGEND} {basis}".strip())
    if not chosen.expected:
        _offer_simulation(study)
    elif chosen.engine == TABLE_FIT and chosen.together is None:
        _offer_pool(study, pools, exact)
    rows = [_row(study, pool, known.get(pool), chosen) for pool in _order(pools, chosen)]
    if any(row.floor or row.start or row.expected for row in rows):
        plot = figures.drawn_once(figures.candidate_rows, rows, epsilon=near(exact, 6), whole=whole)
        plot_panel.show(plot, "candidates")
        with st.expander("Why this one"):
            st.markdown(plain(chosen.reason))
    return chosen


def _asked(whole: str) -> str:
    """Ask for ε and, once for all pages, for the error that would be good enough."""
    choices = current().choices
    left, right = st.columns(2)
    key = widget_keys.EPSILON_TO_COME
    choices.epsilon = number_fields.number(left, "ε of the release to come", choices.epsilon, "0.001", "100", key=key)
    choices.good_enough = _good_enough(right, choices.good_enough, whole)
    return choices.epsilon


def _good_enough(place: DeltaGenerator, value: float, whole: str) -> float:
    """Ask in percent of the rows, or of what they weigh; a share of it comes back."""
    st.session_state.setdefault(widget_keys.GOOD_ENOUGH, 100 * value)
    words = f"An error that would be good enough, in % of {whole}"
    found: float = place.number_input(words, 0.1, 100.0, step=1.0, format="%.1f", key=widget_keys.GOOD_ENOUGH)
    return found / 100


def _offer_simulation(study: Study) -> None:
    """Offer to simulate every candidate, where no simulation was asked for yet."""
    if viewers_only() or explorations(service(), study):
        return
    played = MADE_UP if study.demo else "Public tables play the private one in turn."
    if st.button("Simulate for free", type="primary", help=played):
        simulate_pairs(service(), study, SweepRange(methods=BOTH_ENGINES))
        st.rerun()


def _offer_pool(study: Study, pools: Sequence[Pool], epsilon: Fraction) -> None:
    """Offer to simulate a pool of all tables with learnt weights at this ε, where simulations can have one."""
    if viewers_only() or not can_be_pooled(study, pools):
        return
    if st.button("Try a pool of them for free", help="One release with all tables, whose weights are learnt."):
        simulate_pairs(service(), study, pool_terms(pools, float(epsilon)))
        st.rerun()


def _order(pools: Sequence[Pool], chosen: Preselection) -> list[Pool]:
    """The candidates by what is expected of them, the chosen one first; those of which nothing is known last."""
    first = [] if chosen.pool is None else [chosen.pool]
    return list(dict.fromkeys([*first, *(pool for pool, _ in chosen.expected), *(tuple(sorted(one)) for one in pools)]))


def _row(study: Study, pool: Pool, bought: Assessed | None, chosen: Preselection) -> figures.CandidateRow:
    expected = chosen.of(pool)
    return figures.CandidateRow(
        study.known_names(pool),
        None if bought is None else bought.floor,
        None if bought is None else bought.start,
        None if expected is None or not expected.pairs else (expected.floor, expected.floor_low, expected.floor_high),
        None if expected is None or (bought is not None and bought.start is not None) else expected.start,
        None if expected is None else (expected.error, expected.low, expected.high),
        () if expected is None else played_by(study, expected.truths),
    )
