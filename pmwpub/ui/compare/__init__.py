"""Panels that compare candidates: bought floors, free facts, simulations."""
