"""What a table's columns may hold, from public facts only: column types, drafting, editing, codebooks."""
