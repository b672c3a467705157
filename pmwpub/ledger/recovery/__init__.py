"""The store's second record (the witness), backups, and what puts a store right without a refund."""
