"""Delimited text: its encoding, its delimiter, its header and its lines."""
