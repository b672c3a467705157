"""pmwpub in the browser: `streamlit run app.py`.

Streamlit imports this file once, for the server, and then runs it as the main script for every run of a page.
"""

from __future__ import annotations

import streamlit as st

from pmwpub.errors import PmwPubError
from pmwpub.ui import let_in, offered, plain, recalling, sidebar, start

if __name__ != "__main__":
    from pmwpub.ui.server.serving import lifespan, middleware, routes

    app = st.App(__file__, lifespan=lifespan, middleware=middleware(), routes=routes())
else:
    st.set_page_config(page_title="pmwpub", layout="wide")
    # The links in the sidebar are our own, so that their addresses carry the population.
    with recalling():
        pages = offered()
        page = st.navigation([st.Page(path, title=title) for path, (title, icon) in pages.items()], position="hidden")
        try:
            let_in()
            start(pages)
        except PmwPubError as unavailable:
            st.error(plain(str(unavailable)))
            st.stop()
        sidebar(pages)
        page.run()
