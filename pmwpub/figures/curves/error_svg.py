"""Error against epsilon as a small SVG that stands by itself: for reports, exports and print. No library draws it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from pmwpub.figures.curves.curve_values import ErrorCurve, ShadedFloor, Unchanged
from pmwpub.figures.style import INK, PALETTE, ROWS, cut, percent
from pmwpub.rounding import in_percent, near

WIDTH, HEIGHT = 480, 280
"""Narrow, so that its words can still be read where a phone shows the whole of it."""
LEFT, RIGHT, TOP, BOTTOM = 74, 16, 14, 50
LINE = 20
"""Height of a line of the legend."""
CHARACTERS = 58
"""The most characters of such a line."""
ROOM = 40
"""The least distance between two numbers on the axis of epsilon."""
TOGETHER = "\N{NO-BREAK SPACE}"
"""Keeps a number and its sign on one line."""
MARK = 30
"""The room for the mark before its words."""


@dataclass(frozen=True)
class MarkedRelease:
    """A release on the figure: its epsilon, and the error that is expected of it."""

    epsilon: float
    error: float


@dataclass(frozen=True)
class _Scale:
    """From epsilon and error to places in the picture; epsilon on a logarithmic axis."""

    first: float
    last: float
    most: float

    @classmethod
    def of(cls, epsilons: Sequence[float], errors: Sequence[float]) -> _Scale:
        return cls(min(epsilons) / 1.15, max(epsilons) * 1.15, 1.12 * max(errors) or 1.0)

    def x(self, epsilon: float) -> float:
        share = math.log(epsilon / self.first) / math.log(self.last / self.first)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, error: float) -> float:
        return TOP + (1 - min(error, self.most) / self.most) * (HEIGHT - TOP - BOTTOM)


def error_svg(
    curves: Sequence[ErrorCurve],
    floors: Sequence[ShadedFloor] = (),
    unchanged: Sequence[Unchanged] = (),
    *,
    marked: MarkedRelease | None = None,
    measure: str = "Largest error",
    whole: str = ROWS,
) -> str:
    """Lines with bars of one standard error, tables unchanged as broken lines, and each table's own region that no
    epsilon reaches shaded in its colour; below them the legend and the conclusion in words.

    whole  what errors are shares of; said below the figure where it has no room beside the axis

    Labels are escaped; nothing in it runs or loads. "" without a curve.
    """
    if not curves:
        return ""
    epsilons = [epsilon for curve in curves for epsilon in curve.epsilons] + ([marked.epsilon] if marked else [])
    errors = [error + bar for curve in curves for error, bar in zip(curve.mean, curve.standard_error, strict=True)]
    errors += [line.error for line in unchanged] + [floor.high for floor in floors] + ([marked.error] if marked else [])
    scale, words = _Scale.of(epsilons, errors), conclusion(curves, floors, marked)
    names = list(dict.fromkeys(curve.label for curve in curves))
    colour = {name: PALETTE[place % len(PALETTE)] for place, name in enumerate(names)}
    parts = [_axes(scale, sorted(set(epsilons)), f"{measure} (% of {ROWS})" if whole == ROWS else f"{measure} (%)")]
    parts += [_floor(scale, floor, colour.get(floor.label, INK)) for floor in floors]
    parts += [_level(scale, line, colour.get(line.label, INK)) for line in unchanged]
    parts += [_curve(scale, curve, colour[curve.label]) for curve in curves]
    if marked is not None:
        parts.append(
            f'<circle cx="{scale.x(marked.epsilon):.1f}" cy="{scale.y(marked.error):.1f}" r="7" fill="none" '
            'stroke="currentColor" stroke-width="2"/>'
        )
    said = [] if whole == ROWS else [("", INK, f"Errors in % of {whole}.")]
    entries = [*said, *_legend(curves, floors, unchanged, marked, colour), ("", INK, words)]
    lines = [line for mark, ink, said in entries for line in _lines(mark, ink, said)]
    height = HEIGHT + LINE * len(lines) + 8
    below = "".join(line.format(y=HEIGHT + LINE * place + 12) for place, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(words, quote=True)}" font-family="sans-serif" font-size="15" fill="currentColor" '
        f'color="{INK}">{"".join(parts)}{below}</svg>'
    )


def conclusion(
    curves: Sequence[ErrorCurve], floors: Sequence[ShadedFloor] = (), marked: MarkedRelease | None = None
) -> str:
    """What the figure says, in one or two sentences of plain text."""
    best = min(curves, key=lambda curve: curve.mean[-1])
    at = near(best.epsilons[-1], 6)
    said = f"At ε = {at} the error is {percent(best.mean[-1])}"
    if len(curves) > 1:
        said = f"{best.name} does best at ε = {at}, with an error of {percent(best.mean[-1])}"
    if marked is not None:
        said = f"At ε = {near(marked.epsilon)} an error of {in_percent(marked.error)} is expected"
    own = [one for one in floors if best.label == one.label or best.label.startswith(f"{one.label}, ")]
    floor = max(own, key=lambda one: len(one.label), default=None)
    if floor is None or floor.low <= 0:
        return f"{said}."
    sure = f" (with {floor.confidence:.0%} confidence)" if floor.noisy and floor.confidence else ""
    return f"{said}; no ε brings {floor.label} below {percent(floor.low)}{sure}."


def _axes(scale: _Scale, epsilons: Sequence[float], title: str) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    step = 10 ** math.floor(math.log10(scale.most))
    step = next(part * step for part in (0.1, 0.2, 0.5, 1.0, 2.0) if scale.most / (part * step) <= 6)
    marks = [place * step for place in range(int(scale.most / step) + 1)]
    lines = [
        f'<line x1="{LEFT}" x2="{right}" y1="{scale.y(mark):.1f}" y2="{scale.y(mark):.1f}" stroke="{INK}" '
        f'stroke-opacity="0.3"/><text x="{LEFT - 6}" y="{scale.y(mark) + 4:.1f}" '
        f'text-anchor="end">{percent(mark)}</text>'
        for mark in marks
    ]
    lines += [
        f'<text x="{scale.x(one):.1f}" y="{bottom + 19}" text-anchor="middle">{near(one)}</text>'
        for one in _apart(scale, epsilons)
    ]
    middle = (TOP + bottom) / 2
    lines.append(f'<text x="{(LEFT + right) / 2}" y="{bottom + 40}" text-anchor="middle">ε of the release</text>')
    lines.append(
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">{escape(title)}</text>'
    )
    return "".join(lines)


def _apart(scale: _Scale, epsilons: Sequence[float]) -> list[float]:
    """Those of ascending epsilons whose numbers have room beside each other."""
    kept: list[float] = []
    for epsilon in epsilons:
        if not kept or scale.x(epsilon) - scale.x(kept[-1]) >= ROOM:
            kept.append(epsilon)
    return kept


def _floor(scale: _Scale, floor: ShadedFloor, colour: str) -> str:
    """The region below a floor's lower end, and a line at its upper end where that is another."""
    top, bottom, right = scale.y(floor.low), HEIGHT - BOTTOM, WIDTH - RIGHT
    broken = ' stroke-dasharray="4 4"' if floor.noisy else ""
    region = (
        f'<rect class="floor" x="{LEFT}" y="{top:.1f}" width="{right - LEFT}" height="{bottom - top:.1f}" '
        f'fill="{colour}" fill-opacity="0.25"/>'
    )
    return (
        f'{region if floor.low > 0 else ""}<line x1="{LEFT}" x2="{right}" y1="{scale.y(floor.high):.1f}" '
        f'y2="{scale.y(floor.high):.1f}" stroke="{colour}" stroke-width="2"{broken}/>'
    )


