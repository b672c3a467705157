"""Panels on what a release changed, for those who receive it."""
