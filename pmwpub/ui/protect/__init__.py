"""Panels of populations: what is protected, and under which terms."""
