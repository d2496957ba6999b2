"""A session: what stands around the dialogue with a person, from a table of the wild to the closing words."""
