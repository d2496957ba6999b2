"""Utility: f_θ, the sets of θ that the statements allow, what they decide, and the proofs."""
