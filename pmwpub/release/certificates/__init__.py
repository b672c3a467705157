"""The parts of a certificate that all engines share, and the certificate of table fit."""
