"""Numbers and findings in words. Nothing here draws a widget but the terms of a population."""
