"""Free simulations on public tables, and what they advise."""
