"""What a release answers to a question, and how far off the answer may be."""
