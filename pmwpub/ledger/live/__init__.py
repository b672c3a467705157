"""Which plans are worked on now, whether the store is there and could take a charge, trying again where it is away."""
