"""The browser session and everything that pages share. The only package that imports streamlit."""

from pmwpub.session.frame import (
    HOME,
    PAGES,
    Badge,
    link,
    need,
    notices,
    opened,
    panel,
    refusals,
    sidebar,
)
from pmwpub.session.services import service
from pmwpub.session.state import Session, current, enter, go, start
from pmwpub.session.words import plain

__all__ = [
    "HOME",
    "PAGES",
    "Badge",
    "Session",
    "current",
    "enter",
    "go",
    "link",
    "need",
    "notices",
    "opened",
    "panel",
    "plain",
    "refusals",
    "service",
    "sidebar",
    "start",
]
