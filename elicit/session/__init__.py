"""A session: what stands around the dialogue with a person: where it stands, what it says, what is played ahead.

A `Session`, an elicitation together with its journal, is made in `elicit/sessions.py`.
"""
