"""The noisy answers of a release: as files, and as the causes of what moved."""
