"""Records of stored releases for catalogues, and signatures of what is downloaded."""
