"""What a sweep runs on: tables that play a private one, and what is public of a run."""
