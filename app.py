"""pmwpub in the browser: `streamlit run app.py`."""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.session import PAGES, plain, sidebar, start

st.set_page_config(page_title="pmwpub", layout="wide")
# The links in the sidebar are our own, so that their addresses carry the population.
page = st.navigation([st.Page(path, title=title) for path, (title, icon) in PAGES.items()], position="hidden")
try:
    start()
except PmwPubError as unavailable:
    st.error(plain(str(unavailable)))
    st.stop()
sidebar()
page.run()
