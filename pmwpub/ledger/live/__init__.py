"""Which plans are worked on now, files that one program holds, and trying again where a connection is lost."""
