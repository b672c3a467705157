"""Accepting a stored release by criteria of its plan: what the release says of them, exact numbers, what was bought."""
