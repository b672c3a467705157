"""The one page for the stakeholder: what is promised, how far numbers may be off, what not to use it for."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub import figures
from pmwpub.service import Released, Study
from pmwpub.service.bought.answers_of_releases import share_of
from pmwpub.service.bought.release_priors import contributions
from pmwpub.service.bought.replicates_of_releases import can_be_made
from pmwpub.service.choosing.expectation import ReleaseSummary, handed_over
from pmwpub.ui.app.frame import Badge, panel
from pmwpub.ui.app.services import service
from pmwpub.ui.widgets import small_picture
from pmwpub.ui.wording.pool_words import contribution_words
from pmwpub.ui.wording.written import plain

COLUMNS = 12
"""So many columns are named; more are counted."""
BEHIND = "Answers with intervals, and what the release changed"
"""The fold of the page that all else about a release is in."""
MORE = (
    "Each share, mean or difference with its interval, and the same errors for survey software (replicate weights): "
    f"open “{BEHIND}”, below."
)
PRINTED = """<style>@media print {
  @page { size: A4; margin: 12mm; }
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stVerticalBlock"]:has(.st-key-handed-over)
    > :not(.st-key-handed-over):not(:has(.st-key-handed-over)) { display: none !important; }
  [data-testid="stApp"], [data-testid="stAppViewContainer"], [data-testid="stMain"] {
    position: static !important; overflow: visible !important; height: auto !important; display: block !important;
    background: #fff !important; color-scheme: light !important; }
  [data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important; }
  .st-key-handed-over, .st-key-handed-over * {
    color: #000 !important; background: none !important; font-size: 9pt !important; }
  .st-key-handed-over h3 { font-size: 13pt !important; }
  .st-key-handed-over [data-testid="stVerticalBlock"] { gap: 0.3rem !important; }
  .st-key-handed-over li { margin: 0 0 0 1rem !important; }
  .st-key-handed-over img { max-width: 11cm !important; break-inside: avoid; }
}</style>"""
"""The page on paper: what is handed over, in black and on one side, without what leads elsewhere."""


def in_short(study: Study, found: Released) -> None:
    """Draw the summary of a finished release, as its report begins with it; it alone is printed."""
    summary = handed_over(service(), study, found)
    st.html(PRINTED)
    with st.container(key="handed-over"), panel("In short", Badge.DP):
        st.markdown(_what_it_is(study, found))
        if found.bundle is not None and (parts := contributions(found.bundle)):
            st.markdown(contribution_words(parts))
        left, right = st.columns(2)
        with left:
            _list("What is promised", (*summary.promise, summary.spent))
        with right:
            st.markdown(f"**How far numbers may be off**\n\n**{plain(summary.errors[0])}**")
            _sentences(summary.errors[1:])
            if found.bundle is not None and can_be_made(found.bundle):
                st.caption(MORE)
            if summary.levels:
                _levels(summary, found)
        small_picture.show(summary.figure)
        _list("What not to use it for", summary.cautions)


def _what_it_is(study: Study, found: Released) -> str:
    """Whose table it is, and what it is made of."""
    names = [] if found.bundle is None else found.bundle.schema.domain.names
    columns = first_columns(names)
    return (
        f"**Release {found.number} about {plain(study.population.name)}**: a synthetic table with the columns "
        f"{columns}. It is made from the rows of {plain(found.name)}, so that they agree with noisy answers about the "
        "private table."
    )


def first_columns(names: Sequence[str]) -> str:
    """The first columns, and how many more there are; a single one more is named, for that takes no more room."""
    shown = names if len(names) <= COLUMNS + 1 else names[:COLUMNS]
    more = len(names) - len(shown)
    *first, last = [*map(plain, shown), *([f"{more:,} more"] if more else [])] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _levels(summary: ReleaseSummary, found: Released) -> None:
    with st.expander("Shares of single columns, with intervals"):
        table = figures.Table(
            ("column", "level", share_of(found), "from", "to"),
            tuple((one.column, one.level, one.share, one.low, one.high) for one in summary.levels),
        )
        st.dataframe(
            table.columns,
            hide_index=True,
            width="stretch",
            column_config={name: st.column_config.NumberColumn(format="percent") for name in table.header[2:]},
            alt="Shares of single columns, with intervals.",
        )
        if summary.left_out:
            st.caption(plain(summary.left_out))


def _list(title: str, sentences: Sequence[str]) -> None:
    st.markdown(f"**{title}**")
    _sentences(sentences)


def _sentences(sentences: Sequence[str]) -> None:
    if sentences:
        st.markdown("\n".join(f"- {plain(words)}" for words in sentences))
