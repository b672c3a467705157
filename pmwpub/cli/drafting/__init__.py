"""What `schema draft` says beside the columns."""
