from __future__ import annotations

import pytest
from release.bundles import SCRIPT, Made, make, public_csv


@pytest.fixture(scope="package")
def made() -> Made:
    """A release with hostile names, levels and a remark."""
    return make([public_csv(60, 1)], remarks=(f"a remark {SCRIPT}",))
