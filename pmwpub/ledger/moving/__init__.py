"""Closing a population for good, and moving it with all that was bought from one store to another."""
