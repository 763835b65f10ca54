"""Phase 1: a session becomes facts, each with evidence that code has checked. `phase1.py` is the door."""
