"""Experiments: scenarios played over many seeds, and the classical methods beside ours."""
