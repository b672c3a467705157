"""Curves: errors against epsilon, against a share or a bias of a public table, and the accuracy bound."""
