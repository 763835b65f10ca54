"""The only code that writes memory files."""
