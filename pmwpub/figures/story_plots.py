"""The plots of the guided story: generated people, simulated noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmwpub.figures.style import FAINT, INK, PALETTE, SYMBOLS, Plot, Table, framed, number, shown

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ROW_HEIGHT = 46
UNCHANGED, PERFECT = "published unchanged", "reweighted perfectly"


@dataclass(frozen=True)
class TableRange:
    """A public table by name: its error unchanged, and the least that any reweighting leaves; shares of rows."""

    label: str
    unchanged: float
    perfect: float


def alone_by_facts(facts: Sequence[str], shares: Sequence[float]) -> Plot:
    """How many people are the only ones of their kind, as one fact after another is known.

    facts   from the first that is known to the last
    shares  of people who are then alone
    """
    from plotly.graph_objects import Bar, Figure

    names = [fact if place == 0 else f"+ {fact}" for place, fact in enumerate(facts)]
    figure = Figure(
        Bar(
            x=list(shares),
            y=list(range(len(facts))),
            orientation="h",
            marker={"color": PALETTE[1]},
            text=[f"{share:.1%}" for share in shares],
            textposition="outside",
            cliponaxis=False,
            hovertext=[
                f"{place + 1} facts known, the last {shown(fact)}: {share:.1%} are alone"
                for place, (fact, share) in enumerate(zip(facts, shares, strict=True))
            ],
            hoverinfo="text",
        )
    )
    title = "People who are the only ones<br>with these facts (%)"
    framed(figure, x_title=title, y_title="known facts", height=130 + 34 * len(facts))
    figure.update_xaxes(tickformat=".3~p", range=[0, 1.15 * max(*shares, 0.1)])
    _rows(figure, names)
    sentences = ["The share of people who are the only ones with what is known of them, fact after fact."]
    sentences += [f"{name}: {share:.1%}." for name, share in zip(names, shares, strict=True)]
    rows = tuple((place + 1, fact, share) for place, (fact, share) in enumerate(zip(facts, shares, strict=True)))
    table = Table(("facts known", "the last one", "alone"), rows, shares=("alone",))
    return Plot(figure, " ".join(sentences), table)


def with_and_without(points: Sequence[tuple[int, float, float]], *, factor: float) -> Plot:
    """How likely each noisy answer is with a person in the table, and without.

    points  (answer, probability with, probability without), in ascending order
    factor  the most by which the two differ, e^epsilon
    """
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    answers = [answer for answer, _, _ in points]
    for place, (name, values) in enumerate(
        (("with her", [p for _, p, _ in points]), ("without her", [p for _, _, p in points]))
    ):
        figure.add_trace(
            Scatter(
                x=answers,
                y=values,
                mode="lines+markers",
                line={"color": PALETTE[place], "width": 2.5, "shape": "hvh", "dash": ("solid", "dash")[place]},
                marker={"symbol": SYMBOLS[place], "size": 8},
                name=name,
                hovertext=[
                    f"{name}: the answer {a} comes {p:.1%} of the time" for a, p in zip(answers, values, strict=True)
                ],
                hoverinfo="text",
            )
        )
    framed(figure, x_title="noisy answer (people)", y_title="how often it comes (%)", height=400)
    figure.update_yaxes(tickformat=".3~p", rangemode="tozero")
    alt = (
        "How often each noisy answer comes, with the person in the table and without. The two curves lie one apart and "
        f"overlap: no answer is more than {number(factor)} times as likely with her as without. "
    )
    alt += " ".join(f"{a}: {with_:.1%} with, {without:.1%} without." for a, with_, without in points)
    header = ("noisy answer", "with her", "without her")
    return Plot(figure, alt, Table(header, tuple(points), shares=header[1:]))


def public_ranges(tables: Sequence[TableRange], *, alone: float) -> Plot:
    """Each public table as a line from its error unchanged down to what perfect reweighting leaves.

    alone  the error of noise alone, without any public table
    """
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    for place, one in enumerate(tables):
        figure.add_shape(type="line", x0=one.perfect, x1=one.unchanged, y0=place, y1=place,
                         line={"color": FAINT, "width": 10}, layer="below")  # fmt: skip
    series = ((UNCHANGED, [one.unchanged for one in tables]), (PERFECT, [one.perfect for one in tables]))
    for place, (name, values) in enumerate(series):
        figure.add_trace(
            Scatter(
                x=values,
                y=list(range(len(tables))),
                mode="markers",
                name=name,
                marker={"color": PALETTE[place], "symbol": SYMBOLS[place], "size": 13},
                hovertext=[
                    f"<b>{shown(one.label)}</b><br>{name}: off by up to {value:.2%}"
                    for one, value in zip(tables, values, strict=True)
                ],
                hoverinfo="text",
            )
        )
    figure.add_vline(x=alone, line={"color": INK, "dash": "dash", "width": 2}, annotation_text="noise alone",
                     annotation_position="top right")  # fmt: skip
    framed(figure, x_title="Largest error<br>(% of all people)", y_title="", height=190 + ROW_HEIGHT * len(tables))
    figure.update_xaxes(tickformat=".3~p", rangemode="tozero")
    _rows(figure, [one.label for one in tables])
    figure.update_layout(margin={"t": 50})
    sentences = [f"{one.label}: {one.unchanged:.2%} unchanged, {one.perfect:.2%} at best." for one in tables]
    rows = (*((one.label, one.unchanged, one.perfect) for one in tables), ("noise alone", alone, alone))
    alt = f"The largest error of each public table. {' '.join(sentences)} Noise alone: {alone:.2%}."
    return Plot(figure, alt, Table(("public table", UNCHANGED, PERFECT), rows, shares=(UNCHANGED, PERFECT)))


def ways_compared(ways: Sequence[tuple[str, float]], *, best: int) -> Plot:
    """One bar a way to answer: its largest error; the way at place `best` stands out."""
    from plotly.graph_objects import Bar, Figure

    figure = Figure(
        Bar(
            x=[error for _, error in ways],
            y=list(range(len(ways))),
            orientation="h",
            marker={
                "color": [PALETTE[2] if place == best else PALETTE[0] for place in range(len(ways))],
                "pattern": {
                    "shape": ["/" if place == best else "" for place in range(len(ways))],
                    "fillmode": "overlay",
                    "solidity": 0.2,
                },
            },
            text=[f"{error:.2%}" for _, error in ways],
            textposition="outside",
            cliponaxis=False,
            hovertext=[f"<b>{shown(name)}</b>: off by up to {error:.2%}" for name, error in ways],
            hoverinfo="text",
        )
    )
    framed(figure, x_title="Largest error<br>(% of all people)", y_title="", height=150 + ROW_HEIGHT * len(ways))
    figure.update_xaxes(tickformat=".3~p", range=[0, 1.2 * max(error for _, error in ways)])
    _rows(figure, [name for name, _ in ways])
    alt = "The largest error of each way. " + " ".join(f"{name}: {error:.2%}." for name, error in ways)
    return Plot(figure, alt, Table(("way", "largest error"), tuple(ways), shares=("largest error",)))


def _rows(figure: Figure, labels: Sequence[str]) -> None:
    """Give each label a row, the first on top; a line break after a comma keeps narrow screens readable."""
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=[",<br>".join(shown(part) for part in label.split(", ")) for label in labels],
        range=[len(labels) - 0.5, -0.6],
        zeroline=False,
        showgrid=False,
    )
