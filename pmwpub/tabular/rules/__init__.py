"""Edit rules: which rows there cannot be, said in the schema, from public facts alone."""
