"""Numbers and findings in words. Nothing here draws a widget."""
