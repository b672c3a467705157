"""The parts that a `Ledger` is put together from."""
