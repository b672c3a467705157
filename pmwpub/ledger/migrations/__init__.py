"""Versions of the store: how one of an earlier version becomes this program's."""
