"""Whether two tables have rows in common: copied runs, more shared rows than chance, views of a table."""
