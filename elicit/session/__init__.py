"""A session: what stands around the dialogue with a person: where it stands, what it says, what is played ahead."""
