"""Settings chosen on a public pair: begun on the Compare page, taken over on the Release page with one click."""

from __future__ import annotations

import streamlit as st

from pmwpub.numerals import as_fraction
from pmwpub.rounding import in_percent, near
from pmwpub.service import Study
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.explorations import Exploration
from pmwpub.service.simulations.validated_settings import (
    METHODS,
    ROUNDS,
    RUNS,
    Tuned,
    chosen_in,
    is_tuning,
    tuned,
    validation_terms,
)
from pmwpub.ui.app import widget_keys
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import viewers_only
from pmwpub.ui.compare.method_variants import in_words
from pmwpub.ui.compare.sweep_panel import NOTHING_BEGINS
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.written import plain


def tuning_form(study: Study) -> None:
    """Draw the form that begins a sweep over settings on a pair of public tables."""
    if viewers_only():
        st.info(NOTHING_BEGINS)
        return
    names = {facts.sha256: facts.name for facts in study.usable}
    if len(names) < 2:
        st.caption("Tuning needs two public tables: one to play the private table, one to play its candidate.")
        return
    st.caption(
        f"{len(ROUNDS)} numbers of rounds, both selections and both outputs, {RUNS} runs each. As in the paper, take "
        "an earlier vintage of the private table and of its candidate. No private row takes part, so it costs nothing."
    )
    left, right = st.columns(2)
    truth = left.selectbox("Plays the private table", list(names), format_func=names.__getitem__, key="tune truth")
    others = [sha256 for sha256 in names if sha256 != truth]
    candidate = right.selectbox("Plays its candidate", others, format_func=names.__getitem__, key="tune candidate")
    epsilon = left.number_input("ε of the release to come", 0.001, 100.0, value=1.0, step=0.1, key="tune epsilon")
    terms = validation_terms([candidate], (round(epsilon, 6),))
    right.caption(f"{terms.sweep.parts(1):,} runs and floors; {len(METHODS) - 1} variants.")
    if st.button("Tune", help="Free: it uses public tables only."):
        explorations.explore(service(), study, truth, terms)
        st.rerun()
    for found in explorations.explorations(service(), study):
        if is_tuning(found.terms):
            _tuned(study, found)


def _tuned(study: Study, found: Exploration) -> None:
    """Show where a sweep over settings stands, and what it chose."""
    if found.job is not None:
        watch([Waiting(found.job.key, "Tuning")], "run", charged=False)
    show_chosen(study, found)


def show_chosen(study: Study, found: Exploration | None) -> None:
    """Say what a finished simulation with a choice of settings chose."""
    if found is None or found.simulation is None:
        return
    for epsilon in sorted(found.terms.epsilons):
        for one in chosen_in(study, found, epsilon):
            st.success(f"{words(one)} The Release page takes it over.", icon=":material/tune:")


def words(found: Tuned) -> str:
    """A sentence on settings: what they are, and how well they did on which pair."""
    return (
        f"At ε = {near(found.epsilon, 6)} the best of {found.compared} settings was **T = {found.rounds}**, the "
        "fewest that do as well, with "
        f"{in_words(found.settings)}: an error of {in_percent(found.mean)} ± {in_percent(found.standard_error)} with "
        f"{plain(found.candidate)} as the candidate of {plain(found.truth)}."
    )


def offer_tuned(study: Study, epsilon: str) -> None:
    """Offer, on the Release page, the settings that a public pair chose near this ε; one click takes them over."""
    found = tuned(service(), study, float(as_fraction(epsilon)))
    if not found:
        return
    chosen = found[0]
    if len(found) > 1:
        chosen = st.selectbox(
            "Tuned on", found, format_func=lambda one: f"{one.truth}, by {one.candidate}, at ε = {near(one.epsilon, 6)}"
        )
    st.caption(words(chosen))
    st.button("Use the tuned settings", on_click=_take_over, args=(chosen,), icon=":material/tune:")


def _take_over(found: Tuned) -> None:
    """Set the widgets of the plan as tuned; it runs before the next run of the page."""
    st.session_state[widget_keys.ADVISED_ROUNDS] = False
    st.session_state[widget_keys.ROUNDS] = found.rounds
    for name, value in found.settings.items():
        st.session_state[widget_keys.variant(name)] = value
