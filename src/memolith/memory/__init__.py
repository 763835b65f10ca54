"""The kinds of memory: MEMORY.md, daily log, notes, records, tickets, sessions; and the review queue.

May import `base` to `index`. Read `home.py` first: the resources that all code uses (paths, settings, clock,
gate, index). Then read a kind, such as `records.py`; `review.py` holds text from outside.
"""
