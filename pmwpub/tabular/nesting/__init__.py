"""Columns whose levels nest: a county lies in a state, an occupation in a group; parents are derived, never read."""
