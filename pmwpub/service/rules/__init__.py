"""The rules of a population's schema: added, taken out, suggested; all from public facts."""
