"""The guided story: five screens on the sample data, each with a plot or two. No streamlit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pmwpub import figures
from pmwpub.figures import Plot
from pmwpub.service.inputs.demo import CHOICE
from pmwpub.service.simulations.story_numbers import (
    EPSILON,
    NOISE_ALONE,
    PMW_PUB,
    TABLE_FIT,
    Curve,
    Story,
    bought,
    curves,
    odds,
    starts,
)
from pmwpub.ui.wording.written import loss, number

NAMES = {
    "state_b.csv": "B, same state, eight years ago",
    "state_c.csv": "C, the state next door",
    "state_d.csv": "D, a state far away",
}


HEADROOM = 1.08
"""The height of figures of one scale, as a multiple of the largest error in them."""


@dataclass(frozen=True)
class Screen:
    """One screen: its title, a few sentences as Markdown, its plots, and a closing line."""

    title: str
    words: str
    plots: tuple[Plot, ...]
    close: str


def at_risk(story: Story) -> Screen:
    """The first screen: what exact tables give away."""
    person, rest = (
        ", ".join(f"{name} {level}" for name, level in part) for part in (story.person.known, story.person.told)
    )
    return Screen(
        "What is at risk",
        f"State A wants to share a table about {story.rows:,} people, so that others can plan with it. (All of them "
        f"are invented.) Nobody's name is in it. But a few facts that a neighbour knows single people out: with "
        f"{len(story.alone)} of them, **{story.alone[-1].alone:.0%} are the only one of their kind**.",
        (
            figures.drawn_once(
                figures.alone_by_facts, [one.fact for one in story.alone], [one.alone for one in story.alone]
            ),
        ),
        f"Take the one person with {person}. Exact tables tell the rest: **{rest}**.",
    )


def promise(story: Story) -> Screen:
    """The second screen: what differential privacy promises."""
    factor = math.exp(EPSILON)
    return Screen(
        "What privacy promises",
        "So every answer gets noise, and the noise has a rule: **whatever comes out could also have come out "
        f"without any one person**. How much more or less often is set by a number, ε. At ε = {EPSILON:g} no answer "
        f"becomes more than {number(factor)} times as likely. Here is one question, “how many people are like her?”, "
        "asked of the table with her in it and without.",
        (figures.drawn_once(figures.with_and_without, odds(EPSILON), factor=factor),),
        "The answer leaves it open whether she is in the table, for anybody, with any other knowledge. Each "
        "further question spends more of ε; a ledger keeps the sum.",
    )


def public_tables(story: Story) -> Screen:
    """The third screen: noise alone does not do; public tables may."""
    summary, floors = bought(story), {one.candidate: one.upper for one in story.simulation.floors}
    tables = [
        figures.TableRange(_name(candidate), start, floors[candidate]) for candidate, start in starts(story).items()
    ]
    worst = max(tables, key=lambda one: one.perfect)
    return Screen(
        "Which public data can help",
        f"A useful table answers not one question but {story.queries:,}. Noise on every one of them leaves errors of "
        f"up to **{summary.alone:.1%} of all people** at ε = {EPSILON:g}. There are public tables about similar "
        "people, though. None is right as it is; but giving its rows other weights can bring it close. How close at "
        "best is the *best-mixture error*.",
        (figures.drawn_once(figures.public_ranges, tables, alone=summary.alone),),
        f"**{worst.label}** can never do: it lacks people whom A has, and no weights bring them back. It stays off by "
        f"{worst.perfect:.0%} over all {story.marginals:,} sets of three columns, whatever is spent (the demo asks "
        f"about {CHOICE.marginals} of them, where some 10 % remain). For a sliver of ε this can be known before "
        "anything is released.",
    )


def errors(story: Story) -> Screen:
    """The fourth screen: error against epsilon for the best table and the worst, each in its own shade."""
    summary, ceiling = bought(story), max(starts(story).values())
    worst = max(story.simulation.floors, key=lambda one: one.lower)
    (noise,) = curves(story, NOISE_ALONE)
    return Screen(
        "What a little ε buys",
        "PMW^Pub asks the private table a few well-chosen questions, with noise, and gives the public rows new weights "
        "until they agree; table fit asks for all counts of one and two columns at once. More ε, less error; but "
        "**into a table's shaded region no ε gets anybody**. Here are the best public table and the worst, on one "
        f"scale. (δ = {loss(story.delta)} throughout: the chance left over.)",
        (
            _errors_of(story, summary.table, _curve(noise, NOISE_ALONE, ceiling)),
            _errors_of(story, worst.candidate),
        ),
        f"With {_name(summary.table)}, the error at ε = {EPSILON:g} is {summary.released:.1%} by PMW^Pub and "
        f"{summary.fitted:.1%} by table fit. Noise alone is off by "
        f"{noise.mean[0]:.0%} at ε = {noise.epsilons[0]:g}, which is above the picture. With {_name(worst.candidate)}, "
        f"every line ends at {worst.lower:.0%}: change the table, not ε.",
    )


def _errors_of(story: Story, candidate: str, *beside: figures.ErrorCurve) -> Plot:
    """Both engines' lines of one public table over its own shade, and lines beside them that are of no table."""
    name, ceiling = _name(candidate), max(starts(story).values())
    lines = [
        _curve(curve, f"{name}{ending}", engine=engine)
        for method, ending, engine in ((PMW_PUB, "", "PMW^Pub"), (TABLE_FIT, ", table fit", ""))
        for curve in curves(story, method)
        if curve.label == candidate
    ]
    floors = [
        figures.ShadedFloor(name, one.lower, one.upper, noisy=False)
        for one in story.simulation.floors
        if one.candidate == candidate
    ]
    unchanged = [figures.Unchanged(name, starts(story)[candidate])]
    return figures.drawn_once(
        figures.error_against_epsilon, [*lines, *beside], floors, unchanged, height=HEADROOM * ceiling
    )


