"""Inside a server that a test started: once Streamlit serves, write down what every option is there.

Python imports this file by its name where its folder is on the path; processes that the server starts write nothing.
"""

import json
import os
import sys
import threading
import time


def _write(place: str) -> None:
    while not _serves():
        time.sleep(0.05)
    config = sys.modules["streamlit.config"]
    found = {name: config.get_option(name) for name in config.get_config_options()}
    found["pmwpub"] = sys.modules["pmwpub"].__file__
    with open(f"{place}.part", "w", encoding="utf-8") as file:
        json.dump(found, file, default=str)
    os.replace(f"{place}.part", place)


def _serves() -> bool:
    exists = getattr(sys.modules.get("streamlit.runtime"), "exists", None)
    return exists is not None and exists()


if "SERVER_PROBE" in os.environ:
    threading.Thread(target=_write, args=[os.environ.pop("SERVER_PROBE")], daemon=True).start()
