"""What is checked of a release's files: by engine, and of all alike; `release.checking` puts it together."""
