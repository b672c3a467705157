"""Tables that play the private one of a study, and what is said of how their rows are weighed."""
