"""What comes with the package without being part of it: the app's script, pages and settings, and the sample's tables.

In a checkout they stand beside the package; the wheel has them in a folder of it, in the same order.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
_IN_WHEEL = _PACKAGE / "app_files"

APP_FILES = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent
"""The folder with `app.py`, `pages/`, `.streamlit/config.toml` and `sample_data/`."""
