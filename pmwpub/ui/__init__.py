"""The interface in Streamlit: what pages share (`app`, `widgets`, `wording`), and a folder of panels for each page."""

from pmwpub.ui.app.account_panel import let_in
from pmwpub.ui.app.deferring import at_download
from pmwpub.ui.app.frame import (
    HOME,
    PAGES,
    Badge,
    end,
    entitled,
    link,
    need,
    notices,
    offered,
    opened,
    panel,
    refusals,
    sidebar,
)
from pmwpub.ui.app.services import recalling, service
from pmwpub.ui.app.state import Session, current, enter, go, start
from pmwpub.ui.wording.written import plain

__all__ = [
    "HOME",
    "PAGES",
    "Badge",
    "Session",
    "at_download",
    "current",
    "end",
    "enter",
    "entitled",
    "go",
    "let_in",
    "link",
    "need",
    "notices",
    "offered",
    "opened",
    "panel",
    "plain",
    "recalling",
    "refusals",
    "service",
    "sidebar",
    "start",
]
