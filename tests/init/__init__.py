"""`memolith init`."""
