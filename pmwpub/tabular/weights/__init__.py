"""Survey weights: the column that a schema declares, and what each row of a private table weighs."""
