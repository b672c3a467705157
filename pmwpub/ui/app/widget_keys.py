"""Keys of the widgets whose entries the app itself sets or reads: Streamlit keeps what stands in a widget under a key.

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
GROW = WidgetKey("grow")
THREE_WAY = WidgetKey("three-way tables")
ADVISED_THREE_WAY = WidgetKey("advised three-way tables")
WEIGHTED_POOL = WidgetKey("weighted pool")
ENGINE = WidgetKey("engine")
ADVISED_ENGINE = WidgetKey("advised engine")
ASSESSMENT_EPSILON = WidgetKey("assessment epsilon")
ASSESSMENT_PRECISION = WidgetKey("assessment precision")
EPSILON_TO_COME = WidgetKey("epsilon to come")
RELEASE_POOL = WidgetKey("release candidate")
RELEASE_EPSILON = WidgetKey("release epsilon")
GOOD_ENOUGH = WidgetKey("wanted error")
CHOICE_EPSILON = WidgetKey("choice epsilon")
HOUSEHOLD_QUESTION_EPSILON = WidgetKey("household question epsilon")
REVIEWED_RANGE = WidgetKey("reviewed columns")
MISFIT_POINTS = WidgetKey("misfit points")
WEIGHT_TOTAL_EPSILON = WidgetKey("weight total epsilon")


def variant(name: str) -> WidgetKey:
    """The key of the choice of one setting of the algorithm, such as "selection"."""
    return WidgetKey(f"variant {name}")


def error_epsilon(plan_sha256: str, repeat: int) -> WidgetKey:
    """The key of the field for the ε of a noisy error, of one draw of a release."""
    return WidgetKey(f"error epsilon {plan_sha256} {repeat}")


def acceptance_part(plan_sha256: str, repeat: int) -> WidgetKey:
    """The key of the field for half-widths, of an acceptance of one draw of a release."""
    return WidgetKey(f"acceptance part {plan_sha256} {repeat}")


def range_columns(workload_sha256: str) -> WidgetKey:
    """The key of the columns with coarse tables; for another workload they are chosen anew."""
    return WidgetKey(f"range columns {workload_sha256}")


def schema_grid(version: int) -> WidgetKey:
    """The key of the grid of the schema; under another version the grid begins anew."""
    return WidgetKey(f"schema grid {version}")


def missing_tokens(version: int) -> WidgetKey:
    """The key of the missing tokens beside the grid of the schema."""
    return WidgetKey(f"missing tokens {version}")


def agreement(form: str, sentences: Sequence[str]) -> WidgetKey:
    """The key of the tick for these very sentences above a form's button."""
    return WidgetKey(f"{form} agreed {' '.join(sentences)}")
