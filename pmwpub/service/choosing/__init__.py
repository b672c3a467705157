"""What to expect of each candidate, from what was bought and from free simulations, and which one to take."""
