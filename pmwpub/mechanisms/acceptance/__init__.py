"""Noisy numbers by which a finished release is accepted or not, against bars that stand beforehand."""
