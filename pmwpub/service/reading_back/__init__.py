"""The stored bytes of what was bought, as the numbers that they are."""
