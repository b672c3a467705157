"""The purchase of a release of households."""
