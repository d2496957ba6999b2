"""Commands: a file for each, with a function `run`; the others hold what several commands share, or parts of one.

`cli` puts them together; what they do is done in the other rooms.
"""
