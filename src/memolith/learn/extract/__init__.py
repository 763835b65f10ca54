"""A session becomes facts, each with evidence that code has checked. `worker.py` is the door."""
