"""The parts of `benchmarks/load.py`: who visits a server, and what is measured of it."""
