"""Table fit as a method of a sweep: with one public table, with added rows, with several tables."""
