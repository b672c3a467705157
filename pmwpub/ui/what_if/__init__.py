"""Calculators of the paper's theorems, and the slider of a table's bias."""
