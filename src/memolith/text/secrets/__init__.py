"""Finding credentials in text and masking them. `redact.py` is the door; tables are in `.txt` files."""