def public_data_bought(story: Story) -> Screen:
    """The last screen: what the public data bought."""
    found = bought(story)
    name = _name(found.table)
    ways = [
        ("Noise alone, no public table", found.alone),
        (
            f"{found.table.removesuffix('.csv').removeprefix('state_').upper()} as it is, nothing private used",
            found.unchanged,
        ),
        (f"PMW^Pub, at the same ε = {EPSILON:g}", found.released),
        (f"Table fit, at the same ε = {EPSILON:g}", found.fitted),
        ("The best weights, if privacy were no matter", found.floor),
    ]
    return Screen(
        "What the public data bought us",
        f"At the same price, ε = {EPSILON:g}, the largest of {story.queries:,} errors falls from {found.alone:.1%} to "
        f"**{min(found.released, found.fitted):.1%}**, because the public rows of {name}, already know most of what is "
        "true of people.",
        (figures.drawn_once(figures.ways_compared, ways, best=2 if found.released < found.fitted else 3),),
        f"Noise alone would need **ε = {number(found.epsilon_of_noise)}** for that. And what is handed out is a table "
        "of rows like any other, with a certificate that anyone can check.",
    )


SCREENS: tuple[Callable[[Story], Screen], ...] = (at_risk, promise, public_tables, errors, public_data_bought)
"""The screens in their order, from "what is at risk" to "what the public data bought us"."""


def _name(candidate: str) -> str:
    return NAMES.get(candidate, candidate)


def _curve(curve: Curve, label: str, ceiling: float = math.inf, *, engine: str = "") -> figures.ErrorCurve:
    """A curve of the story as a value to be drawn, cut off above an error of `ceiling`."""
    kept = [place for place, error in enumerate(curve.mean) if error <= ceiling]
    return figures.ErrorCurve(
        label,
        tuple(curve.epsilons[place] for place in kept),
        tuple(curve.mean[place] for place in kept),
        tuple(curve.standard_error[place] for place in kept),
        runs=3,
        engine=engine,
    )
