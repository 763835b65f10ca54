"""Facts become MEMORY.md, a summary and skills. `consolidate.py` is the door."""
