"""Simulations of releases of households: what plays the private table may be looked at, and is compared with."""
