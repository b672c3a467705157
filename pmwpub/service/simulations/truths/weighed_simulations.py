"""What is said of simulations under a schema that weighs rows: public tables that play the private one weigh theirs."""

from __future__ import annotations

from pmwpub.tabular.weights.weight_column import WeightColumn

NO_OWN_WEIGHTS = (
    "The schema weighs rows by the column {column!r}, and {truth}, which plays the private table, has no such column. "
    "Name a table that has it, or leave the cap out of that column to simulate without weights."
)

OWN_SUM = "the sum of the weights of the table that plays the private one"
KNOWN_TOTAL = "the total of a release, to which the table that plays the private one is scaled"


def weighed_words(column: WeightColumn, total: int | None, whole: str) -> str:
    """How a simulation weighs rows, and what of it is in no simulated error.

    total  T in units; None where it is not said
    whole  what shares are taken of, in words
    """
    unit, cap = column.units
    most = f"{float(cap * unit):,.10g}"
    number = "" if total is None else f"{float(total * unit):,.10g}, "
    return (
        f"Rows count as their survey weight ({column.name}), in whole units of {column.unit}, at most {most} each; "
        f"shares are of {number}{whole}. What a declared total is off by is in no simulated error."
    )
