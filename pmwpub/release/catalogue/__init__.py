"""Records of a finished release for catalogues and registries, made from its own files alone."""
