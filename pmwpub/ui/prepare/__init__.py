"""Panels that take in tables, schema and workload."""
