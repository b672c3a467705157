"""A population's inputs: schema, candidate tables, workload, private table, and what the tables share."""
