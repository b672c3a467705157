"""The report of a release that could not be made when the release was stored: what it needs is kept, and made later."""
