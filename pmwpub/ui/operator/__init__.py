"""Panels of the operator's page."""
