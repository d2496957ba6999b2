"""Experiments: scenarios read and played over many seeds, and the classical methods beside ours."""
