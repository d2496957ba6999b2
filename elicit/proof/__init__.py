"""Proof: what a run has proven, written down, checked again without a solver, and told in words."""
