"""Elicit: the subset of features that is best for its operator, and exactly what has been proven."""

__version__ = "0.1.0"