def _level(scale: _Scale, line: Unchanged, colour: str) -> str:
    y = scale.y(line.error)
    return (
        f'<line class="unchanged" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}" '
        'stroke-width="1.5" stroke-dasharray="7 5"/>'
    )


def _curve(scale: _Scale, curve: ErrorCurve, colour: str) -> str:
    points = [(scale.x(e), scale.y(m)) for e, m in zip(curve.epsilons, curve.mean, strict=True)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    bars = "".join(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{scale.y(max(0.0, m - s)):.1f}" y2="{scale.y(m + s):.1f}" '
        f'stroke="{colour}"/>'
        for (x, _), m, s in zip(points, curve.mean, curve.standard_error, strict=True)
        if s
    )
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points)
    look = 'stroke-width="2.5" stroke-dasharray="9 4 2 4"' if curve.aside else 'stroke-width="2.5"'
    return f'<polyline class="curve" points="{path}" fill="none" stroke="{colour}" {look}/>{bars}{dots}'


def _legend(
    curves: Sequence[ErrorCurve],
    floors: Sequence[ShadedFloor],
    unchanged: Sequence[Unchanged],
    marked: MarkedRelease | None,
    colour: dict[str, str],
) -> list[tuple[str, str, str]]:
    """What each mark means: the mark, its colour, and plain words; of a release, what is expected in two digits."""
    digits = 3 if marked is None else 2
    said = [
        ("●-·" if curve.aside else "●—", colour[curve.label], f"{cut(curve.name)}{_rounds(curve)}") for curve in curves
    ]
    said += [
        ("- -", colour.get(line.label, INK), f"{cut(line.label)} unchanged, free: {in_percent(line.error, digits)}")
        for line in unchanged
    ]
    said += [_of_floor(floor, colour.get(floor.label, INK)) for floor in floors]
    return said + ([("○", "currentColor", "this release")] if marked is not None else [])


def _rounds(curve: ErrorCurve) -> str:
    """ ", T = 5 to 40" where the numbers of rounds are known; else ""."""
    if not curve.rounds:
        return ""
    fewest, most = min(curve.rounds), max(curve.rounds)
    return f", T = {fewest}" if fewest == most else f", T = {fewest} to {most}"


def _of_floor(floor: ShadedFloor, colour: str) -> tuple[str, str, str]:
    """What a shaded region means; where there is none, that nothing is ruled out, and the line that stands there."""
    kind = "noisy, bought" if floor.noisy else "proved on the table that plays the private one"
    if floor.low > 0:
        return "▒", colour, f"out of reach with {cut(floor.label)} at any ε ({kind}): below {percent(floor.low)}"
    return "—", colour, f"floor of {cut(floor.label)} ({kind}): at most {percent(floor.high)}; nothing is ruled out"


def _lines(mark: str, colour: str, words: str) -> list[str]:
    """Words with their mark as lines of text, each with a place for its height: {y}."""
    found = [f'<text x="8" y="{{y}}" fill="{colour}">{mark}</text>'] if mark else []
    left = 8 + MARK if mark else 8
    lines = wrap(words.replace(" %", f"{TOGETHER}%"), CHARACTERS - (4 if mark else 0))
    texts = [f'<text x="{left}" y="{{y}}">{_for_format(line.replace(TOGETHER, " "))}</text>' for line in lines]
    return ["".join(found + texts[:1]), *texts[1:]]


def _for_format(words: str) -> str:
    """Words escaped as markup, and their braces for `str.format`."""
    return escape(words, quote=False).replace("{", "{{").replace("}", "}}")
