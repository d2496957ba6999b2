"""Commands: one file a command, each a few calls to the rooms that do the work; `cli` puts them together."""
