"""Commands that are about survey weights."""
