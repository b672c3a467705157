"""Panels of a release: its plan, its result, its charged error."""
