"""Assay: find out by asking what a robot can do."""

__version__ = "0.1.0"
