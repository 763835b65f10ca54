"""From a session to facts, each with evidence checked by code. Read `extract.py` first."""
