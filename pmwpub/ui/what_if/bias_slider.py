"""The bias slider of the demo, after the paper's ADULT experiment."""

from __future__ import annotations

import streamlit as st

from pmwpub import figures
from pmwpub.rounding import in_percent
from pmwpub.service import Study
from pmwpub.service.simulations import bias_sweep
from pmwpub.service.simulations.bias_sweep import BiasCase, BiasPoint
from pmwpub.ui.app.frame import HOME, Badge, link, panel, refusals
from pmwpub.ui.app.services import service
from pmwpub.ui.app.state import viewers_only
from pmwpub.ui.widgets import plot_panel
from pmwpub.ui.widgets.watching import Waiting, watch
from pmwpub.ui.wording.written import plain

WORDS = (
    "State A plays the private table. The public table is a tenth as many of its rows, drawn so that one group comes "
    "**too often**: its own share plus a bias. All of it is generated data, so this is free and everybody may see it."
)
EPSILONS = (0.25, 1.0)


def bias_panel(study: Study | None) -> None:
    """Draw what a bias does to the table unchanged, to its floor, and to both engines; in a demo alone."""
    with panel("What does a bias in the public table do?", Badge.PUBLIC), refusals():
        st.markdown(WORDS)
        if study is None or not bias_sweep.runs_here(study):
            st.info("This runs on the sample data: open the demo first.")
            link(HOME, "Go to Protect")
            return
        case = _case(study)
        found = bias_sweep.sweep(service(), study, case)
        if found.job is not None:
            watch([Waiting(found.job.key, "Simulation")], "step", charged=False)
        elif not found.points and viewers_only():
            st.info("This server is for viewers alone: it begins no simulation.")
        elif not found.points:
            if st.button("Simulate the bias", type="primary", help="Free: it uses generated tables only."):
                bias_sweep.explore(service(), study, case)
                st.rerun()
        else:
            _shown(case, found.points)


def _case(study: Study) -> BiasCase:
    domain, default = study.workload().domain, BiasCase()
    left, middle, right = st.columns(3)
    names = domain.names
    attribute = left.selectbox("Column", names, index=_place(names, default.attribute), key="bias column")
    levels = domain.attributes[domain.index(attribute)].levels
    level = middle.selectbox(
        "Level that comes too often", levels, index=_place(levels, default.level), key=f"bias level {attribute}"
    )
    epsilon = right.radio(
        "ε of each release",
        EPSILONS,
        index=EPSILONS.index(default.epsilon),
        horizontal=True,
        format_func=lambda value: f"{value:g}",
        key="bias epsilon",
    )
    return BiasCase(attribute, level, epsilon)


def _place(options: tuple[str, ...], wanted: str) -> int:
    return options.index(wanted) if wanted in options else 0


def _shown(case: BiasCase, points: tuple[BiasPoint, ...]) -> None:
    biases = [point.bias for point in points]
    chosen = (
        st.select_slider(
            "Bias, in percentage points of the public rows",
            biases,
            value=biases[min(3, len(biases) - 1)],
            format_func=lambda value: f"{100 * value:+.0f}",
            key=f"bias {case.attribute} {case.level}",
        )
        if len(biases) > 1
        else biases[0]
    )
    point = next(point for point in points if point.bias == chosen)
    for place, (label, value) in zip(
        st.columns(4),
        [
            ("Published unchanged", point.start),
            (f"Table fit at ε = {case.epsilon:g}", point.fitted),
            (f"PMW^Pub at ε = {case.epsilon:g}", point.error),
            ("Reweighted perfectly", point.floor_high),
        ],
        strict=True,
    ):
        place.metric(label, in_percent(value), help="The largest error over the workload, in percent of the rows.")
    of = f"{case.attribute} = {case.level}"
    tables = [
        figures.BiasedTable(
            one.bias, one.start, one.fitted, one.fitted_error, one.error, one.standard_error, one.floor_low
        )
        for one in points
    ]
    plot_panel.show(figures.drawn_once(figures.error_against_bias, tables, chosen, of=of), "bias")
    st.caption(_verdict(point, of))


def _verdict(point: BiasPoint, of: str) -> str:
    """What the chosen bias means, in words, with the engine that does better."""
    bias_words = f"With {100 * point.bias:+.0f} points of {plain(of)}"
    error, engine = min((point.fitted, "table fit"), (point.error, "PMW^Pub"))
    if error >= point.start:
        return (
            f"{bias_words}, neither engine beats the public table as it is: there is nothing to repair that noise of "
            "this ε would not hide. Publishing it unchanged costs no ε."
        )
    return (
        f"{bias_words}, {engine} takes {1 - error / point.start:.0%} of the error away; reweighting can do so because "
        "the rows that are too rare are still there."
    )
