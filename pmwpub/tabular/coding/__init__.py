"""Text cells to integer codes by a schema's rules, and back."""
