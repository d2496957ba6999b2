"""Commands: a file for each, and what several share (arguments, output, status, what is said at an end).

`cli` puts them together; what they do is done in the other rooms.
"""
