"""The total weight of a private table, with noise."""
