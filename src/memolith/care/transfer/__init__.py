"""Import and export: other programs' files, and our own archives."""
