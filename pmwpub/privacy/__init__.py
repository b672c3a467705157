"""Budgets, noise, selection and measurement: the only place for OpenDP."""
