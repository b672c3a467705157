"""Mechanisms that PMW^Pub is compared with, each with its own privacy proof."""
