"""Sources: from a section of plain data to the oracle, the data and the model that it describes, and code of them."""
