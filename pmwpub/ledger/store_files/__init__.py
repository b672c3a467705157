"""Where a store and its witness are, whether their files are still in their places, and locks on files."""
