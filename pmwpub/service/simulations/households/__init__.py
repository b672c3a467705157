"""Simulations of a study whose population protects households: public ones play the private ones. Free, public."""
