"""Noisy errors for a charge: floors, starts, the best of several candidates, the error of a release."""
