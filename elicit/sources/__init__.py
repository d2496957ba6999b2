"""Sources: from a section of plain data to what it describes: the oracle, the data and the model behind it."""
