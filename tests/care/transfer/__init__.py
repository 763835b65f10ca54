"""Import of other programs' memories, and archives."""
