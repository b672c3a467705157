"""One column at a time, from public cells: its kind, levels or bins, and what a person should know of it."""
