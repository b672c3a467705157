"""Exact private numbers for the steward's eyes: each look is recorded before anything is computed."""
