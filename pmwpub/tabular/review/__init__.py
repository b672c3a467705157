"""Which public columns would waste a budget, and the review of a drafted schema, one row a column."""
