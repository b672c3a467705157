"""Version 3: populations can be closed, which programs of earlier versions would not heed; no table changes."""

from __future__ import annotations

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Do nothing: the number alone keeps programs away that would go on selling."""
