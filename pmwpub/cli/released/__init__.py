"""Commands on the files of a finished release."""
