"""The notebook that travels beside the files of a release."""
