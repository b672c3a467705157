"""How far off the cells of a release by table fit may be: post-processing of what the release publishes."""
