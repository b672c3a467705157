"""Releases of households."""
