"""The command `app`: the pages from wherever the project is installed, and from any folder.

Streamlit reads `.streamlit/config.toml` beside the script last of all files, so that neither the current folder nor the
user's home has a say in what stands there. Variables of the environment would, so those are taken out.
"""

from __future__ import annotations

import argparse
import gc
import os
import runpy
import sys
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from pmwpub.cli.inputs import Json
from pmwpub.errors import PmwPubError
from pmwpub.service.inputs.bundled_files import APP_FILES

SCRIPT = APP_FILES / "app.py"
CONFIG = APP_FILES / ".streamlit" / "config.toml"
PACE_OF_PYTHON = (700, 10, 10)
"""After how many new objects Python looks for garbage, unless told otherwise: a server runs long."""


def app(parsed: argparse.Namespace) -> Json:
    """`app`: serve the pages on the loopback address until somebody stops it; with `--check` try what that needs.

    Raises SystemExit with the server's own status at its end; before anything is served PmwPubError where the pages are
    missing, and SettingRefused for settings that a server does not start with.
    """
    if not SCRIPT.is_file() or not CONFIG.is_file():
        raise PmwPubError(f"The app's files are missing in {APP_FILES}: install the project's wheel again.")
    if parsed.check:
        return _checked()
    _refuse_settings()
    _withhold_variables(tomllib.loads(CONFIG.read_text(encoding="utf-8")), os.environ)
    gc.set_threshold(*PACE_OF_PYTHON)
    sys.argv = ["streamlit", "run", str(SCRIPT), *_flags(parsed)]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    raise SystemExit(0)


def _checked() -> Json:
    """Store, witness and workers, each tried once as before a server's first purchase, and the versions at work.

    Raises PmwPubError, in words, for the first that a server could do no purchase with.
    """
    from pmwpub.release.certificates.certificate_parts import versions
    from pmwpub.service import server_parts
    from pmwpub.service.policy import Policy
    from pmwpub.ui.app.signing_in import check_before_serving

    found = server_parts.check_installation(Policy.declared("localhost"), check_before_serving)
    return {**found, "versions": versions()}


def _refuse_settings() -> None:
    """Raise SettingRefused where the server would refuse its settings only after it has said that it is there."""
    from pmwpub.service.policy import Policy
    from pmwpub.ui.app.signing_in import check_before_serving

    check_before_serving(Policy.declared("localhost").accounts)


def _flags(parsed: argparse.Namespace) -> list[str]:
    """What differs from one start to the next."""
    flags = [] if parsed.port is None else ["--server.port", str(parsed.port)]
    flags += [] if parsed.base_path is None else ["--server.baseUrlPath", parsed.base_path]
    return [*flags, "--server.headless", "true"] if parsed.headless else flags


def _withhold_variables(config: Mapping[str, Any], environment: os._Environ[str]) -> None:
    """Take out, in words, each variable of Streamlit's that would overrule a value of the file."""
    fixed = set(_options(config))
    for name in sorted(environment):
        if name.upper().startswith("STREAMLIT_") and _spelt(name) in fixed:
            del environment[name]
            print(f"pmwpub: {name} is passed over: the app keeps to what {CONFIG} says.", file=sys.stderr)


def _options(config: Mapping[str, Any], section: str = "STREAMLIT") -> Iterator[str]:
    """Every option of the file, as its variable is spelt without underscores."""
    for key, value in config.items():
        option = section + _spelt(key)
        if isinstance(value, dict):
            yield from _options(value, option)
        else:
            yield option


def _spelt(name: str) -> str:
    return name.replace("_", "").upper()
