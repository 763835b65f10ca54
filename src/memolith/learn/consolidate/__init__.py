"""Phase 2: facts become MEMORY.md, a summary and skills. `phase2.py` is the door."""
