"""Knowledge: what the facts amount to — dominance, statements with their sources, and the history."""
