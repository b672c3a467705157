"""The ledger's history as files."""
