"""Keys of the widgets whose entries the app itself sets or reads: Streamlit keeps what stands in a widget under one.

Whatever else a session knows is a field of `Session` in `state.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NewType

WidgetKey = NewType("WidgetKey", str)

VIEW_SWITCH = WidgetKey("stakeholder view")
SIMULATION = WidgetKey("simulation chosen")
ADVISED_ROUNDS = WidgetKey("advised rounds")
ROUNDS = WidgetKey("rounds")
ENGINE = WidgetKey("engine")
ASSESSMENT_EPSILON = WidgetKey("assessment epsilon")
ASSESSMENT_PRECISION = WidgetKey("assessment precision")
CHOICE_EPSILON = WidgetKey("choice epsilon")


def variant(name: str) -> WidgetKey:
    """The choice of one setting of the algorithm, such as "selection"."""
    return WidgetKey(f"variant {name}")


def error_epsilon(plan_sha256: str, repeat: int) -> WidgetKey:
    """The ε of a noisy error of one draw of a release."""
    return WidgetKey(f"error epsilon {plan_sha256} {repeat}")


def schema_grid(version: int) -> WidgetKey:
    """The grid of the schema; under another version it begins anew."""
    return WidgetKey(f"schema grid {version}")


def missing_tokens(version: int) -> WidgetKey:
    """The missing tokens beside that grid."""
    return WidgetKey(f"missing tokens {version}")


def agreement(form: str, sentences: Sequence[str]) -> WidgetKey:
    """The tick for these very sentences above a form's button."""
    return WidgetKey(f"{form} agreed {' '.join(sentences)}")
