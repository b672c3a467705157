"""One file for each version of the store; what a released one makes never changes."""
