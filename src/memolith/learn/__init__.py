"""From finished sessions to facts and to MEMORY.md, with a model or by rules.

May import `base` to `memory`. Read `run.py` first: one run; `learning.py` has the verbs. `extract/` makes
facts of sessions, `consolidate/` makes MEMORY.md of facts; `queue/` has who does what once, `model/` asks a
model within a ceiling.
"""
