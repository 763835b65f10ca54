"""The kinds of memory: MEMORY.md, daily log, notes, records, tickets, sessions; and review.

May import `base` to `index`. Read `home.py` first: the resources that all code takes (paths, settings,
clock, gate, index). Then a kind, such as `records.py`; `review.py` holds what came from outside.
"""
