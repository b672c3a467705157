"""A tick for sentences that a form's entries bring up: they are known only once its button was pressed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pmwpub.ui.app.state import current
from pmwpub.ui.app.widget_keys import agreement
from pmwpub.ui.wording.written import plain

TICK = "I have read this, and want these terms"
TICK_FIRST = "Nothing was changed yet. With the tick, the same press goes through."


def agreed(form: str, sentences: Sequence[str]) -> bool:
    """Whether these very sentences stood above the button when it was pressed, and were ticked.

    Where they were not, `ask` shows them from now on; other entries bring up other sentences, with a tick of their own.
    """
    asked = _asked(form)
    if not sentences or (asked == tuple(sentences) and st.session_state.get(agreement(form, asked), False)):
        forget(form)
        return True
    current().choices.asked[form] = tuple(sentences)
    st.session_state[agreement(form, sentences)] = False
    return False


def forget(form: str) -> None:
    """Ask nothing: the entries were refused, so nothing follows from them."""
    current().choices.asked.pop(form, None)


def ask(form: str) -> None:
    """Draw the sentences to be ticked, if there are any; call it inside the form, above its button.

    The tick goes when the page is left, as the entries do; nothing is asked then.
    """
    asked = _asked(form)
    if asked and agreement(form, asked) in st.session_state:
        for sentence in asked:
            st.warning(plain(sentence))
        st.caption(TICK_FIRST)
        st.checkbox(TICK, key=agreement(form, asked))


def _asked(form: str) -> tuple[str, ...]:
    return current().choices.asked.get(form, ())
