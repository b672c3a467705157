"""Plans of what can be bought, and what was bought, read back from the store."""
