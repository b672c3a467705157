from __future__ import annotations

import pytest
from release.bundles import FORMULA, SCRIPT, Made, make, public_csv

from pmwpub.plans.criteria import criteria_of


@pytest.fixture(scope="package")
def made() -> Made:
    """A release with hostile names, levels and a remark, and criteria about them."""
    held = criteria_of(
        [
            {"kind": "cell", "levels": {SCRIPT: FORMULA, "sex": "F"}, "within": "0.1"},
            {"kind": "mean", "column": "=age", "low": "0", "high": "120", "within": "0.1"},
        ]
    )
    return make([public_csv(60, 1)], remarks=(f"a remark {SCRIPT}",), criteria=held)
