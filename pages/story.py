"""Story: five screens for stakeholders, on generated data; nothing private is touched."""

from __future__ import annotations

import streamlit as st

from pmwpub.service.simulations.story_numbers import story
from pmwpub.ui import HOME, Badge, enter, link, notices, panel, refusals
from pmwpub.ui.story.own_numbers import own_numbers
from pmwpub.ui.story.screens import screen_number, turn_buttons
from pmwpub.ui.story.story_text import SCREENS
from pmwpub.ui.widgets import plot_panel

session = enter("pages/story.py")
st.title("Story", anchor=False)
notices(session)
at = screen_number(len(SCREENS))
with refusals():
    screen = SCREENS[at - 1](story())
    with panel(f"{at} of {len(SCREENS)}: {screen.title}", Badge.PUBLIC):
        st.markdown(screen.words)
        for place, plot in enumerate(screen.plots):
            plot_panel.show(plot, f"story {at} {place}")
        st.markdown(screen.close)
turn_buttons(at, len(SCREENS))
st.caption("Generated people and simulated noise, made once by a seeded program and stored with the sample.")
if at == len(SCREENS):
    with refusals():
        own_numbers(session)
    link(HOME, "Try it yourself: open the demo")
