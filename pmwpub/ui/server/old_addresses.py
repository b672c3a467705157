"""Addresses of pages that have another name today: bookmarks and links in documents lead on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

OLD = {
    "home": "",
    "protect": "",
    "data": "prepare",
    "workload": "prepare",
    "candidates": "compare",
    "explore": "compare",
    "whatif": "what_if",
}
"""The page that took the place of each; the first page has no name in its address."""


def redirects(base: str) -> list[Route]:
    """Routes from the old addresses, query parameters kept; `base` is the server's base path, "" for none."""
    return [Route(f"{prefix(base)}/{old}", _leading(f"{prefix(base)}/{new}")) for old, new in OLD.items()]


def prefix(base: str) -> str:
    """ "/app" for the base path "app", "" for none."""
    return f"/{base}" if base else ""


def _leading(to: str) -> Callable[[Request], Awaitable[RedirectResponse]]:
    async def lead(request: Request) -> RedirectResponse:
        query = request.url.query
        return RedirectResponse(f"{to}?{query}" if query else to, 307)

    return lead
