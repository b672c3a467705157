"""Baselines by name.

    mwem  mwem+on=age/sex            every possible row, or those of some attributes (then only marginals inside them)
    dual-query+samples=100+eta=3     rows chosen one a round
    ji-elkan+lambda=0.01             importance weights on a public table
    hdmm  hdmm+even                  marginals answered without rows, by whole noisy marginals
    residual-planner  ...+even       the same, by noisy residuals; +even weighs each marginal alike, not each query
    aim  aim+megabytes=8   mst       graphical models, with the extra `peers`

What is left out of a name takes the default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pmwpub.errors import PlanError
from pmwpub.evaluation.baselines import Baseline, DualQuery, JiElkan, Marginals, Mwem
from pmwpub.evaluation.peers import Peer
from pmwpub.mechanisms.residuals import Emphasis
from pmwpub.privacy.budget import as_fraction

Options = Mapping[str, str]

LABELS: Mapping[str, str] = MappingProxyType(
    {
        "mwem": "MWEM",
        "dual-query": "DualQuery",
        "ji-elkan": "Ji–Elkan",
        "hdmm": "HDMM (no rows)",
        "residual-planner": "ResidualPlanner (no rows)",
        "aim": "AIM",
        "mst": "MST",
    }
)
"""What people call them."""

_MAKERS: Mapping[str, tuple[frozenset[str], Callable[[Options], Baseline]]] = MappingProxyType(
    {
        "mwem": (frozenset({"on"}), lambda o: Mwem(tuple(o["on"].split("/")) if "on" in o else ())),
        "dual-query": (
            frozenset({"samples", "eta"}),
            lambda o: DualQuery(_whole(o.get("samples", "100")), as_fraction(o.get("eta", "3"))),
        ),
        "ji-elkan": (frozenset({"lambda"}), lambda o: JiElkan(as_fraction(o.get("lambda", "0.01")))),
        "hdmm": (frozenset({"even"}), lambda o: Marginals(False, _emphasis(o))),
        "residual-planner": (frozenset({"even"}), lambda o: Marginals(True, _emphasis(o))),
        "aim": (frozenset({"megabytes"}), lambda o: Peer(True, float(as_fraction(o.get("megabytes", "8"))))),
        "mst": (frozenset(), lambda o: Peer(False)),
    }
)

PEERS = ("aim", "mst")
"""Those that need the extra `peers`."""

BASELINES = tuple(name for name in _MAKERS if name not in PEERS)
"""The others' names, each with its default parameters."""


def is_baseline(method: str) -> bool:
    """Whether a method's name begins with that of a baseline."""
    return method.partition("+")[0] in _MAKERS


def baseline_of(method: str) -> Baseline:
    """The baseline of a name, with what stands behind its plus signs; PlanError for another one."""
    head, *parts = method.split("+")
    known, make = _MAKERS.get(head, (frozenset(), None))
    options = dict((part.partition("=")[0], part.partition("=")[2]) for part in parts)
    if make is None or not set(options) <= known or len(options) < len(parts):
        offered = ", ".join(f"{name} (+{', +'.join(sorted(keys))})" for name, (keys, _) in _MAKERS.items())
        raise PlanError(f"The baselines are {offered}; {method!r} came.")
    return make(options)


def label_of(method: str, *, parameters: bool = False) -> str:
    """A baseline as people read it, with or without its parameters."""
    head, *parts = method.split("+")
    return ", ".join([LABELS[head], *(parts if parameters else ())])


def _emphasis(options: Options) -> Emphasis:
    return Emphasis.MARGINALS if "even" in options else Emphasis.QUERIES


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise PlanError(f"A whole number from 1 is needed; {text!r} came.")
    return int(text)
