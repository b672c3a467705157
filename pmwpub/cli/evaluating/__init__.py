"""What `evaluate` reads and writes: its truth and candidates, the file of errors, and the page."""
