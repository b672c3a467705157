"""Screens in a row, shown one at a time: the address names the one on show; buttons and arrow keys turn to others."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import BudgetError
from pmwpub.numerals import read_whole

SCREEN = "screen"


def screen_number(count: int) -> int:
    """The screen that the address names, from 1; the first where it names none."""
    try:
        wanted = read_whole(st.query_params.get(SCREEN, "1"))
    except BudgetError:
        return 1
    return min(count, max(1, wanted))


def turn_buttons(at: int, count: int) -> None:
    """Draw the buttons for back and next, which the arrow keys press too."""
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        _turn("Back", at - 1, disabled=at == 1, shortcut="Left", icon=":material/arrow_back:")
        _turn("Next", at + 1, disabled=at == count, shortcut="Right", icon=":material/arrow_forward:")


def _turn(label: str, to: int, *, disabled: bool, shortcut: str, icon: str) -> None:
    st.button(
        label,
        key=f"story {label}",
        on_click=_show,
        args=(to,),
        disabled=disabled,
        shortcut=shortcut,
        icon=icon,
        type="primary" if label == "Next" else "secondary",
    )


def _show(screen: int) -> None:
    st.query_params[SCREEN] = str(screen)
