"""Which plans are worked on now, on either database, and trying again where a connection is lost."""
