"""Closing a population: retiring it, or moving it to another server with its budget and all that was bought."""
