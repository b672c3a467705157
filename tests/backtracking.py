"""A matcher of regular expressions that backtracks as Python's own does, and counts the characters that it looks at."""

from __future__ import annotations

import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Sequence
from typing import Any

Then = Callable[[int], bool]


class Steps:
    """How many characters a pattern looks at in a text; the flags are those of the pattern."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._nodes = list(parser.parse(pattern.pattern, pattern.flags))
        self._flags = pattern.flags
        self._text = text
        self._end = 0
        self.count = 0

    def fullmatch(self) -> int:
        """Steps of `fullmatch`, and so at least those of `match`."""
        self._run(self._nodes, 0, lambda at: at == len(self._text))
        return self.count

    def everywhere(self) -> int:
        """Steps of `sub`, `findall` or a `search` that finds nothing: matches from left to right."""
        at = 0
        while at <= len(self._text):
            found = self._run(self._nodes, at, self._stops)
            at = max(at + 1, self._end) if found else at + 1
        return self.count

    def _stops(self, at: int) -> bool:
        self._end = at
        return True

    def _run(self, nodes: Sequence[Any], at: int, then: Then) -> bool:
        if not nodes:
            return then(at)
        (kind, what), rest = nodes[0], nodes[1:]

        def following(place: int) -> bool:
            return self._run(rest, place, then)

        if kind is sre.SUBPATTERN:
            return self._run(list(what[3]), at, following)
        if kind is sre.BRANCH:
            return any(self._run(list(branch), at, following) for branch in what[1])
        if kind is sre.ASSERT:
            return self._run(list(what[1]), at, lambda _: True) and following(at)
        if kind is sre.AT:
            return at == len(self._text) and following(at)
        if kind is sre.MAX_REPEAT:
            return self._repeat(what, at, following)
        return self._one(kind, what, at) and following(at + 1)

    def _repeat(self, what: Any, at: int, then: Then) -> bool:
        low, high, body = what
        single = len(body) == 1 and body[0][0] not in (sre.SUBPATTERN, sre.BRANCH, sre.MAX_REPEAT)
        if not single:
            return self._groups(list(body), at, 0, low, high, then)
        end = at
        while end - at < high and self._one(*body[0], end):
            end += 1
        return any(then(place) for place in range(end, at + low - 1, -1))

    def _groups(self, body: Sequence[Any], at: int, done: int, low: int, high: int, then: Then) -> bool:
        def again(place: int) -> bool:
            return place > at and self._groups(body, place, done + 1, low, high, then)

        return (done < high and self._run(body, at, again)) or (done >= low and then(at))

    def _one(self, kind: Any, what: Any, at: int) -> bool:
        """Whether one character is as one node says."""
        self.count += 1
        if at >= len(self._text):
            return False
        node = parser.SubPattern(parser.State(), [(kind, what)])
        return _compiled(node, self._flags, repr((kind, what))).match(self._text[at]) is not None


_KNOWN: dict[tuple[str, int], re.Pattern[str]] = {}


def _compiled(node: Any, flags: int, key: str) -> re.Pattern[str]:
    import re._compiler as compiler  # type: ignore[import-not-found]

    if (key, flags) not in _KNOWN:
        node.state.flags = flags
        node.state.str = key
        _KNOWN[key, flags] = compiler.compile(node, flags)
    return _KNOWN[key, flags]
