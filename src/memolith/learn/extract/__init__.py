"""A session becomes facts, each with evidence that code has checked. Read `extract.py` first."""
