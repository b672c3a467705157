"""The commands that close a population: moving and retiring it."""
