"""Decide: what to evaluate, what to ask, when to stop, and the loop's core that is asked and told."""
