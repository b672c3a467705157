"""Survey weights: what may be bought of a table whose rows are weighed, and their total."""
