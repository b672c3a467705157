"""The best-mixture error of a public table as a certified interval. Nothing in this package adds noise."""
