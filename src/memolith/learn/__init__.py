"""From finished sessions to facts and to MEMORY.md, with a model or by rules.

May import `base` to `mem`. Read `run.py` first: one run. `extract/` is phase 1 (session to facts),
`consolidate/` phase 2 (facts to MEMORY.md), `queue/` who does what once, `model/` asking a model within a
ceiling.
"""
