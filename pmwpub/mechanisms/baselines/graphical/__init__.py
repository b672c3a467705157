"""AIM and MST: graphical models fitted to noisy marginals (extra `peers`)."""
