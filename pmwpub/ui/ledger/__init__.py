"""Panels of the ledger: recorded decisions, and stored uploads that can be deleted."""
