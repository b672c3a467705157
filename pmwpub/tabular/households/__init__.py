"""Rows that belong to households: the schema that says so, and the households that it makes of a table."""
