"""The guided story: its screens and their texts."""
