"""How many private rows a schema does not fit: noisy counts, column by column."""
