"""Replicate weights of a release by table fit: post-processing of what the release publishes."""
