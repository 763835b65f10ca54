"""Memory from elsewhere in, and all of it out again: other programs' files, and archives of our own."""
